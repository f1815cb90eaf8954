/** An integer beyond 2^53 has at least 16 digits. */
const LONG_NUMBER = /\d{16}/

/** Matches a string, so that digits inside it are skipped, or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g
const INTEGER = /^-?\d+$/

/**
 * Parses JSON. Integers beyond 2^53 become exact `bigint` values; all other numbers become `number`. Throws
 * SyntaxError if the text is not JSON.
 */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  // Throws for invalid JSON before any number is replaced.
  JSON.parse(text)
  const numbers: (number | bigint)[] = []
  // Every number is replaced by its index in `numbers`, so that no number in the text can be mistaken for an
  // index.
  const indexed = text.replace(TOKENS, (token) =>
    token.startsWith('"') ? token : String(numbers.push(parseNumber(token)) - 1),
  )
  return JSON.parse(indexed, (_, value: unknown) => (typeof value === 'number' ? numbers[value] : value))
}

function parseNumber(text: string): number | bigint {
  const number = Number(text)
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number
}

/**
 * Serializes a value as JSON, with `bigint` values as plain numbers. Throws TypeError for a circular
 * structure.
 */
export function toJson(value: unknown): string {
  return serialize(value, '', []) ?? 'null'
}

/**
 * Like JSON.stringify, which does not support `bigint`. Returns undefined for values that JSON cannot
 * represent.
 */
function serialize(input: unknown, name: string, ancestors: readonly unknown[]): string | undefined {
  const value = hasToJson(input) ? input.toJSON(name) : input
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (ancestors.includes(value)) throw new TypeError('A circular structure cannot be serialized as JSON.')
  const path = [...ancestors, value]
  if (Array.isArray(value))
    return `[${Array.from(value, (item, i) => serialize(item, String(i), path) ?? 'null').join()}]`
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return JSON.stringify(value)
  const members = Object.entries(value).flatMap(([key, member]) => {
    const text = serialize(member, key, path)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${members.join()}}`
}

function hasToJson(value: unknown): value is { toJSON(name: string): unknown } {
  return (
    typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
  )
}

/**
 * Serializes a value with the keys of every object sorted by UTF-16 code unit, so that equal values give
 * equal text.
 */
export function toCanonicalJson(value: unknown): string {
  return writeCanonical(parseJson(toJson(value)))
}

/** Writes keys one by one, because JavaScript objects always list integer-like keys first. */
function writeCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join()}]`
  if (typeof value !== 'object' || value === null) return toJson(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${toJson(name)}:${writeCanonical(member)}`).join()}}`
}

/** Excludes null and arrays. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
