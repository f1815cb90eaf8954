import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  Client,
  findCredentialId,
  fund,
  newBankAccount,
  newCustomer,
  sealCode,
} from '../../worlds/client.testing.ts'
import { ensureServerBuilt, newPlace, ServerProcess } from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

test('the debug log of a server process contains no secret', async () => {
  const place = await newPlace()
  const metricsToken = 'a-token-for-the-metrics'
  const server = await ServerProcess.ready(place, { LOG_LEVEL: 'debug', METRICS_TOKEN: metricsToken })
  const client = server.client()
  const secrets = new Map<string, string>()
  const trackSecret = (name: string, value: string): string => {
    secrets.set(name, value)
    return value
  }
  trackSecret('the client secret', client.credentials.clientSecret)
  trackSecret('the Authorization value', client.authorization.slice('Basic '.length))
  trackSecret('the token of the metrics', metricsToken)
  trackSecret('the master key', readFileSync(join(place.dataDir, 'master.key'), 'utf8'))
  const token = await client.post('/tokens', { name: 'Second', permissions: ['VIEW'] })
  trackSecret('the secret of another token', token.body.clientSecret)

  const { id, wallet, usd, email } = await newCustomer(client)
  const bank = await newBankAccount(client, id)
  await fund(client, wallet, 10_000_000)
  const credential = await findCredentialId(client, wallet)
  const challenge = await client.post(`/auth/credentials/${credential}/challenge`)
  const bundle = challenge.body.otpEncryptionTargetBundle
  const keys = generateKeyPair()
  trackSecret('the device key', Buffer.from(keys.privateKey).toString('hex'))
  const buildVerification = async (name: string, code: string) => {
    const encryptedOtpBundle = trackSecret(name, sealCode(bundle, keys, code))
    trackSecret(`the ciphertext of ${name}`, JSON.parse(encryptedOtpBundle).ciphertext)
    return { type: 'EMAIL_OTP', encryptedOtpBundle }
  }
  const path = `/auth/credentials/${credential}/verify`
  expect((await client.post(path, await buildVerification('a wrong code', '424242'))).status).toBe(401)
  trackSecret('the wrong code itself', '424242')
  const body = await buildVerification('the right code', '000000')
  const signInChallenge = await client.post(path, body)
  const signInReply = await client.post(path, body, {
    'Svc-Wallet-Signature': trackSecret(
      'the stamp of the sign-in',
      makeStamp(keys, signInChallenge.body.payloadToSign),
    ),
    'Request-Id': signInChallenge.body.requestId,
  })
  expect(signInReply.status).toBe(200)
  const quote = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: wallet },
    destination: { destinationType: 'ACCOUNT', accountId: bank },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000_000,
  })
  const payload = quote.body.paymentInstructions[0].accountOrWalletInfo.payloadToSign
  const executeQuote = (stamp: string) =>
    client.post(`/quotes/${quote.body.id}/execute`, undefined, { 'Svc-Wallet-Signature': stamp })
  const wrongStamp = trackSecret('a stamp of the wrong payload', makeStamp(keys, `${payload} `))
  expect((await executeQuote(wrongStamp)).status).toBe(401)
  expect((await executeQuote(trackSecret('the stamp of the payment', makeStamp(keys, payload)))).status).toBe(
    200,
  )

  // Failures produce the most detailed lines.
  const stranger = new Client(
    { ...client.credentials, clientSecret: trackSecret('a wrong secret', 'not-the-secret') },
    client.baseUrl,
  )
  expect((await stranger.get('/config')).status).toBe(401)
  await client.send('POST', '/customers', `{"email": "${trackSecret('an address', 'eve@example.com')}"`)
  await client.post(`/sandbox/internal-accounts/${usd}/fund`, { amount: 2n ** 63n - 1n })
  await client.get('/customers?createdAfter=0000-01-01T00:00:00Z')
  await client.get(`/auth/sessions?accountId=${trackSecret('an id from nowhere', 'InternalAccount:x-y-z')}`)
  trackSecret('the address of the customer', email)
  const fetchMetrics = (token: string) =>
    fetch(`${server.origin}/metrics`, { headers: { Authorization: `Bearer ${token}` } })
  expect((await fetchMetrics(trackSecret('a wrong token', 'a-token-for-nothing'))).status).toBe(401)
  const page = await (await fetchMetrics(metricsToken)).text()
  expect([...secrets].filter(([, secret]) => page.includes(secret)).map(([name]) => name)).toEqual([])

  const { code, stdout, stderr } = await server.kill('SIGTERM')
  expect(code).toBe(0)
  const leakedNames = [...secrets]
    .filter(([, secret]) => (stdout + stderr).includes(secret))
    .map(([name]) => name)
  expect(leakedNames).toEqual([])
  // The log is not empty: each request has a line with its own id.
  const lines = stderr.split('\n').filter((line) => line.includes('"msg":"request"'))
  const ids = lines.map((line) => (JSON.parse(line) as { httpRequestId: string }).httpRequestId)
  expect(ids.length).toBeGreaterThan(10)
  expect(new Set(ids).size).toBe(ids.length)
})
