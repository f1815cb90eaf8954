import { describe, expect, test } from 'vitest'
import { verifyEnvelope } from '../../../src/base/crypto/envelope.ts'
import { verifyOtpToken } from '../../../src/base/crypto/otp/token.ts'
import { generateKeyPair, parsePublicKey } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  type Client,
  credentialOf,
  newCustomer,
  newPlatform,
  sealCode,
  signIn,
} from '../../worlds/client.testing.ts'

async function challenged(client?: Client) {
  const on = client ?? (await newPlatform())
  const customer = await newCustomer(on)
  const credential = await credentialOf(on, customer.wallet)
  const reply = await on.post(`/auth/credentials/${credential}/challenge`)
  return { client: on, customer, credential, bundle: reply.body.otpEncryptionTargetBundle as string, reply }
}

const verify = (client: Client, credential: string, encryptedOtpBundle: string, headers = {}) =>
  client.post(`/auth/credentials/${credential}/verify`, { type: 'EMAIL_OTP', encryptedOtpBundle }, headers)

const refusedCode = {
  status: 401,
  code: 'UNAUTHORIZED',
  reason: 'Invalid OTP code',
  details: { reason: 'Invalid OTP code', code: 'INVALID_OTP_CODE' },
}

describe('signing in with an e-mail code', () => {
  test('a challenge gives the credential and a bundle signed by the quorum key, bound to wallet and holder', async () => {
    const { customer, credential, reply, bundle } = await challenged()
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      id: credential,
      accountId: customer.wallet,
      type: 'EMAIL_OTP',
      nickname: customer.email,
    })
    const opened = verifyEnvelope(bundle, JSON.parse(bundle).enclaveQuorumPublic)
    expect(opened).toMatchObject({ data: { organizationId: customer.wallet, userId: customer.id } })
    expect((opened as { data: { targetPublic: string } }).data.targetPublic).toMatch(/^04[0-9a-f]{128}$/)
  })

  test.each(['compressedHex', 'uncompressedHex'] as const)(
    'takes the sealed key %s; both legs issue a session',
    async (form) => {
      const { client, customer, credential, bundle } = await challenged()
      const keys = generateKeyPair()
      const sealed = sealCode(bundle, keys, '000000', form)
      const first = await verify(client, credential, sealed)
      expect(first.status).toBe(202)
      expect(first.body).toMatchObject({
        type: 'EMAIL_OTP',
        requestId: expect.stringMatching(/^Request:[0-9a-f-]{36}$/),
      })
      const quorum = parsePublicKey(JSON.parse(bundle).enclaveQuorumPublic)!
      expect(
        verifyOtpToken(first.body.payloadToSign, quorum, Date.parse(first.body.expiresAt) - 1),
      ).toMatchObject({
        claims: {
          verificationType: 'EMAIL_OTP',
          contact: customer.email,
          organizationId: customer.wallet,
          publicKey: keys.publicKey.compressedHex,
        },
      })
      const second = await verify(client, credential, sealed, {
        'Svc-Wallet-Signature': makeStamp(keys, first.body.payloadToSign),
        'Request-Id': first.body.requestId,
      })
      expect(second.status).toBe(200)
      expect(second.body).toMatchObject({
        accountId: customer.wallet,
        type: 'EMAIL_OTP',
        nickname: customer.email,
      })
      expect(second.body).not.toHaveProperty('encryptedSessionSigningKey')
      const listed = await client.get(`/auth/sessions?accountId=${customer.wallet}`)
      expect(listed.body.data.map((session: { id: string }) => session.id)).toEqual([second.body.id])
    },
  )

  test('a wrong code is refused with its reason, and a used or replaced one too', async () => {
    const { client, customer, credential, bundle } = await challenged()
    const wrong = await verify(client, credential, sealCode(bundle, generateKeyPair(), '000001'))
    expect(wrong.body).toMatchObject({ ...refusedCode, message: expect.stringContaining('code is wrong') })
    await signIn(client, customer.wallet)
    const replaced = await verify(client, credential, sealCode(bundle, generateKeyPair()))
    expect(replaced.body).toMatchObject(refusedCode)
  })

  test('a challenge for a code ignores a key of the client, even an invalid one', async () => {
    const { client, credential } = await challenged()
    for (const clientPublicKey of ['not a key', null, { x: [1] }, '04'.repeat(500)])
      expect(
        (await client.post(`/auth/credentials/${credential}/challenge`, { clientPublicKey })).status,
      ).toBe(200)
  })

  test('a new code replaces the previous one, also between the two legs', async () => {
    const { client, credential, bundle } = await challenged()
    const keys = generateKeyPair()
    const sealed = sealCode(bundle, keys)
    const first = await verify(client, credential, sealed)
    await client.post(`/auth/credentials/${credential}/challenge`)
    const second = await verify(client, credential, sealed, {
      'Svc-Wallet-Signature': makeStamp(keys, first.body.payloadToSign),
      'Request-Id': first.body.requestId,
    })
    expect(second.body).toMatchObject({ status: 401, code: 'UNAUTHORIZED', reason: 'Code used or replaced' })
  })

  test('a code has five attempts, in turn or in parallel; the right code after them is refused', async () => {
    const { client, credential, bundle } = await challenged()
    const tries = await Promise.all(
      Array.from({ length: 5 }, () =>
        verify(client, credential, sealCode(bundle, generateKeyPair(), '123456')),
      ),
    )
    for (const { body } of tries) expect(body).toMatchObject(refusedCode)
    expect((await verify(client, credential, sealCode(bundle, generateKeyPair()))).body).toMatchObject(
      refusedCode,
    )
  })

  test('one code issues one session, however often its first leg is repeated', async () => {
    const { client, customer, credential, bundle } = await challenged()
    const legs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const keys = generateKeyPair()
        const sealed = sealCode(bundle, keys)
        const { body } = await verify(client, credential, sealed)
        return {
          sealed,
          headers: {
            'Svc-Wallet-Signature': makeStamp(keys, body.payloadToSign),
            'Request-Id': body.requestId,
          },
        }
      }),
    )
    const answers = await Promise.all(
      legs.map(({ sealed, headers }) => verify(client, credential, sealed, headers)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
  })

  test('a code is valid for five minutes, to the second', async () => {
    const [early, late] = [await challenged(), await challenged()]
    await Promise.all([early.client.advance(298), late.client.advance(301)])
    const inTime = await verify(early.client, early.credential, sealCode(early.bundle, generateKeyPair()))
    expect(inTime.status).toBe(202)
    const tooLate = await verify(late.client, late.credential, sealCode(late.bundle, generateKeyPair()))
    expect(tooLate.body).toMatchObject(refusedCode)
  })

  test('a session ends after fifteen minutes', async () => {
    const { client, customer } = await challenged()
    await signIn(client, customer.wallet)
    await client.advance(14 * 60)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
    await client.advance(61)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toEqual([])
  })

  test('the sixth challenge within ten minutes waits for the time in Retry-After', async () => {
    const { client, credential } = await challenged()
    const replies = await Promise.all(
      Array.from({ length: 9 }, () => client.post(`/auth/credentials/${credential}/challenge`)),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(4)
    const limited = replies.find(({ status }) => status === 429)!
    expect(limited.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    const wait = Number(limited.headers.get('Retry-After'))
    expect(wait).toBeGreaterThan(500)
    await client.advance(wait + 1)
    expect((await client.post(`/auth/credentials/${credential}/challenge`)).status).toBe(200)
  })

  test('a bundle, a request or a stamp of one credential is useless for another', async () => {
    const one = await challenged()
    const other = await challenged(one.client)
    const keys = generateKeyPair()
    const sealed = sealCode(one.bundle, keys)
    expect((await verify(one.client, other.credential, sealed)).body).toMatchObject(refusedCode)
    const first = await verify(one.client, one.credential, sealed)
    const headers = {
      'Svc-Wallet-Signature': makeStamp(keys, first.body.payloadToSign),
      'Request-Id': first.body.requestId,
    }
    const elsewhere = await verify(one.client, other.credential, sealed, headers)
    expect(elsewhere.body).toMatchObject({ status: 401, code: 'WALLET_SIGNATURE_BODY_MISMATCH' })
    const stranger = {
      ...headers,
      'Svc-Wallet-Signature': makeStamp(generateKeyPair(), first.body.payloadToSign),
    }
    const forged = await verify(one.client, one.credential, sealed, stranger)
    expect(forged.body).toMatchObject({ status: 401, code: 'WALLET_SIGNATURE_INVALID' })
  })

  test('every flipped bit of a sealed code gives the same refusal', async () => {
    const { client, credential, bundle } = await challenged()
    const sealed = sealCode(bundle, generateKeyPair())
    // A code has five attempts, so the flips are spread over the text here; the crypto tests flip every bit.
    const places = [2, 40, Math.floor(sealed.length / 2), sealed.length - 40, sealed.length - 3]
    const replies = await Promise.all(
      places.map((at) => {
        const flipped = String.fromCharCode(sealed.charCodeAt(at) ^ 1)
        return verify(client, credential, sealed.slice(0, at) + flipped + sealed.slice(at + 1))
      }),
    )
    const [first, ...rest] = replies.map(({ body }) => body)
    expect(first).toMatchObject(refusedCode)
    for (const body of rest) expect(body).toEqual(first)
  })
})
