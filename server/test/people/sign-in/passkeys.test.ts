import { describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { findCredentialId, sendSigned } from '../../worlds/client.testing.ts'
import {
  Authenticator,
  addWalletPasskey,
  passkeyChallenge,
  passkeySignIn,
  signedIn,
  verifyPasskey,
} from '../../worlds/records/members.testing.ts'

describe('signing in with a passkey', () => {
  test('returns a session whose key is sealed to the device and can sign', async () => {
    const { client, customer, session } = await signedIn()
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const passkeySession = await passkeySignIn(client, id, authenticator)
    const listed = (await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data
    expect(listed.find((one: { id: string }) => one.id === passkeySession.sessionId)).toMatchObject({
      type: 'PASSKEY',
      credentialId: authenticator.credentialId,
    })
    const path = `/internal-accounts/${customer.wallet}`
    expect((await sendSigned(client, passkeySession, 'PATCH', path, { privateEnabled: true })).status).toBe(
      200,
    )
  })

  test('works once per challenge, for its own credential, within five minutes', async () => {
    const { client, customer, session } = await signedIn()
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const second = await addWalletPasskey(client, customer.wallet, session)
    const { challenge } = await passkeyChallenge(client, id)
    const assertion = authenticator.assert(challenge.challenge)
    const otherReply = await verifyPasskey(client, second.id, challenge.requestId, assertion)
    expect(otherReply.body).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => verifyPasskey(client, id, challenge.requestId, assertion)),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of replies)
      if (status !== 200) expect([body.status, body.code]).toEqual([401, 'UNAUTHORIZED'])
    const lateAttempt = await passkeyChallenge(client, id)
    await client.advance(301)
    const expired = await verifyPasskey(
      client,
      id,
      lateAttempt.challenge.requestId,
      authenticator.assert(lateAttempt.challenge.challenge),
    )
    expect(expired.body).toMatchObject({ status: 401, reason: 'Request expired' })
  })

  test('accepts a passkey that did not verify its user, unless the platform requires that', async () => {
    const { client, customer, session } = await signedIn()
    expect((await client.get('/config')).body.passkeyConfig.userVerification).toBe('preferred')
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const attempt = async () => {
      const { challenge } = await passkeyChallenge(client, id)
      const assertion = authenticator.assert(challenge.challenge, { userVerified: false })
      return (await verifyPasskey(client, id, challenge.requestId, assertion)).body
    }
    expect(await attempt()).toMatchObject({ type: 'PASSKEY' })
    const { body } = await client.send('PATCH', '/config', {
      passkeyConfig: { userVerification: 'required' },
    })
    expect(body.passkeyConfig).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(await attempt()).toMatchObject({
      status: 401,
      reason: 'Passkey user was not verified',
      message: 'The passkey was refused: Passkey user was not verified.',
    })
  })

  test('limits unfinished challenges to five, with Retry-After; finished ones do not count', async () => {
    const { client, customer, session } = await signedIn()
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    await passkeySignIn(client, id, authenticator)
    await passkeySignIn(client, id, authenticator)
    const { publicKey } = generateKeyPair()
    const requestChallenge = () =>
      client.post(`/auth/credentials/${id}/challenge`, { clientPublicKey: publicKey.uncompressedHex })
    const replies = await Promise.all(Array.from({ length: 9 }, requestChallenge))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    const limited = replies.find(({ status }) => status === 429)!
    expect(limited.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    const wait = Number(limited.headers.get('Retry-After'))
    expect(wait).toBeGreaterThan(500)
    await client.advance(wait + 1)
    expect((await requestChallenge()).status).toBe(200)
  })

  test('refuses an assertion from another key, or whose counter does not grow', async () => {
    const { client, customer, session } = await signedIn()
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const attempt = async (assertion: (challenge: string) => unknown) => {
      const { challenge } = await passkeyChallenge(client, id)
      return (await verifyPasskey(client, id, challenge.requestId, assertion(challenge.challenge))).body
    }
    const refusal = { status: 401, code: 'UNAUTHORIZED', reason: expect.any(String) }
    expect(
      await attempt((c) => ({ ...new Authenticator().assert(c), credentialId: authenticator.credentialId })),
    ).toMatchObject(refusal)
    const { counter } = authenticator
    expect(await attempt((c) => authenticator.assert(c))).toMatchObject({ type: 'PASSKEY' })
    expect(await attempt((c) => authenticator.assert(c, { counter: counter + 1 }))).toMatchObject({
      ...refusal,
      reason: expect.stringContaining('counter'),
    })
  })

  test('needs a client key, and the Request-Id of its challenge', async () => {
    const { client, customer, session } = await signedIn()
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    expect((await client.post(`/auth/credentials/${id}/challenge`)).body).toMatchObject({
      status: 400,
      details: { field: 'clientPublicKey' },
    })
    for (const clientPublicKey of [null, 4, {}, '', '04', '04'.padEnd(130, 'g'), '04'.padEnd(130, '0')])
      expect(
        (await client.post(`/auth/credentials/${id}/challenge`, { clientPublicKey })).body,
      ).toMatchObject({
        code: 'INVALID_INPUT',
        details: { field: 'clientPublicKey' },
      })
    const body = { type: 'PASSKEY', assertion: authenticator.assert('00') }
    expect((await client.post(`/auth/credentials/${id}/verify`, body)).body.code).toBe('REQUEST_ID_MISSING')
    const email = await findCredentialId(client, customer.wallet)
    expect((await client.post(`/auth/credentials/${email}/verify`, body)).body).toMatchObject({
      status: 400,
      details: { field: 'type' },
    })
  })

  test('accepts the legacy signature in the sandbox', async () => {
    const { client, customer, session } = await signedIn()
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const { challenge } = await passkeyChallenge(client, id)
    const assertion = { ...authenticator.assert('anything'), signature: 'sandbox-valid-passkey-signature' }
    expect((await verifyPasskey(client, id, challenge.requestId, assertion)).status).toBe(200)
  })
})
