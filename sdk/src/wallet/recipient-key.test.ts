import { signEnvelope } from '@countersign/server/base/crypto/envelope'
import { sealSessionKey, sealWalletExport } from '@countersign/server/base/crypto/otp/bundle'
import { generateKeyPair } from '@countersign/server/base/crypto/p256'
import { parseStamp, verifyStamp } from '@countersign/server/base/crypto/stamp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decompress } from '../crypto/curve.ts'
import { EnvelopeError } from '../crypto/envelope.ts'
import { SealedKeyError } from '../crypto/session-key.ts'
import { RecipientKey } from './recipient-key.ts'

describe('a session key that the server sealed', () => {
  test("opens to the server's key, which cannot be exported", async () => {
    const forms = new Set<string>()
    for (let i = 0; i < 16; i++) {
      const { privateKey, publicKey } = generateKeyPair()
      const recipient = await RecipientKey.generate()
      const key = await recipient.openSessionKey(sealSessionKey(privateKey, recipient.clientPublicKey))
      expect(key.publicKey).toBe(publicKey.compressedHex)
      forms.add(key.publicKey.slice(0, 2))
      expect(key.keyPair.privateKey.extractable).toBe(false)
      await expect(crypto.subtle.exportKey('jwk', key.keyPair.privateKey)).rejects.toThrow()
      const stamp = parseStamp(await key.sign('payload'))!
      expect(stamp.publicKey).toBe(publicKey.compressedHex)
      expect(verifyStamp(stamp, 'payload')).toBe(true)
    }
    expect([...forms].sort()).toEqual(['02', '03'])
  })

  test('does not open with a different key or after any change', async () => {
    const [mine, other] = [await RecipientKey.generate(), await RecipientKey.generate()]
    const sealed = sealSessionKey(generateKeyPair().privateKey, mine.clientPublicKey)
    await expect(other.openSessionKey(sealed)).rejects.toThrow(SealedKeyError)
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = sealed.slice(0, at) + (sealed[at] === '2' ? '3' : '2') + sealed.slice(at + 1)
      await expect(mine.openSessionKey(changed)).rejects.toThrow(SealedKeyError)
    }
  })

  test('is distinguished from any other string', async () => {
    const recipient = await RecipientKey.generate()
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        await expect(recipient.openSessionKey(text)).rejects.toThrow(SealedKeyError)
      }),
      { numRuns: 30 },
    )
  })
})

test('a compressed point decompresses to the same point as in node:crypto', () => {
  for (let i = 0; i < 32; i++) {
    const { publicKey } = generateKeyPair()
    const found = decompress(Buffer.from(publicKey.compressedHex, 'hex'))!
    expect(Buffer.from(found).toString('hex')).toBe(publicKey.uncompressedHex)
  }
  // No point of the curve has x = 1; x = p is not a number modulo p.
  const notOnCurve = [
    `02${'1'.padStart(64, '0')}`,
    `02ffffffff00000001${'0'.repeat(24)}${'f'.repeat(24)}`,
    '04',
  ]
  for (const hex of notOnCurve) expect(decompress(Buffer.from(hex, 'hex'))).toBeUndefined()
})

test('the nonce is the hash of the hex characters, not of the bytes they encode', async () => {
  const { createHash } = await import('node:crypto')
  const key = await RecipientKey.generate()
  expect(key.clientPublicKey).toMatch(/^04[0-9a-f]{128}$/)
  expect(await key.nonce()).toBe(createHash('sha256').update(key.clientPublicKey).digest('hex'))
})

describe('an exported wallet', () => {
  const quorumKey = generateKeyPair()
  const quorumPublicKey = quorumKey.publicKey.uncompressedHex
  const accountId = 'InternalAccount:1'
  const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  const seal = (recipient: RecipientKey, organizationId = accountId) =>
    sealWalletExport({ mnemonic, clientPublicKeyHex: recipient.clientPublicKey, organizationId }, quorumKey)

  test('opens to its recovery phrase', async () => {
    const recipient = await RecipientKey.generate()
    expect(await recipient.openWallet(seal(recipient), { quorumPublicKey, accountId })).toBe(mnemonic)
  })

  test('is rejected from another enclave, for another wallet or sealed to another key', async () => {
    const [mine, other] = [await RecipientKey.generate(), await RecipientKey.generate()]
    const expected = { quorumPublicKey, accountId }
    const expectRefusal = async (text: string, as = expected) =>
      expect(mine.openWallet(text, as)).rejects.toThrow(EnvelopeError)
    const elsewhere = generateKeyPair().publicKey.uncompressedHex
    await expectRefusal(seal(mine), { quorumPublicKey: elsewhere, accountId })
    await expectRefusal(seal(mine, 'InternalAccount:2'))
    await expectRefusal(seal(other))
    await expectRefusal(signEnvelope({ organizationId: accountId }, quorumKey))
    await expectRefusal('{}')
  })
})
