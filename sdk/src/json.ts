import { parse as parseLossless, stringify } from 'lossless-json'

/** At least 16 digits in a row: only then can an integer be beyond 2^53. */
const LONG_NUMBER = /\d{16}/
const INTEGER = /^-?\d+$/

/**
 * Parses JSON text. Integers beyond 2^53 come out as `bigint`, exact; all other numbers as `number`. Throws
 * SyntaxError for text that is not JSON.
 */
export function parseJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? parseLossless(text, undefined, { parseNumber }) : JSON.parse(text)
}

function parseNumber(text: string): number | bigint {
  const number = Number(text)
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number
}

/** JSON text of a value; a `bigint` is written as its digits. */
export function toJson(value: unknown): string {
  return stringify(value) ?? 'null'
}

/** JSON text with the members of every object in the order of their names, by UTF-16 unit: equal values, equal text. */
export function toCanonicalJson(value: unknown): string {
  return canonical(parseJson(toJson(value)))
}

/** Written member by member, because a JavaScript object lists members with numeric names first. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return toJson(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${toJson(name)}:${canonical(member)}`).join()}}`
}
