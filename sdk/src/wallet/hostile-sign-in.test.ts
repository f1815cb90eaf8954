import { makeOtpTargetBundle } from '@countersign/server/base/crypto/otp/bundle'
import { signOtpToken } from '@countersign/server/base/crypto/otp/token'
import { generateKeyPair, type KeyPair } from '@countersign/server/base/crypto/p256'
import { toJson } from '@countersign/server/base/json/json'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../client/calls.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import { systemClock } from '../time/system-clock.ts'
import { DeviceKey } from './device-key.ts'
import { ACCOUNT, hashCanonical, hashChallenge, inMinutes, issue } from './hostile-backend.testing.ts'
import type { PasskeyAuthenticator } from './passkey-authenticator.ts'
import { RecipientKey } from './recipient-key.ts'
import { Wallet } from './wallet.ts'

const quorumKey = generateKeyPair()
const quorumPublicKey = quorumKey.publicKey.uncompressedHex
const ID = 'AuthMethod:p'

type Members = Readonly<Record<string, unknown>>

describe('a sign-in by passkey', () => {
  /** The server's response to a challenge, possibly changed by a backend. */
  function buildResponse(clientPublicKey: unknown, change: Members, beside: Members = {}) {
    const payload = {
      operation: 'credential_verify',
      summary: 'Sign in to this wallet',
      credential: { id: ID, type: 'PASSKEY', nickname: 'Phone', credentialId: 'raw' },
      clientPublicKey,
      account: ACCOUNT,
      target: `POST /auth/credentials/${ID}/verify`,
      bodySha256: hashCanonical(undefined),
      requestId: 'Request:r',
      expiresAt: inMinutes(5),
      ...change,
    }
    const payloadToSign = toJson(payload)
    const { requestId, expiresAt } = payload
    const challenge = hashChallenge(payloadToSign)
    return { type: 'PASSKEY', credentialId: 'raw', challenge, payloadToSign, requestId, expiresAt, ...beside }
  }

  async function signIn(change: Members, beside: Members = {}) {
    const challenges: string[] = []
    const caller = {
      call: async (name: string, { body }: { body: Members }) => {
        if (name !== 'credential_challenge') throw new Error(`${name} was called`)
        return { status: 200, body: buildResponse(body.clientPublicKey, change, beside) }
      },
    } as unknown as Caller
    const authenticator = {
      get: async ({ challenge }: { challenge: string }) => {
        challenges.push(Buffer.from(challenge, 'base64url').toString())
        throw new Error('asked')
      },
    } as unknown as PasskeyAuthenticator
    const wallet = new Wallet(caller, ACCOUNT, { quorumPublicKey, authenticator })
    const error = await wallet.passkey.signIn({ credentialId: ID }).catch((error: unknown) => error)
    return { error, asked: challenges }
  }

  const OTHER_KEY = `04${'22'.repeat(64)}`

  test('passes the hash of the payload to the authenticator', async () => {
    const { error, asked: challenges } = await signIn({})
    expect(error).toMatchObject({ message: 'asked' })
    expect(challenges).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  })

  test.each<[string, Members, Members]>([
    ['clientPublicKey', { clientPublicKey: OTHER_KEY }, {}],
    ['account', { account: 'InternalAccount:b' }, {}],
    ['target', { target: 'POST /auth/credentials/AuthMethod:o/verify' }, {}],
    ['bodySha256', { bodySha256: hashCanonical({}) }, {}],
    ['requestId', {}, { requestId: 'Request:other' }],
    ['expiresAt', {}, { expiresAt: inMinutes(4) }],
    ['expiresAt', { expiresAt: inMinutes(-1) }, {}],
    ['challenge', {}, { challenge: hashChallenge("another wallet's payload") }],
    ['alsoPays', { alsoPays: 'Quote:evil' }, {}],
    [
      'operation',
      { ...issue('quote_execute', {}).payload, credential: undefined, clientPublicKey: undefined },
      {},
    ],
  ])("does not ask the authenticator where %s is another one's", async (member, change, beside) => {
    const { error, asked: challenges } = await signIn(change, beside)
    expect(error).toBeInstanceOf(PayloadMismatchError)
    expect(error).toMatchObject({ member })
    expect(challenges).toEqual([])
  })

  test('is also checked if a backend forwards the payload', async () => {
    const key = await RecipientKey.generate()
    const expected = { accountId: ACCOUNT, id: ID }
    const { payloadToSign, challenge } = buildResponse(key.clientPublicKey, {})
    expect(await key.passkeyChallenge(payloadToSign, expected)).toBe(challenge)
    const stolen = buildResponse(OTHER_KEY, {}).payloadToSign
    const refused = { name: 'PayloadMismatchError', member: 'clientPublicKey' }
    await expect(key.passkeyChallenge(stolen, expected)).rejects.toMatchObject(refused)
  })
})

describe('a sign-in by code', () => {
  const makeToken = (publicKey: string, change: object = {}, by: KeyPair = quorumKey) =>
    signOtpToken(
      {
        id: 'challenge',
        verificationType: 'EMAIL_OTP',
        contact: 'ada@example.com',
        organizationId: ACCOUNT,
        publicKey,
        expiresAtMs: systemClock() + 300_000,
        ...change,
      },
      by,
    )
  const expected = { accountId: ACCOUNT, quorumPublicKey, type: 'EMAIL_OTP' } as const

  test("stamps the enclave's token only for its own key and wallet", async () => {
    const key = await DeviceKey.generate()
    expect(await key.approveSignIn(makeToken(key.publicKey), expected)).toMatch(/^[\w-]{100,}$/)
  })

  const other = generateKeyPair()
  test.each<[string, (publicKey: string) => string]>([
    ['public_key', () => makeToken(other.publicKey.compressedHex)],
    ['organization_id', (key) => makeToken(key, { organizationId: 'InternalAccount:b' })],
    ['verification_type', (key) => makeToken(key, { verificationType: 'SMS_OTP' })],
    ['exp', (key) => makeToken(key, { expiresAtMs: systemClock() - 1 })],
    ['payloadToSign', (key) => makeToken(key, {}, other)],
    ['payloadToSign', (key) => `${makeToken(key)}.`],
    ['payloadToSign', (key) => `${makeToken(key)}=`],
    [
      'payloadToSign',
      (key) => makeToken(key).replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url')),
    ],
    ['payloadToSign', () => toJson(issue('quote_execute', {}).payload)],
    ['payloadToSign', () => ''],
  ])('stamps nothing where %s differs', async (member, payload) => {
    const key = await DeviceKey.generate()
    const refused = key.approveSignIn(payload(key.publicKey), expected)
    await expect(refused).rejects.toMatchObject({ name: 'PayloadMismatchError', member })
  })

  test('does not stamp the payload of a quote or seal the code for another wallet', async () => {
    const calls: Members[] = []
    const makeBundle = (organizationId: string) =>
      makeOtpTargetBundle(
        { targetPublicKey: generateKeyPair().publicKey, organizationId, userId: 'Customer:c' },
        quorumKey,
      )
    const caller = {
      call: async (_: string, input: Members) => {
        calls.push(input)
        const { payload, ...beside } = issue('quote_execute', {})
        return { status: 202, body: { type: 'EMAIL_OTP', payloadToSign: toJson(payload), ...beside } }
      },
    } as unknown as Caller
    const { email } = new Wallet(caller, ACCOUNT, { quorumPublicKey })
    const signIn = (organizationId: string) =>
      email.signIn({ code: '1', credentialId: ID, otpEncryptionTargetBundle: makeBundle(organizationId) })
    await expect(signIn(ACCOUNT)).rejects.toBeInstanceOf(PayloadMismatchError)
    expect(calls).toHaveLength(1)
    await expect(signIn('InternalAccount:b')).rejects.toMatchObject({ name: 'EnvelopeError' })
    expect(calls).toHaveLength(1)
  })
})
