import { HDKey } from '@scure/bip32'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { privateKeyAt, secp256k1PublicKey } from './bip32.ts'

/** Test vector 1 of BIP-32: the private keys of its extended keys. */
const SEED = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const VECTOR = {
  m: 'e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35',
  "m/0'": 'edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea',
  "m/0'/1": '3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368',
  "m/0'/1/2'": 'cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca',
  "m/0'/1/2'/2": '0f479245fb19a38a1954c5c7c0ebab2f9bdfd96a17563ef28a6a4b1a2a764ef4',
  "m/0'/1/2'/2/1000000000": '471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8',
}

const step = fc.tuple(fc.nat(2 ** 31 - 1), fc.constantFrom('', "'")).map(([index, mark]) => index + mark)
const path = fc.array(step, { maxLength: 5 }).map((steps) => ['m', ...steps].join('/'))

describe('the key at a path', () => {
  test.each(Object.entries(VECTOR))('of the published seed, at %s, is the published one', (at, key) => {
    expect(Buffer.from(privateKeyAt(SEED, at)).toString('hex')).toBe(key)
  })

  test('is the one that a library derives, and so is its public key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 64 }), path, (seed, at) => {
        const key = privateKeyAt(seed, at)
        const expected = HDKey.fromMasterSeed(seed).derive(at)
        expect(Buffer.from(key)).toEqual(Buffer.from(expected.privateKey ?? []))
        const publicKey = secp256k1PublicKey(key, 'compressed')
        expect(Buffer.from(publicKey)).toEqual(Buffer.from(expected.publicKey ?? []))
      }),
      { numRuns: 50 },
    )
  })

  test.each(['', '0', 'm/', 'm/x', "m/2147483648'", 'm/-1', 'M/0'])('at "%s" is refused', (at) => {
    expect(() => privateKeyAt(SEED, at)).toThrow('is not a path of keys')
  })
})
