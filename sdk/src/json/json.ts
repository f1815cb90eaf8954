/** At least 16 digits in a row: only then can an integer be beyond 2^53. */
const LONG_NUMBER = /\d{16}/

/** A string, which is passed over, or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g
const INTEGER = /^-?\d+$/

/**
 * Parses JSON text. Integers beyond 2^53 become `bigint`, exact; all other numbers `number`. Throws
 * SyntaxError for text that is not JSON.
 */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  // Refuses invalid JSON before anything in it is replaced.
  JSON.parse(text)
  const numbers: (number | bigint)[] = []
  // Every number is replaced by its place in the list, so that no number of the text is mistaken for a place.
  const places = text.replace(TOKENS, (token) =>
    token.startsWith('"') ? token : String(numbers.push(numberOf(token)) - 1),
  )
  return JSON.parse(places, (_, value: unknown) => (typeof value === 'number' ? numbers[value] : value))
}

function numberOf(text: string): number | bigint {
  const number = Number(text)
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number
}

/** JSON text of a value; a `bigint` is written as its digits. Throws TypeError for a value that contains itself. */
export function toJson(value: unknown): string {
  return print(value, '', []) ?? 'null'
}

/** Like JSON.stringify, which takes no `bigint`: undefined for values that JSON cannot express. */
function print(given: unknown, name: string, above: readonly unknown[]): string | undefined {
  const value = hasToJson(given) ? given.toJSON(name) : given
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (above.includes(value)) throw new TypeError('A value that contains itself cannot be JSON')
  const inside = [...above, value]
  if (Array.isArray(value))
    return `[${Array.from(value, (item, i) => print(item, String(i), inside) ?? 'null').join()}]`
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return JSON.stringify(value)
  const members = Object.entries(value).flatMap(([key, member]) => {
    const text = print(member, key, inside)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${members.join()}}`
}

function hasToJson(value: unknown): value is { toJSON(name: string): unknown } {
  return (
    typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
  )
}

/** JSON text with the keys of every object sorted by UTF-16 unit: equal values, equal text. */
export function toCanonicalJson(value: unknown): string {
  return writeCanonical(parseJson(toJson(value)))
}

/** Written key by key, because a JavaScript object lists numeric keys first. */
function writeCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join()}]`
  if (typeof value !== 'object' || value === null) return toJson(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${toJson(name)}:${writeCanonical(member)}`).join()}}`
}

/** Excludes null and lists. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
