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
