import { generateKeyPairSync, sign, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { derFromRawSignature, rawSignatureFromDer } from './der.ts'

const scalar = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  // Numbers with many leading zeros and then a first bit of 1, where the lengths change.
  fc
    .tuple(fc.integer({ min: 0, max: 31 }), fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.boolean())
    .map(([zeros, bytes, high]) => {
      const value = bytes.slice()
      value.fill(0, 0, zeros)
      value[zeros] = high ? 0x80 : 0x01
      return value
    }),
)
const raw = fc.tuple(scalar, scalar).map(([r, s]) => new Uint8Array([...r, ...s]))

describe('a DER signature', () => {
  test('is decoded to the r and s that were encoded', () => {
    fc.assert(
      fc.property(raw, (signature) => {
        const der = derFromRawSignature(signature)
        expect(der.length).toBeLessThanOrEqual(72)
        expect(rawSignatureFromDer(der)).toEqual(signature)
      }),
    )
  })

  test('is compatible with node:crypto', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    for (let i = 0; i < 64; i++) {
      const message = Buffer.from(`message ${i}`)
      const der = sign('sha256', message, privateKey)
      const raw = rawSignatureFromDer(der)!
      expect(verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true)
      expect(Buffer.from(derFromRawSignature(raw))).toEqual(der)
    }
  })

  test('is undefined for bytes that are not a DER signature', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const read = rawSignatureFromDer(bytes)
        if (read) expect(Buffer.from(derFromRawSignature(read))).toEqual(Buffer.from(bytes))
      }),
    )
    fc.assert(
      fc.property(raw, fc.nat(71), fc.integer({ min: 1, max: 255 }), (signature, at, change) => {
        const der = derFromRawSignature(signature)
        der[at % der.length]! ^= change
        const read = rawSignatureFromDer(der)
        if (read) expect(derFromRawSignature(read)).toEqual(der)
      }),
    )
  })

  test('requires exactly 64 bytes', () => {
    expect(() => derFromRawSignature(new Uint8Array(63))).toThrow(TypeError)
  })
})
