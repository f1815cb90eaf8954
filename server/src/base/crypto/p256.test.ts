import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  deriveSharedSecret,
  generateKeyPair,
  isSamePublicKey,
  parsePublicKey,
  parsePublicKeyBytes,
  parseUncompressedPublicKey,
  type SignatureEncoding,
  signMessage,
  toKeyPair,
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
const pair = toKeyPair(hex('7f'.repeat(32)))

/** Returns the number of cases of each kind, and the ids of those in which we disagree with Wycheproof. */
function runEcdsa(file: string, encoding: SignatureEncoding) {
  const counts = { valid: 0, invalid: 0, wrong: [] as number[] }
  for (const { group, case: vector } of wycheproofCases<EcdsaGroup, EcdsaCase>(file)) {
    const publicKey = parsePublicKey(group.publicKey.uncompressed)!
    const accepted = verifySignature(publicKey, hex(vector.msg), hex(vector.sig), encoding)
    if (vector.result === 'valid') counts.valid += 1
    else counts.invalid += 1
    if (accepted !== (vector.result === 'valid')) counts.wrong.push(vector.tcId)
  }
  return counts
}

describe.skipIf(vectorsAbsent)('Wycheproof vectors', () => {
  test('all 484 cases of ECDSA P-256 with SHA-256 in DER pass', () => {
    const counts = runEcdsa('wycheproof/ecdsa_secp256r1_sha256_test.json', 'der')
    expect(counts).toEqual({ valid: 174, invalid: 310, wrong: [] })
  })

  test('all 262 cases of ECDSA P-256 with SHA-256 as r ‖ s pass', () => {
    const counts = runEcdsa('wycheproof/ecdsa_secp256r1_sha256_p1363_test.json', 'ieee-p1363')
    expect(counts.valid + counts.invalid).toBe(262)
    expect(counts.valid).toBeGreaterThan(100)
    expect(counts.wrong).toEqual([])
  })

  test('all 355 cases of ECDH P-256 points pass, including compressed points', () => {
    const counts = { shared: 0, refused: 0, wrong: [] as number[] }
    const cases = wycheproofCases<object, EcdhCase>('wycheproof/ecdh_secp256r1_ecpoint_test.json')
    for (const { case: vector } of cases) {
      const publicKey = parsePublicKey(vector.public)
      const fromBytes = parsePublicKeyBytes(hex(vector.public))
      if (fromBytes?.compressedHex !== publicKey?.compressedHex) counts.wrong.push(vector.tcId)
      if (vector.result === 'invalid') {
        counts.refused += 1
        if (publicKey !== undefined) counts.wrong.push(vector.tcId)
        continue
      }
      counts.shared += 1
      const scalar = hex(BigInt(`0x${vector.private}`).toString(16).padStart(64, '0'))
      const shared = publicKey && Buffer.from(deriveSharedSecret(scalar, publicKey)).toString('hex')
      if (shared !== vector.shared) counts.wrong.push(vector.tcId)
    }
    expect(counts).toEqual({ shared: 331, refused: 24, wrong: [] })
  })
})

describe('a public key', () => {
  test('is the same in every form and case of its point', () => {
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
      expect(isSamePublicKey(key!, pair.publicKey)).toBe(true)
    }
    expect(isSamePublicKey(generateKeyPair().publicKey, pair.publicKey)).toBe(false)
  })

  test('is the same after it was cached by a verification', () => {
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
    ['one character too many', `${pair.publicKey.uncompressedHex}0`],
    ['a newline at the end', `${pair.publicKey.uncompressedHex}\n`],
    ['not hex at the end', `${pair.publicKey.uncompressedHex.slice(0, -1)}g`],
    ['a prefix 0x', `0x${pair.publicKey.uncompressedHex}`],
    ['uncompressed prefix on 33 bytes', `04${pair.publicKey.compressedHex.slice(2)}`],
    ['compressed prefix on 65 bytes', `02${pair.publicKey.uncompressedHex.slice(2)}`],
    ['X beyond the field', `02${'f'.repeat(64)}`],
  ])('is rejected: %s', (_description, text) => {
    expect(parsePublicKey(text)).toBeUndefined()
    expect(parseUncompressedPublicKey(text)).toBeUndefined()
    expect(parsePublicKeyBytes(hex(text.replace(/[^0-9a-f]/g, '')))?.bytes.length).not.toBe(text.length / 2)
  })

  test('must be uncompressed if it is a clientPublicKey', () => {
    expect(parseUncompressedPublicKey(pair.publicKey.compressedHex)).toBeUndefined()
  })

  test('does not change when the buffer from which it was parsed changes', () => {
    const source = Buffer.from(pair.publicKey.bytes)
    const parsed = parsePublicKeyBytes(source)!
    source.fill(0)
    expect(parsed.bytes).toEqual(pair.publicKey.bytes)
  })

  test('is not found in arbitrary text, and nothing is thrown', () => {
    fc.assert(fc.property(fc.string(), (text) => parsePublicKey(text) === undefined))
  })
})

describe('a key pair', () => {
  test('has a 32-byte scalar that belongs to its public key, even if the scalar starts with zeros', () => {
    // One scalar in 256 starts with a zero byte. The chance that none of these does is 3 in 1,000.
    for (let round = 0; round < 1500; round += 1) {
      const { privateKey, publicKey } = generateKeyPair()
      expect(privateKey.length).toBe(32)
      expect(toKeyPair(privateKey).publicKey.compressedHex).toBe(publicKey.compressedHex)
    }
  })

  test.each([
    ['zero', '00'.repeat(32)],
    ['the order', N],
    ['beyond the order', 'ff'.repeat(32)],
    ['31 bytes', '01'.repeat(31)],
    ['33 bytes', `00${'01'.repeat(32)}`],
    ['none', ''],
  ])('cannot be created from an invalid private key: %s', (_description, scalar) => {
    expect(() => toKeyPair(hex(scalar))).toThrow(RangeError)
    expect(() => deriveSharedSecret(hex(scalar), pair.publicKey)).toThrow(RangeError)
  })

  test('does not sign if its scalar was wiped before its first signature', () => {
    const wiped = generateKeyPair()
    wiped.privateKey.fill(0)
    expect(() => signMessage(wiped, Buffer.from('m'))).toThrow(RangeError)
  })

  test('gives both parties of ECDH the same secret', () => {
    const [a, b] = [generateKeyPair(), generateKeyPair()]
    expect(deriveSharedSecret(a.privateKey, b.publicKey)).toEqual(
      deriveSharedSecret(b.privateKey, a.publicKey),
    )
  })

  test('makes signatures that verify only with its key, their message and their encoding', () => {
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

  test('makes signatures whose high-S twin is valid too', () => {
    const message = Buffer.from('pay 5')
    const signature = Buffer.from(signMessage(pair, message, 'ieee-p1363'))
    const s = BigInt(`0x${signature.subarray(32).toString('hex')}`)
    const twin = (BigInt(`0x${N}`) - s).toString(16).padStart(64, '0')
    const twinSignature = Buffer.concat([signature.subarray(0, 32), hex(twin)])
    expect(twinSignature).not.toEqual(signature)
    expect(verifySignature(pair.publicKey, message, twinSignature, 'ieee-p1363')).toBe(true)
  })

  test('rejects arbitrary signatures and bytes after the DER without throwing', () => {
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
