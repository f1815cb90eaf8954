import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generateKeyPair, signMessage, verifySignature } from '../p256.ts'
import { type OtpTokenClaims, signOtpToken, verifyOtpToken } from './token.ts'

const quorumKey = generateKeyPair()
const nowMs = 1_790_000_000_000
const claims: OtpTokenClaims = {
  id: 'b0f2',
  verificationType: 'OTP_TYPE_EMAIL',
  contact: 'zoë@example.com',
  organizationId: 'org-1',
  publicKey: generateKeyPair().publicKey.compressedHex,
  expiresAtMs: nowMs + 300_000,
}
const token = signOtpToken(claims, quorumKey)
const [header, payload, signature] = token.split('.') as [string, string, string]

function url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}

/** A token with any header and payload text, properly signed by the quorum key. */
function buildToken(headerText: string, payloadText: string): string {
  const signed = `${url(headerText)}.${url(payloadText)}`
  const signature = signMessage(quorumKey, Buffer.from(signed), 'ieee-p1363')
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

function verify(text: string, atMs = nowMs) {
  return verifyOtpToken(text, quorumKey.publicKey, atMs)
}

describe('an OTP verification token', () => {
  test('is a compact ES256 JWT with the header and the string claims of formats 6', () => {
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"ES256","typ":"JWT"}')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).toEqual({
      id: 'b0f2',
      verification_type: 'OTP_TYPE_EMAIL',
      contact: 'zoë@example.com',
      organization_id: 'org-1',
      public_key: claims.publicKey,
      exp: '1790000300000',
    })
    const bytes = Buffer.from(signature, 'base64url')
    expect(bytes.length).toBe(64)
    const signed = Buffer.from(`${header}.${payload}`)
    expect(verifySignature(quorumKey.publicKey, signed, bytes, 'ieee-p1363')).toBe(true)
  })

  test('verifies with the claims that were signed', () => {
    const text = fc.string({ maxLength: 100 })
    fc.assert(
      fc.property(text, text, text, (id, contact, organizationId) => {
        const some = { ...claims, id, contact, organizationId }
        expect(verify(signOtpToken(some, quorumKey))).toEqual({ claims: some })
      }),
      { numRuns: 30 },
    )
  })

  test('is valid until the millisecond before exp', () => {
    expect(verify(token, claims.expiresAtMs - 1)).toEqual({ claims })
    expect(verify(token, claims.expiresAtMs)).toEqual({ failure: 'EXPIRED' })
  })

  test('does not verify if another key signed it', () => {
    expect(verify(signOtpToken(claims, generateKeyPair()))).toEqual({ failure: 'BAD_SIGNATURE' })
  })

  test('does not verify after any single bit was flipped', () => {
    let tried = 0
    for (let bit = 0; bit < token.length * 8; bit += 1) {
      const bytes = Buffer.from(token, 'latin1')
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      if (!('failure' in verify(bytes.toString('latin1')))) expect.fail(`bit ${bit} does not matter`)
      tried += 1
    }
    expect(tried).toBe(token.length * 8)
  })

  const good = Buffer.from(payload, 'base64url').toString('utf8')
  const HEADER = '{"alg":"ES256","typ":"JWT"}'
  test('verifies in the form that the malformed examples are made from', () => {
    expect(verify(buildToken(HEADER, good))).toEqual({ claims })
  })

  test.each([
    ['empty', ''],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${token}.`],
    ['no signature', `${header}.${payload}.`],
    [
      'a signature in DER',
      `${header}.${payload}.${Buffer.from(signMessage(quorumKey, Buffer.from('x'))).toString('base64url')}`,
    ],
    ['padding', `${token}==`],
    ['a space', `${header}. ${payload}.${signature}`],
    ['a newline after', `${token}\n`],
    ['alg none', `${url('{"alg":"none"}')}.${payload}.`],
    ['alg none, signed', buildToken('{"alg":"none","typ":"JWT"}', good)],
    ['the header in another order', buildToken('{"typ":"JWT","alg":"ES256"}', good)],
    ['an unknown claim', buildToken(HEADER, good.replace('{', '{"more":"",'))],
    ['a duplicate claim', buildToken(HEADER, good.replace('{', '{"id":"x",'))],
    ['a missing claim', buildToken(HEADER, good.replace(/,"exp":"\d+"/, ''))],
    ['exp as a number', buildToken(HEADER, good.replace(/"exp":"(\d+)"/, '"exp":$1'))],
    ['exp in another notation', buildToken(HEADER, good.replace(/"exp":"\d+"/, '"exp":"1e15"'))],
    ['more than 4 KiB', buildToken(HEADER, good.replace('b0f2', 'b'.repeat(4000)))],
  ])('is malformed: %s', (_description, text) => {
    expect(verify(text)).toEqual({ failure: 'MALFORMED' })
  })

  test('is not found in arbitrary text, and nothing is thrown', () => {
    fc.assert(
      fc.property(
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
        (text) => 'failure' in verify(text),
      ),
    )
    fc.assert(
      fc.property(fc.string(), (text) => 'failure' in verify(`${header}.${url(text)}.${signature}`)),
      { numRuns: 50 },
    )
  })

  test('cannot be signed with an expiry that is not in whole milliseconds', () => {
    for (const expiresAtMs of [1.5, -1, Number.NaN, 2 ** 60]) {
      expect(() => signOtpToken({ ...claims, expiresAtMs }, quorumKey)).toThrow(RangeError)
    }
  })
})
