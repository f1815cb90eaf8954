import { describe, expect, test } from 'vitest'
import { verifyEnvelope } from '../../../src/base/crypto/envelope.ts'
import { verifyOtpToken } from '../../../src/base/crypto/otp/token.ts'
import { generateKeyPair, parsePublicKey } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  type Client,
  findCredentialId,
  newCustomer,
  newPlatform,
  sealCode,
  signIn,
} from '../../worlds/client.testing.ts'

async function requestChallenge(client?: Client) {
  const platform = client ?? (await newPlatform())
  const customer = await newCustomer(platform)
  const credential = await findCredentialId(platform, customer.wallet)
  const reply = await platform.post(`/auth/credentials/${credential}/challenge`)
  return {
    client: platform,
    customer,
    credential,
    bundle: reply.body.otpEncryptionTargetBundle as string,
    reply,
  }
}

const verify = (client: Client, credential: string, encryptedOtpBundle: string, headers = {}) =>
  client.post(`/auth/credentials/${credential}/verify`, { type: 'EMAIL_OTP', encryptedOtpBundle }, headers)

const refusedCode = {
  status: 401,
  code: 'UNAUTHORIZED',
  reason: 'Invalid OTP code',
  details: { reason: 'Invalid OTP code', code: 'INVALID_OTP_CODE' },
}

describe('when signing in with an e-mail code', () => {
  test('a challenge returns the credential and a bundle signed by the quorum key, bound to wallet and holder', async () => {
    const { customer, credential, reply, bundle } = await requestChallenge()
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      id: credential,
      accountId: customer.wallet,
      type: 'EMAIL_OTP',
      nickname: customer.email,
    })
    const envelope = verifyEnvelope(bundle, JSON.parse(bundle).enclaveQuorumPublic)
    expect(envelope).toMatchObject({ data: { organizationId: customer.wallet, userId: customer.id } })
    expect((envelope as { data: { targetPublic: string } }).data.targetPublic).toMatch(/^04[0-9a-f]{128}$/)
  })

  test.each(['compressedHex', 'uncompressedHex'] as const)(
    'the sealed key can be %s, and both legs together issue a session',
    async (form) => {
      const { client, customer, credential, bundle } = await requestChallenge()
      const keys = generateKeyPair()
      const sealed = sealCode(bundle, keys, '000000', form)
      const firstLeg = await verify(client, credential, sealed)
      expect(firstLeg.status).toBe(202)
      expect(firstLeg.body).toMatchObject({
        type: 'EMAIL_OTP',
        requestId: expect.stringMatching(/^Request:[0-9a-f-]{36}$/),
      })
      const quorum = parsePublicKey(JSON.parse(bundle).enclaveQuorumPublic)!
      expect(
        verifyOtpToken(firstLeg.body.payloadToSign, quorum, Date.parse(firstLeg.body.expiresAt) - 1),
      ).toMatchObject({
        claims: {
          verificationType: 'EMAIL_OTP',
          contact: customer.email,
          organizationId: customer.wallet,
          publicKey: keys.publicKey.compressedHex,
        },
      })
      const secondLeg = await verify(client, credential, sealed, {
        'Svc-Wallet-Signature': makeStamp(keys, firstLeg.body.payloadToSign),
        'Request-Id': firstLeg.body.requestId,
      })
      expect(secondLeg.status).toBe(200)
      expect(secondLeg.body).toMatchObject({
        accountId: customer.wallet,
        type: 'EMAIL_OTP',
        nickname: customer.email,
      })
      expect(secondLeg.body).not.toHaveProperty('encryptedSessionSigningKey')
      const listed = await client.get(`/auth/sessions?accountId=${customer.wallet}`)
      expect(listed.body.data.map((session: { id: string }) => session.id)).toEqual([secondLeg.body.id])
    },
  )

  test('a wrong code is refused with its reason, and a used or replaced one too', async () => {
    const { client, customer, credential, bundle } = await requestChallenge()
    const wrongReply = await verify(client, credential, sealCode(bundle, generateKeyPair(), '000001'))
    expect(wrongReply.body).toMatchObject({
      ...refusedCode,
      message: expect.stringContaining('code is wrong'),
    })
    await signIn(client, customer.wallet)
    const replaced = await verify(client, credential, sealCode(bundle, generateKeyPair()))
    expect(replaced.body).toMatchObject(refusedCode)
  })

  test('a challenge for a code ignores a key of the client, even an invalid one', async () => {
    const { client, credential } = await requestChallenge()
    for (const clientPublicKey of ['not a key', null, { x: [1] }, '04'.repeat(500)])
      expect(
        (await client.post(`/auth/credentials/${credential}/challenge`, { clientPublicKey })).status,
      ).toBe(200)
  })

  test('a new code replaces the previous one, also between the two legs', async () => {
    const { client, credential, bundle } = await requestChallenge()
    const keys = generateKeyPair()
    const sealed = sealCode(bundle, keys)
    const firstLeg = await verify(client, credential, sealed)
    await client.post(`/auth/credentials/${credential}/challenge`)
    const secondLeg = await verify(client, credential, sealed, {
      'Svc-Wallet-Signature': makeStamp(keys, firstLeg.body.payloadToSign),
      'Request-Id': firstLeg.body.requestId,
    })
    expect(secondLeg.body).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      reason: 'Code used or replaced',
    })
  })

  test('a code has five attempts, in turn or in parallel; the right code after them is refused', async () => {
    const { client, credential, bundle } = await requestChallenge()
    const attempts = await Promise.all(
      Array.from({ length: 5 }, () =>
        verify(client, credential, sealCode(bundle, generateKeyPair(), '123456')),
      ),
    )
    for (const { body } of attempts) expect(body).toMatchObject(refusedCode)
    expect((await verify(client, credential, sealCode(bundle, generateKeyPair()))).body).toMatchObject(
      refusedCode,
    )
  })

  test('one code issues one session, however often its first leg is repeated', async () => {
    const { client, customer, credential, bundle } = await requestChallenge()
    const firstLegs = await Promise.all(
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
    const replies = await Promise.all(
      firstLegs.map(({ sealed, headers }) => verify(client, credential, sealed, headers)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
  })

  test('a code is valid for five minutes, to the second', async () => {
    const [early, late] = [await requestChallenge(), await requestChallenge()]
    await Promise.all([early.client.advance(298), late.client.advance(301)])
    const inTime = await verify(early.client, early.credential, sealCode(early.bundle, generateKeyPair()))
    expect(inTime.status).toBe(202)
    const tooLate = await verify(late.client, late.credential, sealCode(late.bundle, generateKeyPair()))
    expect(tooLate.body).toMatchObject(refusedCode)
  })

  test('a session ends after fifteen minutes', async () => {
    const { client, customer } = await requestChallenge()
    await signIn(client, customer.wallet)
    await client.advance(14 * 60)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
    await client.advance(61)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toEqual([])
  })

  test('the sixth challenge within ten minutes waits for the time in Retry-After', async () => {
    const { client, credential } = await requestChallenge()
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
    const challenge = await requestChallenge()
    const otherChallenge = await requestChallenge(challenge.client)
    const keys = generateKeyPair()
    const sealed = sealCode(challenge.bundle, keys)
    expect((await verify(challenge.client, otherChallenge.credential, sealed)).body).toMatchObject(
      refusedCode,
    )
    const firstLeg = await verify(challenge.client, challenge.credential, sealed)
    const headers = {
      'Svc-Wallet-Signature': makeStamp(keys, firstLeg.body.payloadToSign),
      'Request-Id': firstLeg.body.requestId,
    }
    const mismatch = await verify(challenge.client, otherChallenge.credential, sealed, headers)
    expect(mismatch.body).toMatchObject({ status: 401, code: 'WALLET_SIGNATURE_BODY_MISMATCH' })
    const strangerHeaders = {
      ...headers,
      'Svc-Wallet-Signature': makeStamp(generateKeyPair(), firstLeg.body.payloadToSign),
    }
    const forged = await verify(challenge.client, challenge.credential, sealed, strangerHeaders)
    expect(forged.body).toMatchObject({ status: 401, code: 'WALLET_SIGNATURE_INVALID' })
  })

  test('a sealed code gets the same refusal whichever bit is flipped', async () => {
    const { client, credential, bundle } = await requestChallenge()
    const sealed = sealCode(bundle, generateKeyPair())
    // A code allows five attempts, so only five bits are flipped here. The crypto tests flip every bit.
    const positions = [2, 40, Math.floor(sealed.length / 2), sealed.length - 40, sealed.length - 3]
    const replies = await Promise.all(
      positions.map((position) => {
        const flipped = String.fromCharCode(sealed.charCodeAt(position) ^ 1)
        return verify(client, credential, sealed.slice(0, position) + flipped + sealed.slice(position + 1))
      }),
    )
    const [first, ...otherBodies] = replies.map(({ body }) => body)
    expect(first).toMatchObject(refusedCode)
    for (const body of otherBodies) expect(body).toEqual(first)
  })
})
