import { createPublicKey, verify } from 'node:crypto'
import { signEnvelope } from '@countersign/server/base/crypto/envelope'
import { makeOtpTargetBundle, openOtpBundle } from '@countersign/server/base/crypto/otp/bundle'
import { generateKeyPair } from '@countersign/server/base/crypto/p256'
import { parseStamp, verifyStamp } from '@countersign/server/base/crypto/stamp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvelopeError, openEnvelope } from '../crypto/envelope.ts'
import { DeviceKey } from './device-key.ts'

const quorumKey = generateKeyPair()
const quorumPublicKey = quorumKey.publicKey.uncompressedHex
const names = { organizationId: 'InternalAccount:1', userId: 'Customer:1' }

function makeTarget() {
  const keyPair = generateKeyPair()
  return { keyPair, bundle: makeOtpTargetBundle({ targetPublicKey: keyPair.publicKey, ...names }, quorumKey) }
}

describe('a device key', () => {
  test('cannot be exported', async () => {
    const { keyPair } = await DeviceKey.generate()
    expect(keyPair.privateKey.extractable).toBe(false)
    await expect(crypto.subtle.exportKey('pkcs8', keyPair.privateKey)).rejects.toThrow()
    await expect(crypto.subtle.exportKey('jwk', keyPair.privateKey)).rejects.toThrow()
  })

  test('exports its public key in compressed form', async () => {
    const { publicKey, keyPair } = await DeviceKey.generate()
    const uncompressed = Buffer.from(await crypto.subtle.exportKey('raw', keyPair.publicKey))
    expect(publicKey).toMatch(/^0[23][0-9a-f]{64}$/)
    expect(publicKey.slice(2)).toBe(uncompressed.toString('hex', 1, 33))
    expect(publicKey.slice(0, 2)).toBe(uncompressed.at(-1)! % 2 === 1 ? '03' : '02')
  })

  test('makes a stamp over the exact text that the server verifies', async () => {
    const key = await DeviceKey.generate()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (payload) => {
        const stamp = parseStamp(await key.sign(payload))
        expect(stamp?.publicKey).toBe(key.publicKey)
        expect(verifyStamp(stamp!, payload)).toBe(true)
        expect(verifyStamp(stamp!, `${payload} `)).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test('makes stamps that node:crypto verifies', async () => {
    const key = await DeviceKey.generate()
    const stamp = JSON.parse(Buffer.from(await key.sign('payload'), 'base64url').toString('utf8'))
    const jwk = await crypto.subtle.exportKey('jwk', key.keyPair.publicKey)
    const publicKey = createPublicKey({ key: jwk as { kty: string }, format: 'jwk' })
    expect(verify('sha256', Buffer.from('payload'), publicKey, Buffer.from(stamp.signature, 'hex'))).toBe(
      true,
    )
    expect(stamp.scheme).toBe('SIGNATURE_SCHEME_TK_API_P256')
  })

  test('seals a code together with its public key, and the server opens both', async () => {
    const key = await DeviceKey.generate()
    for (const code of ['000000', '123456', 'AB12CD34E', 'ключ']) {
      const { keyPair, bundle } = makeTarget()
      const sealed = await key.sealCode(code, bundle, { quorumPublicKey })
      expect(JSON.parse(sealed)).toEqual({
        encappedPublic: expect.stringMatching(/^04[0-9a-f]{128}$/),
        ciphertext: expect.stringMatching(/^(?:[0-9a-f]{2})+$/),
      })
      expect(openOtpBundle(sealed, keyPair)).toEqual({ otpCode: code, publicKeyCompressedHex: key.publicKey })
    }
  })

  test('seals a code that no other key opens', async () => {
    const key = await DeviceKey.generate()
    const sealed = await key.sealCode('000000', makeTarget().bundle)
    expect(openOtpBundle(sealed, generateKeyPair())).toEqual({ failure: 'CANNOT_BE_OPENED' })
  })

  test('rejects a bundle that the pinned key did not sign', async () => {
    const key = await DeviceKey.generate()
    const other = generateKeyPair().publicKey.uncompressedHex
    await expect(key.sealCode('000000', makeTarget().bundle, { quorumPublicKey: other })).rejects.toThrow(
      EnvelopeError,
    )
  })

  test('rejects a bundle after any change', async () => {
    const key = await DeviceKey.generate()
    const { bundle } = makeTarget()
    const members = JSON.parse(bundle) as Record<string, string>
    for (const name of Object.keys(members))
      await fc.assert(
        fc.asyncProperty(fc.nat(), async (n) => {
          const value = members[name]!
          const at = n % value.length
          const changed = value[at] === '0' ? '1' : '0'
          const text = JSON.stringify({
            ...members,
            [name]: value.slice(0, at) + changed + value.slice(at + 1),
          })
          await expect(key.sealCode('000000', text)).rejects.toThrow(EnvelopeError)
        }),
        { numRuns: 20 },
      )
  })

  test.each(['', 'null', '[]', '{}', '"text"', '{"version":"v1.0.0"}'])(
    'refuses %j as a bundle',
    async (text) => {
      const key = await DeviceKey.generate()
      await expect(key.sealCode('000000', text)).rejects.toThrow(EnvelopeError)
    },
  )

  test('rejects an envelope without a key', async () => {
    const key = await DeviceKey.generate()
    await expect(key.sealCode('000000', signEnvelope(names, quorumKey))).rejects.toThrow(EnvelopeError)
    await expect(openEnvelope(signEnvelope(names, quorumKey))).resolves.toEqual(names)
  })
})
