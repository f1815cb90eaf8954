import { parse as parseLossless } from 'lossless-json'
import { configure } from 'safe-stable-stringify'
import { parse as parseSafely } from 'secure-json-parse'

/** At least 16 digits in a row: only then can an integer be beyond 2^53. */
const LONG_NUMBER = /\d{16}/
const INTEGER = /^-?\d+$/

/**
 * Parses JSON text. Integers beyond 2^53 come out as `bigint`, exact; all other numbers as `number`.
 * Throws SyntaxError for text that is not JSON (RFC 8259) and for `__proto__` or `constructor.prototype` members.
 */
export function parseJson(text: string): unknown {
  const value: unknown = parseSafely(text, { protoAction: 'error', constructorAction: 'error' })
  return LONG_NUMBER.test(text)
    ? parseLossless(text, undefined, { parseNumber, onDuplicateKey: lastOne })
    : value
}

function parseNumber(text: string): number | bigint {
  const number = Number(text)
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number
}

/** As JSON.parse does: of a member given twice, the last one stands. */
function lastOne({ newValue }: { newValue: unknown }): unknown {
  return newValue
}

const stringify = configure({ bigint: true, deterministic: false, circularValue: Error, strict: true })
const stringifySorted = configure({ bigint: true, deterministic: true, circularValue: Error, strict: true })

/** Set while `toJson` is at work: whether every bigint so far could be written as a number. */
let isExact: boolean | undefined

/**
 * JSON.stringify asks this of a bigint, which it cannot write by itself. It is several times as fast as what can, and
 * nearly all amounts are numbers. For everybody but `toJson` a bigint stays what JSON.stringify refuses.
 */
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  value: function toJSON(this: bigint): number {
    if (isExact === undefined) throw new TypeError('Do not know how to serialize a BigInt')
    const number = Number(this)
    if (!Number.isSafeInteger(number)) isExact = false
    return number
  },
})

/** JSON text of a value; a `bigint` is written as its digits. */
export function toJson(value: unknown): string {
  isExact = true
  try {
    const text = JSON.stringify(value)
    return (isExact ? text : stringify(value)) ?? 'null'
  } finally {
    isExact = undefined
  }
}

/** JSON text with the members of every object in one order: equal values give equal text. */
export function toCanonicalJson(value: unknown): string {
  return stringifySorted(value) ?? 'null'
}
