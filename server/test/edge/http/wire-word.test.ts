import { Countersign } from '@countersign/sdk'
import { verifySvcSignature, verifyWebhook } from '@countersign/sdk/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/base/settings/config.ts'
import { type Client, fund, newBankAccount, newCustomer, signIn } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver, secretOf } from '../../worlds/simulators/webhook-receiver.testing.ts'

const WORD = 'acme'
const AMOUNT = 100_000_000n

let server: TestServer
let client: Client
beforeAll(async () => {
  server = await openServer({
    ...{ LOG_LEVEL: 'debug', COUNTERSIGN_WIRE_WORD: WORD },
    ...{ COUNTERSIGN_BASE_PATH: '/acme/api', UMA_DOMAIN: 'uma.acme.test' },
  })
  client = await server.newPlatform()
})
afterAll(() => server.close())

/** Finds the default word in data from the wire, in any spelling. */
const findDefaultWord = (value: unknown) => JSON.stringify(value).match(/svc/gi)

async function createQuote() {
  const customer = await newCustomer(client)
  await fund(client, customer.wallet, AMOUNT)
  const bank = await newBankAccount(client, customer.id)
  const { status, body } = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: customer.wallet },
    destination: { destinationType: 'ACCOUNT', accountId: bank },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2500,
  })
  expect(status).toBe(201)
  return { customer, bank, quote: body }
}

describe('a server with its own wire word', () => {
  test('uses that word in requests, responses and webhooks', async () => {
    const receiver = await Receiver.of(client)
    const { quote, customer } = await createQuote()
    expect(quote.rateDetails).toMatchObject({
      acmeApiMultiplier: expect.any(Number),
      acmeApiFixedFee: expect.any(Number),
      acmeApiVariableFeeRate: expect.any(Number),
      acmeApiVariableFeeAmount: expect.any(Number),
    })
    const path = `/quotes/${quote.id}/execute`
    const challenge = await client.post(path)
    expect(challenge.status).toBe(202)
    // No name in a signed payload contains the word, so no stamp depends on it.
    expect(challenge.body.payloadToSign).not.toMatch(/svc|acme(?!\.)/i)
    const session = await signIn(client, customer.wallet, 'Acme-Wallet-Signature')
    const buildHeaders = (name: string) => ({
      [name]: session.stamp(challenge.body.payloadToSign),
      'Request-Id': challenge.body.requestId,
    })
    const refusal = await client.post(path, undefined, buildHeaders('Svc-Wallet-Signature'))
    expect(refusal).toMatchObject({
      status: 401,
      body: {
        code: 'WALLET_SIGNATURE_MISSING',
        message: 'The Acme-Wallet-Signature header is required.',
      },
    })
    const executeReply = await client.post(path, undefined, buildHeaders('Acme-Wallet-Signature'))
    expect(executeReply).toMatchObject({ status: 200, body: { rateDetails: quote.rateDetails } })
    await client.advance(0)
    const transaction = (await client.get(`/transactions/${quote.transactionId}`)).body
    expect(transaction).toMatchObject({ status: 'COMPLETED', rateDetails: quote.rateDetails })

    await receiver.until((all) => all.some(({ event }) => event.type === 'OUTGOING_PAYMENT.COMPLETED'))
    const { event, headers, text } = receiver.received.find(({ event }) => event.type.endsWith('.COMPLETED'))!
    expect(event.data).toMatchObject({ rateDetails: quote.rateDetails })
    const feed = await client.events(`&objectId=${quote.transactionId}`)
    const rows = (await client.get('/exchange-rates')).body
    expect(
      [quote, executeReply, transaction, feed, rows, headers, text, refusal].map(findDefaultWord),
    ).toEqual(Array(8).fill(null))

    const secret = await secretOf(client)
    const webhook = await verifyWebhook({ payload: text, headers, secret, wireWord: WORD })
    const expected = { data: { rateDetails: { svcApiFixedFee: BigInt(quote.rateDetails.acmeApiFixedFee) } } }
    expect(webhook).toMatchObject(expected)
    const { webhookPublicKey } = await (await fetch(`${server.origin}/.well-known/countersign.json`)).json()
    const signature = headers['x-acme-signature']!
    expect(await verifySvcSignature(text, signature, webhookPublicKey, { wireWord: WORD })).toMatchObject(
      expected,
    )
  })

  test('accepts a whole signed payment from an SDK that knows the word, with unchanged types', async () => {
    const countersign = new Countersign({
      baseUrl: client.baseUrl,
      ...client.credentials,
      wireWord: WORD,
    })
    const { customer, quote } = await createQuote()
    const summaries: string[] = []
    const confirm = ({ summary }: { summary: string }) => summaries.push(summary) > 0
    const session = await countersign.wallet(customer.wallet, { confirm }).email.signIn({ code: '000000' })
    const params = { quoteId: quote.id as string }
    const { status, body } = await countersign.signed('quote_execute', { params }, session)
    expect({ status, fee: body.rateDetails?.svcApiFixedFee }).toEqual({
      status: 200,
      fee: BigInt(quote.rateDetails.acmeApiFixedFee),
    })
    const transaction = await countersign.waitForTransaction(quote.transactionId)
    expect(transaction).toMatchObject({ status: 'COMPLETED', rateDetails: body.rateDetails })
    expect(summaries).toHaveLength(1)
  })

  test('refuses signatures from an SDK with another word', async () => {
    const { customer, quote } = await createQuote()
    const defaultSdk = new Countersign({ baseUrl: client.baseUrl, ...client.credentials })
    const session = await defaultSdk
      .wallet(customer.wallet, { confirm: () => true })
      .email.signIn({ code: '000000' })
      .catch((error: unknown) => error)
    expect(session).toMatchObject({ status: 401, code: 'WALLET_SIGNATURE_MISSING' })
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('PENDING')
  })

  test('spells error codes with that word', async () => {
    const { usd } = await newCustomer(client)
    const umaAddress = '$fail.switch.usd@uma.acme.test'
    const refusal = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: usd },
      destination: { destinationType: 'UMA_ADDRESS', umaAddress },
      ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 },
    })
    expect(refusal).toMatchObject({ status: 500, body: { code: 'ACME_SWITCH_ERROR' } })
  })

  test('uses that word in its OpenAPI document and its CORS headers', async () => {
    const document = await (await fetch(`${client.baseUrl}/openapi.json`)).json()
    expect(findDefaultWord(document)).toBeNull()
    expect(document.components.parameters.WalletSignature.name).toBe('Acme-Wallet-Signature')
    const preflight = await fetch(`${client.baseUrl}/quotes`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' },
    })
    const allowedHeaders = preflight.headers.get('access-control-allow-headers')?.split(', ')
    expect(allowedHeaders).toContain('Acme-Wallet-Signature')
    expect(allowedHeaders).not.toContain('Svc-Wallet-Signature')
  })
})

test('an invalid wire word stops the start with an error that names the setting', () => {
  for (const COUNTERSIGN_WIRE_WORD of ['a', '1a', 'Acme', 'ac-me', 'platform', 'a'.repeat(21)])
    expect(() => readConfig({ COUNTERSIGN_WIRE_WORD })).toThrow(
      `COUNTERSIGN_WIRE_WORD must be 2 to 20 lower-case letters and digits that begin with a letter, and not "platform", not "${COUNTERSIGN_WIRE_WORD}"`,
    )
  expect(readConfig({}).wireWord).toBe('svc')
})

describe('a server with a path prefix', () => {
  const fetchPath = (path: string) =>
    fetch(server.origin + path, {
      headers: { Authorization: client.authorization, Accept: 'application/json' },
    })

  test('serves paths with and without the prefix, and shows addresses with it', async () => {
    for (const base of ['/acme/api/2025-10-13', '/2025-10-13']) {
      expect((await fetchPath(`${base}/customers?limit=1`)).status, base).toBe(200)
      const document = await (await fetchPath(`${base}/openapi.json`)).json()
      expect(document).toMatchObject({ servers: [{ url: '/acme/api/2025-10-13' }] })
    }
    expect(await (await fetchPath('/')).json()).toMatchObject({
      baseUrl: `${server.origin}/acme/api/2025-10-13`,
      openapi: '/acme/api/2025-10-13/openapi.json',
    })
    const loggedRequests = (await client.get('/requests?path=/customers')).body.data
    expect(new Set(loggedRequests.map(({ path }: { path: string }) => path))).toContain('/customers')
  })

  test('suggests the path with the prefix if only the version is missing', async () => {
    for (const path of ['/acme/api/customers', '/customers', '/acme/api/v1/customers']) {
      const reply = await fetchPath(path)
      expect([reply.status, (await reply.json()).details], path).toEqual([
        404,
        { path: '/acme/api/2025-10-13/customers' },
      ])
    }
    for (const path of ['/acme/api/', '/acme/2025-10-13/customers', '/acme/api/healthz'])
      expect((await fetchPath(path)).status, path).toBe(404)
  })

  test('uses UMA_DOMAIN for the receivers of the sandbox', async () => {
    const values = JSON.stringify((await client.get('/sandbox/magic-values')).body)
    expect(values).toContain('$success.usd@uma.acme.test')
  })

  test.each(['acme', '/acme/', '/', '//acme', '/a b', '/%61', '/../x', '/acme?x', `/${'a'.repeat(65)}`])(
    'does not start if the prefix is %s',
    (prefix) => {
      expect(() => readConfig({ COUNTERSIGN_BASE_PATH: prefix })).toThrow('COUNTERSIGN_BASE_PATH')
    },
  )
})
