import { createHash } from 'node:crypto'
import { createBase58check } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyEnvelope } from '../envelope.ts'
import { open, seal } from '../hpke.ts'
import { generateKeyPair, type PublicKey, parsePublicKeyBytes } from '../p256.ts'
import { makeOtpTargetBundle, openOtpBundle, sealSessionKey, sealWalletExport } from './bundle.ts'

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())
const quorumKey = generateKeyPair()
const pinned = quorumKey.publicKey.uncompressedHex
const target = generateKeyPair()
const client = generateKeyPair()
const clientHex = client.publicKey.uncompressedHex

/** Seals text to the target as a client does. */
function sealBundle(plaintext: string, targetPublicKey: PublicKey = target.publicKey): string {
  const { enc, ciphertext } = seal({
    recipientPublicKey: targetPublicKey,
    plaintext: Buffer.from(plaintext, 'utf8'),
  })
  const [encappedPublic, hex] = [enc, ciphertext].map((bytes) => Buffer.from(bytes).toString('hex'))
  return JSON.stringify({ encappedPublic, ciphertext: hex })
}

function buildOtpText(publicKeyHex: string, otpCode = '000000'): string {
  return JSON.stringify({ otp_code: otpCode, public_key: publicKeyHex })
}

describe('an encrypted OTP bundle', () => {
  const expected = { otpCode: '000000', publicKeyCompressedHex: client.publicKey.compressedHex }

  test('may contain the public key compressed or uncompressed, in either case', () => {
    const { uncompressedHex, compressedHex } = client.publicKey
    const forms = [uncompressedHex, compressedHex, uncompressedHex.toUpperCase(), compressedHex.toUpperCase()]
    for (const form of forms) {
      expect(openOtpBundle(sealBundle(buildOtpText(form)), target.privateKey)).toEqual(expected)
      expect(openOtpBundle(sealBundle(buildOtpText(form)), target)).toEqual(expected)
    }
  })

  test('may have its properties in any order and any white space, inside and outside', () => {
    const inner = `{ "public_key": "${client.publicKey.compressedHex}",\n"otp_code": "000000" }`
    const { encappedPublic, ciphertext } = JSON.parse(sealBundle(inner)) as Record<string, string>
    const outer = ` {"ciphertext" : "${ciphertext}", "encappedPublic":"${encappedPublic!.toUpperCase()}"}\n`
    expect(openOtpBundle(outer, target)).toEqual(expected)
    const upper = JSON.stringify({ encappedPublic, ciphertext: ciphertext!.toUpperCase() })
    expect(openOtpBundle(upper, target)).toEqual(expected)
  })

  test('returns the sealed code unchecked', () => {
    for (const code of ['123456', '', 'ünïcode', '0'.repeat(50)]) {
      expect(openOtpBundle(sealBundle(buildOtpText(clientHex, code)), target)).toMatchObject({
        otpCode: code,
      })
    }
  })

  test('does not open after any single bit was flipped', () => {
    const text = sealBundle(buildOtpText(clientHex))
    let tried = 0
    for (let bit = 0; bit < text.length * 8; bit += 1) {
      const bytes = Buffer.from(text, 'latin1')
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      const result = openOtpBundle(bytes.toString('latin1'), target)
      if (!('failure' in result)) expect.fail(`bit ${bit} of the bundle does not matter`)
      tried += 1
    }
    expect(tried).toBe(text.length * 8)
    expect(tried).toBeGreaterThan(4000)
  })

  test('does not open with the key of another target, such as an earlier challenge', () => {
    const result = openOtpBundle(sealBundle(buildOtpText(clientHex)), generateKeyPair())
    expect(result).toEqual({ failure: 'CANNOT_BE_OPENED' })
  })

  test('may have 4 KiB, and is rejected with one character more', () => {
    const text = sealBundle(buildOtpText(clientHex))
    expect(openOtpBundle(text.padEnd(4096), target)).toEqual(expected)
    expect(openOtpBundle(text.padEnd(4097), target)).toEqual({ failure: 'TOO_LARGE' })
  })

  const sealed = JSON.parse(sealBundle(buildOtpText(clientHex))) as {
    encappedPublic: string
    ciphertext: string
  }
  test.each([
    ['empty', ''],
    ['not JSON', 'bundle'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['no property', '{}'],
    ['one property', JSON.stringify({ encappedPublic: sealed.encappedPublic })],
    ['an unknown property', JSON.stringify({ ...sealed, version: '1' })],
    ['__proto__', `{"__proto__":{"encappedPublic":"${sealed.encappedPublic}"},"ciphertext":"00"}`],
    ['a duplicate property', JSON.stringify(sealed).replace('{', '{"ciphertext":"00",')],
    ['a number', JSON.stringify({ ...sealed, ciphertext: 12 })],
    ['compressed enc', JSON.stringify({ ...sealed, encappedPublic: client.publicKey.compressedHex })],
    ['enc off the curve', JSON.stringify({ ...sealed, encappedPublic: `04${'11'.repeat(64)}` })],
    ['hybrid enc', JSON.stringify({ ...sealed, encappedPublic: `06${sealed.encappedPublic.slice(2)}` })],
    ['odd hex', JSON.stringify({ ...sealed, ciphertext: sealed.ciphertext.slice(1) })],
    ['characters after the hex', JSON.stringify({ ...sealed, ciphertext: `${sealed.ciphertext}zz` })],
    ['no ciphertext', JSON.stringify({ ...sealed, ciphertext: '' })],
  ])('is malformed: %s', (_description, text) => {
    expect(openOtpBundle(text, target)).toEqual({ failure: 'MALFORMED' })
  })

  test('does not open if the ciphertext is shorter than its tag', () => {
    const text = JSON.stringify({ ...sealed, ciphertext: '00'.repeat(15) })
    expect(openOtpBundle(text, target)).toEqual({ failure: 'CANNOT_BE_OPENED' })
  })

  test.each([
    ['not JSON', 'otp'],
    ['no key', '{"otp_code":"000000"}'],
    ['a number as code', `{"otp_code":0,"public_key":"${clientHex}"}`],
    ['a code twice', `{"otp_code":"1","otp_code":"000000","public_key":"${clientHex}"}`],
    ['key off the curve', buildOtpText(`04${'11'.repeat(64)}`)],
    ['hybrid key', buildOtpText(`07${clientHex.slice(2)}`)],
    ['a key cut short', buildOtpText(clientHex.slice(0, -2))],
    ['nothing', ''],
  ])('is rejected if its sealed content is malformed: %s', (_description, plaintext) => {
    expect(openOtpBundle(sealBundle(plaintext), target)).toEqual({ failure: 'CONTENT_MALFORMED' })
  })

  test('is rejected if its sealed content is not UTF-8', () => {
    const plaintext = Buffer.concat([
      Buffer.from('{"otp_code":"'),
      Buffer.of(0xff),
      Buffer.from(`","public_key":"${clientHex}"}`),
    ])
    const { enc, ciphertext } = seal({ recipientPublicKey: target.publicKey, plaintext })
    const [encappedPublic, hex] = [enc, ciphertext].map((bytes) => Buffer.from(bytes).toString('hex'))
    const text = JSON.stringify({ encappedPublic, ciphertext: hex })
    expect(openOtpBundle(text, target)).toEqual({ failure: 'CONTENT_MALFORMED' })
  })

  test('is not found in arbitrary text or JSON, and nothing is thrown', () => {
    const hostile = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.json(),
    )
    fc.assert(fc.property(hostile, (text) => 'failure' in openOtpBundle(text, target)))
  })
})

test('the OTP target bundle is signed and names the target, the wallet and its holder', () => {
  const text = makeOtpTargetBundle(
    { targetPublicKey: target.publicKey, organizationId: 'org-1', userId: 'user-1' },
    quorumKey,
  )
  expect(verifyEnvelope(text, pinned)).toEqual({
    data: { targetPublic: target.publicKey.uncompressedHex, organizationId: 'org-1', userId: 'user-1' },
  })
})

describe('a sealed session signing key', () => {
  test('opens with the client key, and has 33 ‖ 32 ‖ 16 bytes and a checksum in about 116 characters', () => {
    for (let round = 0; round < 20; round += 1) {
      const session = generateKeyPair()
      const text = sealSessionKey(session.privateKey, round % 2 ? clientHex : clientHex.toUpperCase())
      expect(text).toMatch(/^[1-9A-HJ-NP-Za-km-z]{114,118}$/)
      const bytes = base58check.decode(text)
      expect(bytes.length).toBe(81)
      const enc = parsePublicKeyBytes(bytes.subarray(0, 33))!.bytes
      const ciphertext = bytes.subarray(33)
      expect(open({ privateKey: client, enc, ciphertext })).toEqual(Buffer.from(session.privateKey))
      expect(open({ privateKey: session, enc, ciphertext })).toBeUndefined()
    }
  })

  test('cannot be created with an invalid client key or scalar', () => {
    const scalar = generateKeyPair().privateKey
    for (const bad of ['', client.publicKey.compressedHex, `04${'11'.repeat(64)}`]) {
      expect(() => sealSessionKey(scalar, bad)).toThrow(TypeError)
    }
    expect(() => sealSessionKey(new Uint8Array(32), clientHex)).toThrow(RangeError)
    expect(() => sealSessionKey(scalar.subarray(1), clientHex)).toThrow(RangeError)
  })
})

describe('a wallet export', () => {
  const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

  test('is signed and names the wallet, and its mnemonic opens with the client key', () => {
    const wallet = { mnemonic, clientPublicKeyHex: clientHex, organizationId: 'org-1' }
    const verified = verifyEnvelope(sealWalletExport(wallet, quorumKey), pinned)
    const data = 'data' in verified ? verified.data : {}
    expect(Object.keys(data)).toEqual(['encappedPublic', 'ciphertext', 'organizationId'])
    expect(data.organizationId).toBe('org-1')
    expect(data.encappedPublic).toMatch(/^04[0-9a-f]{128}$/)
    const [enc, ciphertext] = [data.encappedPublic, data.ciphertext].map((text) =>
      Buffer.from(String(text), 'hex'),
    )
    const opened = open({ privateKey: client, enc: enc!, ciphertext: ciphertext! })
    expect(Buffer.from(opened!).toString('ascii')).toBe(mnemonic)
  })

  test('cannot be created with a mnemonic that is not English words, or with an invalid key', () => {
    for (const bad of ['', 'ábaco abdomen', 'legal  winner', 'legal winner\n']) {
      const wallet = { mnemonic: bad, clientPublicKeyHex: clientHex, organizationId: 'org-1' }
      expect(() => sealWalletExport(wallet, quorumKey)).toThrow(TypeError)
    }
    const wallet = { mnemonic, clientPublicKeyHex: '04', organizationId: 'org-1' }
    expect(() => sealWalletExport(wallet, quorumKey)).toThrow(TypeError)
  })
})
