import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import { createPlatform, formatBaseUrl } from '../../../src/edge/service/first-platform.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import {
  Client,
  newCustomer,
  type Reply,
  type SignedIn,
  sealCode,
  sendSigned,
} from '../../worlds/client.testing.ts'
import {
  type Mailing,
  type MailServer,
  openMailing,
  SMTP_LOGIN,
} from '../../worlds/production/mail.testing.ts'
import { Authenticator } from '../../worlds/records/members.testing.ts'

let smtp: MailServer
let production: Mailing
let baseUrl: string

beforeAll(async () => {
  production = await openMailing(
    {
      SMTP_FROM: SMTP_LOGIN.user,
      MESSAGES_PER_RECIPIENT: '4,6',
      MESSAGES_PER_PLATFORM: '8,100',
      SMTP_SENDER_DOMAINS: '{"*": ["mail.ops.example"]}',
    },
    { isLive: true },
  )
  smtp = production.smtp
  const { server } = production.service
  await server.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = formatBaseUrl('127.0.0.1', (server.server.address() as AddressInfo).port)
})
afterAll(() => production.close())

/** Creates a regulated platform and its HTTP client. */
async function createRegulatedClient(): Promise<Client> {
  return new Client(await createPlatform(production.service.app, 'Bank', true), baseUrl)
}

/** Signs in with the code that came by e-mail. */
async function signInByMail(
  client: Client,
  wallet: string,
  email: string,
): Promise<SignedIn & { id: string }> {
  const id = (await client.get(`/auth/credentials?accountId=${wallet}`)).body.data[0].id
  const challenge = await client.post(`/auth/credentials/${id}/challenge`)
  expect(challenge.status).toBe(200)
  let mail = smtp.mails.find(({ rcptTo }) => rcptTo.includes(email))
  for (; !mail; mail = smtp.mails.find(({ rcptTo }) => rcptTo.includes(email))) await smtp.next()
  const code = /code is\s+(\d{6})\b/.exec(mail.parts.get('text/plain')!)![1]!
  const keys = generateKeyPair()
  const stamp = (payload: string) => makeStamp(keys, payload)
  const body = {
    type: 'EMAIL_OTP',
    encryptedOtpBundle: sealCode(challenge.body.otpEncryptionTargetBundle, keys, code),
  }
  const reply = await sendSigned(client, { stamp }, 'POST', `/auth/credentials/${id}/verify`, body)
  expect(reply.status).toBe(200)
  return { id, sessionId: reply.body.id, keys, stamp }
}

describe('in production', () => {
  test('a customer of a regulated platform signs in by mail and exports the wallet', {
    tags: 'smoke',
  }, async () => {
    const client = await createRegulatedClient()
    const email = `${randomBytes(6).toString('hex')}@example.com`
    const customer = await newCustomer(client, { email })
    const session = await signInByMail(client, customer.wallet, email)
    const body = { clientPublicKey: generateKeyPair().publicKey.uncompressedHex }
    const reply = await sendSigned(
      client,
      session,
      'POST',
      `/internal-accounts/${customer.wallet}/export`,
      body,
    )
    expect(reply.status).toBe(200)
  })

  test('a customer of an unregulated platform waits for verification, and its accounts receive no money before that', async () => {
    const client = new Client(await createPlatform(production.service.app, 'Shop'), baseUrl)
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: 'ada@example.com' }
    const { body: customer } = await client.post('/customers', body)
    expect(customer.kycStatus).toBe('PENDING')
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${customer.id}`)).body
    expect(data.length).toBeGreaterThan(0)
    for (const account of data)
      expect(account).toMatchObject({ status: 'PENDING', fundingPaymentInstructions: [] })
  })

  test('requests that need a provider which is not configured return an error that says so', async () => {
    const client = await createRegulatedClient()
    const customer = await newCustomer(client)
    const { umaAddress } = (await client.get(`/customers/${customer.id}`)).body
    const invitation = { inviterUma: umaAddress }
    expect((await client.post('/invitations', invitation)).body.code).toBe('INVITATIONS_NOT_CONFIGURED')
    const invitationConfig = { url: 'https://app.example/{code}' }
    expect((await client.send('PATCH', '/config', { invitationConfig })).status).toBe(200)
    expect((await client.post('/invitations', invitation)).status).toBe(201)

    const withdrawal = {
      internalAccountId: customer.wallet,
      currency: 'USDB',
      cryptoNetwork: 'SPARK',
      amount: 1000,
      destinationAddress: 'spark1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc489gg2',
    }
    const account = { provider: 'BRALE', apiClientId: 'magic 006', apiClientSecret: 'secret' }
    for (const reply of [
      await client.post('/crypto/estimate-withdrawal-fee', withdrawal),
      await client.post('/stablecoin-provider-accounts', account, { 'Idempotency-Key': 'link' }),
    ])
      expect(reply.body).toMatchObject({ status: 501, code: 'NOT_IMPLEMENTED' })
    const { umaDomain } = (await client.get('/config')).body
    expect((await client.get('/uma-providers')).body).toMatchObject({
      data: [{ domain: umaDomain }],
      totalCount: 1,
    })
  })

  test('magic values are refused like any wrong value', async () => {
    const client = await createRegulatedClient()
    const email = `${randomBytes(6).toString('hex')}@example.com`
    const customer = await newCustomer(client, { email, fullName: 'Someone Rejected002' })
    const session = await signInByMail(client, customer.wallet, email)
    const path = `/internal-accounts/${customer.wallet}`
    const signRequest = await client.send('PATCH', path, { privateEnabled: true })
    const magic = {
      'Svc-Wallet-Signature': 'sandbox-valid-signature',
      'Request-Id': signRequest.body.requestId,
    }
    expect((await client.send('PATCH', path, { privateEnabled: true }, magic)).body).toMatchObject({
      status: 401,
      code: 'WALLET_SIGNATURE_MALFORMED',
    })

    const passkeyConfig = { rpId: 'app.example', origins: ['https://app.example'] }
    expect((await client.send('PATCH', '/config', { passkeyConfig })).status).toBe(200)
    const authenticator = new Authenticator('app.example', 'https://app.example')
    const challenge = randomBytes(16).toString('base64url')
    const attestation = authenticator.attest(challenge)
    const registration = {
      type: 'PASSKEY',
      accountId: customer.wallet,
      nickname: 'Phone',
      challenge,
      attestation,
    }
    const passkey = await sendSigned(client, session, 'POST', '/auth/credentials', registration)
    expect(passkey.status).toBe(201)
    const key = { clientPublicKey: generateKeyPair().publicKey.uncompressedHex }
    const issued = await client.post(`/auth/credentials/${passkey.body.id}/challenge`, key)
    const assertion = {
      ...authenticator.assert(issued.body.challenge),
      signature: 'sandbox-valid-passkey-signature',
    }
    const verify = { type: 'PASSKEY', assertion }
    const requestId = { 'Request-Id': issued.body.requestId }
    const refusal = await client.post(`/auth/credentials/${passkey.body.id}/verify`, verify, requestId)
    expect(refusal.body).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })

  test('the operator limits the messages to each recipient and from each platform', async () => {
    const client = await createRegulatedClient()
    const { platformId } = client.credentials
    /** Moves the platform's clock to half past the given hour. */
    const setHour = async (hour: number) => {
      const { app } = production.service
      const nowMs = app.clock().getTime()
      const offset = 86_400_000 - (nowMs % 86_400_000) + (hour + 0.5) * 3_600_000
      const change = { clock_offset_ms: BigInt(offset) }
      expect(await app.committer.commit([update('platforms', platformId, {}, change)])).toEqual({
        done: true,
      })
    }
    await setHour(0)
    const mailbox = randomBytes(6).toString('hex')
    const createCredential = async (email: string) => {
      const { wallet } = await newCustomer(client, { email })
      return (await client.get(`/auth/credentials?accountId=${wallet}`)).body.data[0].id as string
    }
    const recipientIds = await Promise.all(
      ['', '+1', '+2'].map((suffix) => createCredential(`${mailbox}${suffix}@example.com`)),
    )
    const requestCode = (id: string) => client.post(`/auth/credentials/${id}/challenge`)
    const requestCodes = (ids: string[]) =>
      Promise.all(ids.flatMap((id) => [requestCode(id), requestCode(id), requestCode(id)]))
    const countSent = (replies: Reply[]) => replies.filter(({ status }) => status === 200).length

    const firstReplies = await requestCodes(recipientIds)
    expect(countSent(firstReplies)).toBe(4)
    const refusal = firstReplies.find(({ status }) => status !== 200)!
    expect(refusal.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(Number(refusal.headers.get('Retry-After'))).toBeGreaterThan(1700)
    expect(Number(refusal.headers.get('Retry-After'))).toBeLessThanOrEqual(1800)

    const otherIds = await Promise.all(
      [1, 2].map((n) => createCredential(`${mailbox}.other${n}@example.com`)),
    )
    expect(countSent(await requestCodes(otherIds))).toBe(4)

    await setHour(1)
    const secondReplies = await requestCodes(recipientIds)
    expect(countSent(secondReplies)).toBe(2)
    const dailyRefusal = secondReplies.find(({ status }) => status !== 200)!
    expect(Number(dailyRefusal.headers.get('Retry-After'))).toBeGreaterThan(22 * 3600)
  })

  test('mail is sent only from domains that the operator has allowed', async () => {
    const client = await createRegulatedClient()
    const setSender = (sendFromEmailAddress: string) =>
      client.send('PATCH', '/config', { embeddedWalletConfig: { sendFromEmailAddress } })
    for (const address of [
      'security@bank.example',
      'a@sub.mail.ops.example',
      'a@mail.ops.example.evil.example',
    ])
      expect((await setSender(address)).body).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        details: { field: 'embeddedWalletConfig.sendFromEmailAddress' },
      })
    expect((await setSender('login@Mail.OPS.example')).status).toBe(200)
    // Recreates a database that is older than this rule.
    const { app } = production.service
    const { platformId: id } = client.credentials
    const { config, version } = await app.read
      .selectFrom('platforms')
      .select(['config', 'version'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const embeddedWalletConfig = {
      ...(config.embeddedWalletConfig as object),
      sendFromEmailAddress: 'a@bank.example',
    }
    const change = { config: { ...config, embeddedWalletConfig }, version: version + 1 }
    await app.committer.commit([update('platforms', id, {}, change)])
    const email = `${randomBytes(6).toString('hex')}@example.com`
    const customer = await newCustomer(client, { email })
    await signInByMail(client, customer.wallet, email)
    const mail = smtp.mails.find(({ rcptTo }) => rcptTo.includes(email))!
    expect([mail.mailFrom, mail.raw.includes('bank.example')]).toEqual([SMTP_LOGIN.user, false])
  })

  test('sandbox addresses do not exist, and payments cannot be simulated', async () => {
    const client = await createRegulatedClient()
    const customer = await newCustomer(client)
    const { umaAddress } = (await client.get(`/customers/${customer.id}`)).body
    const lookUpReceiver = (address: string) => client.get(`/receiver/uma/${encodeURIComponent(address)}`)
    expect((await lookUpReceiver('$success.usd@sandbox.uma.test')).body.code).toBe('UMA_NOT_FOUND')
    // The receiver is found, but no rate provider is configured.
    expect((await lookUpReceiver(umaAddress)).body.code).toBe('NOT_IMPLEMENTED')
    const payment = {
      senderUmaAddress: '$grace@bank.example',
      customerId: customer.id,
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 100,
    }
    expect((await client.post('/sandbox/uma/receive', payment)).body.code).toBe('NOT_FOUND')
  })

  test('card processor events are refused', async () => {
    const response = await fetch(new URL('/card-processor/events', baseUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect([response.status, (await response.json()).code]).toEqual([404, 'NOT_FOUND'])
  })

  test('an identity token of an unknown issuer is refused, signed or not', async () => {
    const client = await createRegulatedClient()
    const email = `${randomBytes(6).toString('hex')}@example.com`
    const customer = await newCustomer(client, { email })
    const oidcToken = createUnsignedToken('https://accounts.google.com')
    const body = { type: 'OAUTH', accountId: customer.wallet, oidcToken }
    const { body: refusal } = await client.post('/auth/credentials', body)
    expect(refusal).toMatchObject({ status: 401, reason: 'ID token issuer is not supported' })
    const oauthConfig = { issuers: [{ issuer: 'https://issuer.invalid' }] }
    expect((await client.send('PATCH', '/config', { oauthConfig })).status).toBe(200)
    const otherToken = createUnsignedToken('https://issuer.invalid')
    const unsigned = await client.post('/auth/credentials', { ...body, oidcToken: otherToken })
    expect(unsigned.body).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })

  test.each([
    'https://127.0.0.1:8443',
    'https://2130706433',
    'https://localhost:8443/tenant',
    'https://id.localhost',
    'https://[::ffff:127.0.0.1]',
    'https://0.0.0.0',
    'https://169.254.169.254/latest',
    'https://10.1.2.3',
    'https://user@accounts.example',
  ])('an issuer in our own network is refused: %s', async (issuer) => {
    const client = await createRegulatedClient()
    const oauthConfig = { issuers: [{ issuer: 'https://accounts.google.com' }, { issuer }] }
    expect((await client.send('PATCH', '/config', { oauthConfig })).body).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      details: { field: 'oauthConfig.issuers.1.issuer' },
    })
  })

  test('no identity token makes the server connect to this machine, whatever its issuer', async () => {
    const client = await createRegulatedClient()
    const customer = await newCustomer(client)
    let connections = 0
    const listener = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => listener.listen(0, resolve))
    onTestFinished(() => void listener.close())
    const { port } = listener.address() as AddressInfo
    const { committer, read } = production.service.app
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const issuer = `https://${host}:${port}`
      // Recreates a database that is older than this check.
      const { platformId: id } = client.credentials
      const { config, version } = await read
        .selectFrom('platforms')
        .select(['config', 'version'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const change = { config: { ...config, oauthConfig: { issuers: [{ issuer }] } }, version: version + 1 }
      await committer.commit([update('platforms', id, {}, change)])
      const body = { type: 'OAUTH', accountId: customer.wallet, oidcToken: createUnsignedToken(issuer) }
      expect((await client.post('/auth/credentials', body)).body, host).toMatchObject({
        status: 401,
        reason: 'Keys of the ID token issuer are not available',
      })
    }
    expect(connections).toBe(0)
  })
})

/** An identity token that anyone can create. */
function createUnsignedToken(issuer: string): string {
  const encodePart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: 'app', sub: 'user', iat: now, exp: now + 600 }
  return `${encodePart({ alg: 'RS256', typ: 'JWT', kid: '1' })}.${encodePart(claims)}.c2ln`
}
