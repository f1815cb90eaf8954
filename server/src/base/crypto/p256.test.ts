import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  deriveSharedSecret,
  generateKeyPair,
  keyPairFromPrivateKey,
  parsePublicKey,
  parsePublicKeyBytes,
  parseUncompressedPublicKey,
  type SignatureEncoding,
  samePublicKey,
  signMessage,
  verifySignature,
} from './p256.ts'
import { hex, vectorsAbsent, type WycheproofCase, wycheproofCases } from './vectors.testing.ts'

interface EcdsaGroup {
  publicKey: { uncompressed: string }
}
interface EcdsaCase extends WycheproofCase {
  msg: string
  sig: string
}
interface EcdhCase extends WycheproofCase {
  public: string
  private: string
  shared: string
}

const N = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
const OFF_CURVE = `04${'00'.repeat(63)}01`
const pair = keyPairFromPrivateKey(hex('7f'.repeat(32)))

/** The tcIds on which we and Wycheproof disagree, and how many cases of each kind were run. */
function runEcdsa(file: string, encoding: SignatureEncoding) {
  const seen = { valid: 0, invalid: 0, wrong: [] as number[] }
  for (const { group, case: one } of wycheproofCases<EcdsaGroup, EcdsaCase>(file)) {
    const publicKey = parsePublicKey(group.publicKey.uncompressed)!
    const accepted = verifySignature(publicKey, hex(one.msg), hex(one.sig), encoding)
    if (one.result === 'valid') seen.valid += 1
    else seen.invalid += 1
    if (accepted !== (one.result === 'valid')) seen.wrong.push(one.tcId)
  }
  return seen
}

describe.skipIf(vectorsAbsent)('Wycheproof', () => {
  test('ECDSA P-256 SHA-256, DER: all 484', () => {
    const seen = runEcdsa('wycheproof/ecdsa_secp256r1_sha256_test.json', 'der')
    expect(seen).toEqual({ valid: 174, invalid: 310, wrong: [] })
  })

  test('ECDSA P-256 SHA-256, r ‖ s as in ES256: all 262', () => {
    const seen = runEcdsa('wycheproof/ecdsa_secp256r1_sha256_p1363_test.json', 'ieee-p1363')
    expect(seen.valid + seen.invalid).toBe(262)
    expect(seen.valid).toBeGreaterThan(100)
    expect(seen.wrong).toEqual([])
  })

  test('ECDH P-256 points: all 355, compressed points accepted', () => {
    const seen = { shared: 0, refused: 0, wrong: [] as number[] }
    const cases = wycheproofCases<object, EcdhCase>('wycheproof/ecdh_secp256r1_ecpoint_test.json')
    for (const { case: one } of cases) {
      const publicKey = parsePublicKey(one.public)
      const fromBytes = parsePublicKeyBytes(hex(one.public))
      if (fromBytes?.compressedHex !== publicKey?.compressedHex) seen.wrong.push(one.tcId)
      if (one.result === 'invalid') {
        seen.refused += 1
        if (publicKey !== undefined) seen.wrong.push(one.tcId)
        continue
      }
      seen.shared += 1
      const scalar = hex(BigInt(`0x${one.private}`).toString(16).padStart(64, '0'))
      const shared = publicKey && Buffer.from(deriveSharedSecret(scalar, publicKey)).toString('hex')
      if (shared !== one.shared) seen.wrong.push(one.tcId)
    }
    expect(seen).toEqual({ shared: 331, refused: 24, wrong: [] })
  })
})

describe('public keys', () => {
  test('one point in any form and case is the same key', () => {
    const { uncompressedHex, compressedHex, bytes } = pair.publicKey
    const texts = [uncompressedHex, uncompressedHex.toUpperCase(), compressedHex, compressedHex.toUpperCase()]
    const parsed = [
      ...texts.map(parsePublicKey),
      parseUncompressedPublicKey(uncompressedHex),
      parseUncompressedPublicKey(uncompressedHex.toUpperCase()),
      parsePublicKeyBytes(bytes),
      parsePublicKeyBytes(hex(compressedHex)),
    ]
    for (const key of parsed) {
      expect(key).toEqual(pair.publicKey)
      expect(samePublicKey(key!, pair.publicKey)).toBe(true)
    }
    expect(samePublicKey(generateKeyPair().publicKey, pair.publicKey)).toBe(false)
  })

  test('a key from the cache, after it verified, is the same key', () => {
    const fresh = generateKeyPair()
    const message = Buffer.from('m')
    expect(verifySignature(fresh.publicKey, message, signMessage(fresh, message))).toBe(true)
    expect(parsePublicKey(fresh.publicKey.compressedHex)).toEqual(fresh.publicKey)
    expect(parsePublicKey(fresh.publicKey.compressedHex.toUpperCase())).toEqual(fresh.publicKey)
  })

  test.each([
    ['empty', ''],
    ['the point at infinity', '00'],
    ['off the curve', OFF_CURVE],
    ['all zero', `04${'00'.repeat(64)}`],
    ['hybrid 06', `06${pair.publicKey.uncompressedHex.slice(2)}`],
    ['hybrid 07', `07${pair.publicKey.uncompressedHex.slice(2)}`],
    ['one character short', pair.publicKey.uncompressedHex.slice(0, -1)],
    ['one character more', `${pair.publicKey.uncompressedHex}0`],
    ['a newline at the end', `${pair.publicKey.uncompressedHex}\n`],
    ['not hex at the end', `${pair.publicKey.uncompressedHex.slice(0, -1)}g`],
    ['0x before it', `0x${pair.publicKey.uncompressedHex}`],
    ['uncompressed prefix on 33 bytes', `04${pair.publicKey.compressedHex.slice(2)}`],
    ['compressed prefix on 65 bytes', `02${pair.publicKey.uncompressedHex.slice(2)}`],
    ['X beyond the field', `02${'f'.repeat(64)}`],
  ])('refused: %s', (_what, text) => {
    expect(parsePublicKey(text)).toBeUndefined()
    expect(parseUncompressedPublicKey(text)).toBeUndefined()
    expect(parsePublicKeyBytes(hex(text.replace(/[^0-9a-f]/g, '')))?.bytes.length).not.toBe(text.length / 2)
  })

  test('a clientPublicKey is uncompressed only', () => {
    expect(parseUncompressedPublicKey(pair.publicKey.compressedHex)).toBeUndefined()
  })

  test('the parsed bytes do not change with their buffer', () => {
    const source = Buffer.from(pair.publicKey.bytes)
    const parsed = parsePublicKeyBytes(source)!
    source.fill(0)
    expect(parsed.bytes).toEqual(pair.publicKey.bytes)
  })

  test('arbitrary text is never a key and never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => parsePublicKey(text) === undefined))
  })
})

describe('key pairs and signatures', () => {
  test('a generated pair has a 32-byte scalar of its public key, also where it starts with zeros', () => {
    // One scalar in 256 does: the chance that none of these does is 3 in 1,000.
    for (let round = 0; round < 1500; round += 1) {
      const { privateKey, publicKey } = generateKeyPair()
      expect(privateKey.length).toBe(32)
      expect(keyPairFromPrivateKey(privateKey).publicKey.compressedHex).toBe(publicKey.compressedHex)
    }
  })

  test.each([
    ['zero', '00'.repeat(32)],
    ['the order', N],
    ['beyond the order', 'ff'.repeat(32)],
    ['31 bytes', '01'.repeat(31)],
    ['33 bytes', `00${'01'.repeat(32)}`],
    ['none', ''],
  ])('refused private key: %s', (_what, scalar) => {
    expect(() => keyPairFromPrivateKey(hex(scalar))).toThrow(RangeError)
    expect(() => deriveSharedSecret(hex(scalar), pair.publicKey)).toThrow(RangeError)
  })

  test('a pair whose scalar was wiped before it ever signed does not sign', () => {
    const wiped = generateKeyPair()
    wiped.privateKey.fill(0)
    expect(() => signMessage(wiped, Buffer.from('m'))).toThrow(RangeError)
  })

  test('both parties of ECDH get the same secret', () => {
    const [a, b] = [generateKeyPair(), generateKeyPair()]
    expect(deriveSharedSecret(a.privateKey, b.publicKey)).toEqual(
      deriveSharedSecret(b.privateKey, a.publicKey),
    )
  })

  test('a signature verifies for its key and message and for no other; in its own encoding only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (message) => {
        const other = Uint8Array.of(...message, 0)
        for (const encoding of ['der', 'ieee-p1363'] as const) {
          const signature = signMessage(pair, message, encoding)
          expect(verifySignature(pair.publicKey, message, signature, encoding)).toBe(true)
          expect(verifySignature(pair.publicKey, other, signature, encoding)).toBe(false)
          expect(verifySignature(generateKeyPair().publicKey, message, signature, encoding)).toBe(false)
          const otherEncoding = encoding === 'der' ? 'ieee-p1363' : 'der'
          expect(verifySignature(pair.publicKey, message, signature, otherEncoding)).toBe(false)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('the high-S twin of a signature is valid too', () => {
    const message = Buffer.from('pay 5')
    const signature = Buffer.from(signMessage(pair, message, 'ieee-p1363'))
    const s = BigInt(`0x${signature.subarray(32).toString('hex')}`)
    const twin = (BigInt(`0x${N}`) - s).toString(16).padStart(64, '0')
    const twinSignature = Buffer.concat([signature.subarray(0, 32), hex(twin)])
    expect(twinSignature).not.toEqual(signature)
    expect(verifySignature(pair.publicKey, message, twinSignature, 'ieee-p1363')).toBe(true)
  })

  test('bytes after the DER, and arbitrary bytes, are refused without throwing', () => {
    const message = Buffer.from('m')
    const signature = signMessage(pair, message)
    expect(verifySignature(pair.publicKey, message, Uint8Array.of(...signature, 0))).toBe(false)
    expect(verifySignature(pair.publicKey, message, new Uint8Array(0))).toBe(false)
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        (bytes) => !verifySignature(pair.publicKey, message, bytes),
      ),
      { numRuns: 50 },
    )
  })
})
