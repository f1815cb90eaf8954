import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import {
  type Client,
  newCustomer,
  newPlatform,
  openSession,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'

const GOOGLE = 'https://accounts.google.com'

/** Builds a token for the sandbox, which does not check its signature (specification 5.5). */
function buildIdToken(claims: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = {
    iss: GOOGLE,
    aud: 'app',
    sub: 'user-1',
    iat: now,
    exp: now + 3600,
    jti: randomUUID(),
    ...claims,
  }
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(payload)}.c2ln`
}

const computeNonce = (clientPublicKey: string) => createHash('sha256').update(clientPublicKey).digest('hex')

async function registerCredential() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const session = await signIn(client, customer.wallet)
  const body = {
    type: 'OAUTH',
    accountId: customer.wallet,
    oidcToken: buildIdToken({ email: 'ada@example.com' }),
  }
  const reply = await sendSigned(client, session, 'POST', '/auth/credentials', body)
  expect(reply).toMatchObject({ status: 201, body: { type: 'OAUTH', nickname: 'ada@example.com' } })
  return { client, customer, session, id: reply.body.id as string, token: body.oidcToken }
}

async function verify(client: Client, id: string, claims: Record<string, unknown> = {}, token?: string) {
  const device = generateKeyPair()
  const clientPublicKey = device.publicKey.uncompressedHex
  const oidcToken = token ?? buildIdToken({ nonce: computeNonce(clientPublicKey), ...claims })
  const body = { type: 'OAUTH', oidcToken, clientPublicKey }
  return { device, body, reply: await client.post(`/auth/credentials/${id}/verify`, body) }
}

describe('signing in with an identity token', () => {
  test('takes one call and returns a session whose key is sealed to the device', async () => {
    const { client, customer, id } = await registerCredential()
    const { device, reply } = await verify(client, id)
    expect(reply.status).toBe(200)
    const walletSession = openSession(reply.body, device)
    const path = `/internal-accounts/${customer.wallet}`
    expect((await sendSigned(client, walletSession, 'PATCH', path, { privateEnabled: true })).status).toBe(
      200,
    )
  })

  test('needs a fresh token each time: bound to the key, of the same identity, used once', async () => {
    const { client, id } = await registerCredential()
    const firstUse = await verify(client, id)
    expect(firstUse.reply.status).toBe(200)
    const secondUse = await client.post(`/auth/credentials/${id}/verify`, firstUse.body)
    expect(secondUse.body).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      reason: 'ID token was used before',
    })
    const now = Math.floor(Date.now() / 1000)
    for (const [claims, reason] of [
      [{ nonce: 'other' }, 'nonce'],
      [{ sub: 'user-2' }, 'identity'],
      [{ aud: 'other-app' }, 'identity'],
      [{ iss: 'https://evil.example' }, 'issuer'],
      [{ aud: ['app', 'other'] }, 'audience'],
      [{ sub: '' }, 'subject'],
      [{ iat: now - 67 }, 'issued'],
      [{ iat: now + 60 }, 'issued'],
      [{ exp: now - 1 }, 'expired'],
      [{ nbf: now + 60 }, 'valid yet'],
    ] as const) {
      const { reply } = await verify(client, id, claims)
      expect(reply.body).toMatchObject({
        status: 401,
        code: 'UNAUTHORIZED',
        reason: expect.stringContaining(reason),
      })
    }
    expect((await verify(client, id, { aud: ['app'] })).reply.status).toBe(200)
  })

  test('compares the times of a token with real time, not with the sandbox clock', async () => {
    const { client, id } = await registerCredential()
    await client.advance(24 * 60 * 60)
    expect((await verify(client, id)).reply.status).toBe(200)
    const { now } = (await client.get('/sandbox/clock')).body
    const sandboxSeconds = Math.floor(Date.parse(now) / 1000)
    const { reply } = await verify(client, id, { iat: sandboxSeconds, exp: sandboxSeconds + 300 })
    expect(reply.body).toMatchObject({ status: 401, reason: expect.stringContaining('issued') })
  })

  test('refuses a string that is not a token with 400, and has no challenge', async () => {
    const { client, id } = await registerCredential()
    for (const token of ['', 'a.b', 'sandbox-valid-oidc-token', 'a.b.c', `${'a'.repeat(9000)}.b.c`]) {
      const { reply } = await verify(client, id, {}, token)
      expect(reply.body).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        details: { field: 'oidcToken' },
      })
    }
    expect((await client.post(`/auth/credentials/${id}/challenge`)).body).toMatchObject({ status: 400 })
  })

  test('allows one credential per identity, and refuses the token of its registration', async () => {
    const { client, customer, session, id, token } = await registerCredential()
    const body = { type: 'OAUTH', accountId: customer.wallet, oidcToken: buildIdToken() }
    expect((await sendSigned(client, session, 'POST', '/auth/credentials', body)).body).toMatchObject({
      status: 409,
      code: 'OAUTH_CREDENTIAL_ALREADY_EXISTS',
    })
    const secondIdentity = { ...body, oidcToken: buildIdToken({ sub: 'user-2' }) }
    expect((await sendSigned(client, session, 'POST', '/auth/credentials', secondIdentity)).status).toBe(201)
    expect((await verify(client, id, {}, token)).reply.body).toMatchObject({ status: 401 })
  })

  test("accepts only the platform's issuers", async () => {
    const { client, id } = await registerCredential()
    const oauthConfig = { issuers: [{ issuer: GOOGLE, audiences: ['another-app'] }] }
    expect((await client.send('PATCH', '/config', { oauthConfig })).body.oauthConfig).toEqual(oauthConfig)
    expect((await verify(client, id)).reply.body).toMatchObject({
      status: 401,
      reason: expect.stringContaining('audience'),
    })
  })

  test('succeeds once if a token is used twenty times in parallel', async () => {
    const { client, id } = await registerCredential()
    const device = generateKeyPair()
    const clientPublicKey = device.publicKey.uncompressedHex
    const body = {
      type: 'OAUTH',
      oidcToken: buildIdToken({ nonce: computeNonce(clientPublicKey) }),
      clientPublicKey,
    }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => client.post(`/auth/credentials/${id}/verify`, body)),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(19)
  })
})
