import { isObject } from '@countersign/contract/core/decode'
import { configure } from 'safe-stable-stringify'
import { readJson } from './json-reader.ts'

/**
 * Matches JSON that JSON.parse might treat differently: 16 digits in a row, as in an integer beyond 2^53, or
 * a possible prototype name, even escaped.
 */
const NEEDS_CARE = /\d{16}|proto|\\u/

/** Like `readJson` without limits. For our own JSON, which JSON.parse reads twice as fast. */
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

/** Set while `toJson` runs. False once a bigint could not be written as a number. */
let isExact: boolean | undefined

/**
 * Called by JSON.stringify for a bigint, which it cannot write itself. This is several times as fast as an
 * exact writer, and nearly all amounts fit into a number. Outside of `toJson` nothing changes: JSON.stringify
 * passes the bigint to its replacer, as libraries expect, and throws without one.
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

/** Serializes a value as JSON. A `bigint` is written as its digits. */
export function toJson(value: unknown): string {
  isExact = true
  try {
    const text = JSON.stringify(value)
    return (isExact ? text : stringify(value)) ?? 'null'
  } finally {
    isExact = undefined
  }
}

/**
 * Serializes a value as JSON with the properties of every object in a fixed order, so that equal values give
 * equal strings.
 */
export function toCanonicalJson(value: unknown): string {
  return stringifySorted(value) ?? 'null'
}
