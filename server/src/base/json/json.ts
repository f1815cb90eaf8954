import { isObject } from '@countersign/contract/core/decode'
import { configure } from 'safe-stable-stringify'
import { readJson } from './json-reader.ts'

/**
 * JSON that JSON.parse would treat differently: 16 digits in a row, which an integer beyond 2^53 has, and a
 * possible name of a prototype, also escaped.
 */
const NEEDS_CARE = /\d{16}|proto|\\u/

/** Parses like `readJson`, without limits. For our own JSON, which JSON.parse reads twice as fast. */
export function parseJson(text: string): unknown {
  return NEEDS_CARE.test(text) ? readJson(text) : JSON.parse(text)
}

/** Parses our own JSON of an object. Throws for anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (!isObject(value)) throw new TypeError('the JSON text is not an object')
  return value
}

const stringify = configure({ bigint: true, deterministic: false, circularValue: Error, strict: true })
const stringifySorted = configure({ bigint: true, deterministic: true, circularValue: Error, strict: true })

/** Set while `toJson` runs: false once a bigint could not be written as a number. */
let isExact: boolean | undefined

/**
 * JSON.stringify calls this for a bigint, which it cannot write itself. It is several times as fast as an
 * exact writer, and nearly all amounts fit a number. Outside of `toJson` nothing changes: JSON.stringify
 * passes a bigint to its replacer, which libraries rely on, and refuses one without.
 */
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  value: function toJSON(this: bigint): number | bigint {
    if (isExact === undefined) return this.valueOf()
    const number = Number(this)
    if (!Number.isSafeInteger(number)) isExact = false
    return number
  },
})

/** Serializes a value to JSON; a `bigint` is written as its digits. */
export function toJson(value: unknown): string {
  isExact = true
  try {
    const text = JSON.stringify(value)
    return (isExact ? text : stringify(value)) ?? 'null'
  } finally {
    isExact = undefined
  }
}

/** JSON with the properties of every object in a fixed order, so equal values give equal strings. */
export function toCanonicalJson(value: unknown): string {
  return stringifySorted(value) ?? 'null'
}
