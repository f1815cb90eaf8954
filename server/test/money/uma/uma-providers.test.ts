import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_MASTER_KEY } from '../../../../test/databases.testing.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ConfigError } from '../../../src/base/settings/config-error.ts'
import { type Client, fund, newCustomer, newPlatform, signIn } from '../../worlds/client.testing.ts'
import { expectError, forEach } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

const SANDBOX = 'sandbox.uma.test'
const PAID = `$success.usd@${SANDBOX}`

let client: Client
let customer: Awaited<ReturnType<typeof newCustomer>>
beforeAll(async () => {
  client = await newPlatform()
  customer = await newCustomer(client)
  await fund(client, customer.usd, 100_000)
})

type Provider = Readonly<Record<string, unknown>> & {
  readonly domain: string
  readonly allowListStatus: boolean
}

const listed = async (query = '', of = client): Promise<Provider[]> =>
  (await of.get(`/uma-providers?limit=100${query}`)).body.data
const domains = (providers: readonly Provider[]) => providers.map(({ domain }) => domain)

async function allow(umaProviderConfig: object, of = client): Promise<void> {
  const reply = await of.send('PATCH', '/config', { umaProviderConfig })
  expect(reply.status).toBe(200)
  expect(reply.body.umaProviderConfig).toMatchObject(umaProviderConfig)
}

describe('the providers of a platform', () => {
  test("are itself and the sandbox's providers, and none of another platform", async () => {
    const [own, other] = [await newPlatform(), await newPlatform()]
    const { umaDomain, supportedCurrencies } = (await own.get('/config')).body
    const providers = await listed('', own)
    expect(domains(providers)).toContain(SANDBOX)
    expect(domains(providers)).not.toContain((await other.get('/config')).body.umaDomain)
    const itself = providers.find(({ domain }) => domain === umaDomain)
    expect(itself).toMatchObject({ allowListStatus: true, name: expect.any(String) })
    const codes = (itself as unknown as { supportedCurrencies: { code: string }[] }).supportedCurrencies
    expect(codes.map(({ code }) => code)).toEqual(
      supportedCurrencies.map(({ currencyCode }: { currencyCode: string }) => currencyCode),
    )
  })

  test('are filtered by country and currency', async () => {
    expect(domains(await listed('&countryCode=TZ'))).toEqual(['savanna.uma.test'])
    expect(domains(await listed('&currencyCode=GBP&sortOrder=asc'))).toEqual(['kestrel.uma.test', SANDBOX])
    expect(await listed('&countryCode=TZ&currencyCode=GBP')).toEqual([])
    expectError(await client.get('/uma-providers?countryCode=Kenya'), {
      code: 'INVALID_INPUT',
      field: 'countryCode',
    })
  })

  test('are paged, each once, in either order; a cursor is valid for its own list only', async () => {
    const all = domains(await listed('&sortOrder=asc'))
    expect(all).toEqual(all.toSorted())
    expect(domains(await listed())).toEqual(all.toReversed())
    const walked: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await client.get(`/uma-providers?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      expect(body).toMatchObject({ hasMore: body.nextCursor !== undefined, totalCount: all.length })
      walked.push(...domains(body.data))
      cursor = body.nextCursor
    } while (cursor)
    expect(walked).toEqual(all.toReversed())
    const first: string = (await client.get('/uma-providers?limit=2')).body.nextCursor
    const stranger = await newPlatform()
    for (const reply of [
      await client.get(`/uma-providers?limit=3&cursor=${first}`),
      await client.get(`/uma-providers?limit=2&sortOrder=asc&cursor=${first}`),
      await client.get(`/uma-providers?limit=2&cursor=${first.slice(0, -1)}`),
      await client.get(`/customers?limit=2&cursor=${first}`),
      await stranger.get(`/uma-providers?limit=2&cursor=${first}`),
    ])
      expectError(reply, { code: 'INVALID_INPUT', field: 'cursor' })
  })

  test('show if they are allowed, and blocked ones only on request', async () => {
    const own = await newPlatform()
    const { umaDomain } = (await own.get('/config')).body
    const before = domains(await listed('', own))
    await allow({ mode: 'ALLOW_LIST', domains: ['kestrel.uma.test'] }, own)
    expect(domains(await listed('&sortOrder=asc', own)).toSorted()).toEqual(
      [umaDomain, 'kestrel.uma.test'].toSorted(),
    )
    const all = await listed('&hasBlockedProviders=true', own)
    expect(domains(all)).toEqual(before)
    expect(domains(all.filter(({ allowListStatus }) => allowListStatus)).toSorted()).toEqual(
      [umaDomain, 'kestrel.uma.test'].toSorted(),
    )
    await allow({ mode: 'ALL' }, own)
    expect((await own.get('/config')).body.umaProviderConfig).toEqual({
      mode: 'ALL',
      domains: ['kestrel.uma.test'],
    })
    expect((await listed('', own)).every(({ allowListStatus }) => allowListStatus)).toBe(true)
  })
})

describe('a provider that the platform does not allow', () => {
  let own: Client
  let payer: Awaited<ReturnType<typeof newCustomer>>
  beforeAll(async () => {
    own = await newPlatform()
    payer = await newCustomer(own)
    await fund(own, payer.usd, 100_000)
  })

  const block = () => allow({ mode: 'ALLOW_LIST', domains: [] }, own)
  const unblock = () => allow({ mode: 'ALL' }, own)
  const quote = (more: object = {}, umaAddress = PAID) => ({
    source: { sourceType: 'ACCOUNT', accountId: payer.usd },
    destination: { destinationType: 'UMA_ADDRESS', umaAddress },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 100,
    ...more,
  })
  const balance = async () =>
    (await own.get(`/customers/internal-accounts?customerId=${payer.id}&currency=USD`)).body.data[0].balance
      .amount

  test('is neither looked up nor quoted, by the platform or by an agent, like an unknown one', async () => {
    const agent = await newAgent(own, payer.id)
    await block()
    const code = 'COUNTERPARTY_NOT_ALLOWED'
    for (const address of [
      PAID,
      `$fail.lnurlp.usd@${SANDBOX}`,
      `$nobody@${SANDBOX}`,
      '$ada@unknown.example',
    ]) {
      const looked = await own.get(`/receiver/uma/${encodeURIComponent(address)}`)
      expectError(looked, { code, field: 'receiverUmaAddress', what: address })
      const field = 'destination.umaAddress'
      expectError(await own.post('/quotes', quote({}, address)), { code, field })
      expectError(await own.post('/quotes', quote({ immediatelyExecute: true }, address)), { code, field })
      expectError(await agent.post('/agents/me/quotes', quote({}, address)), { code, field })
    }
    await unblock()
    expect((await own.post('/quotes', quote())).status).toBe(201)
    expectError(await own.post('/quotes', quote({}, '$ada@unknown.example')), { code: 'UMA_NOT_FOUND' })
  })

  test('does not keep customers of the platform from paying each other', async () => {
    const friend = await newCustomer(own)
    const { umaAddress } = (await own.get(`/customers/${friend.id}`)).body
    await block()
    expect((await own.get(`/receiver/uma/${encodeURIComponent(umaAddress)}`)).status).toBe(200)
    const paid = await own.post('/quotes', quote({ immediatelyExecute: true }, umaAddress))
    expect([paid.status, paid.body.status]).toEqual([201, 'PROCESSING'])
    await unblock()
  })

  test('is not paid by a quote from before it was blocked, however that is executed', async () => {
    await own.advance(0)
    const before = await balance()
    const agent = await newAgent(own, payer.id)
    const waiting = await newAgent(own, payer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
    const [mine, theirs, asked] = [
      (await own.post('/quotes', quote())).body.id,
      (await agent.post('/agents/me/quotes', quote())).body.id,
      (await waiting.post('/agents/me/quotes', quote())).body.id,
    ]
    const funded = await own.post(
      '/quotes',
      quote({ source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' } }),
    )
    const action = (await waiting.post(`/agents/me/quotes/${asked}/execute`)).body
    expect(action.status).toBe('PENDING_APPROVAL')
    await block()
    const code = 'COUNTERPARTY_NOT_ALLOWED'
    expectError(await own.post(`/quotes/${mine}/execute`), { code, field: 'quoteId' })
    expectError(await agent.post(`/agents/me/quotes/${theirs}/execute`), { code, field: 'quoteId' })
    const approved = await own.post(`/agents/${waiting.id}/actions/${action.id}/approve`)
    expect([approved.status, approved.body.status]).toEqual([200, 'FAILED'])
    // Money that comes in for it is given back.
    const arrived = await own.post('/sandbox/send', { quoteId: funded.body.id, currencyCode: 'USD' })
    expect(arrived.body).toMatchObject({ status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' })
    await own.advance(0)
    expect(await balance()).toBe(before)
    await unblock()
    expect((await own.post(`/quotes/${mine}/execute`)).status).toBe(200)
  })

  test('is paid or refused, never with a fault, while it is blocked and allowed in parallel', async () => {
    const quotes = await Promise.all(
      Array.from({ length: 10 }, async () => (await own.post('/quotes', quote())).body.id),
    )
    const toggles = Array.from({ length: 6 }, (_, at) => at)
    const replies = await Promise.all([
      ...quotes.map((id) => own.post(`/quotes/${id}/execute`)),
      forEach(toggles, (at) => (at % 2 === 0 ? block() : unblock()), 1),
    ])
    for (const reply of replies)
      if (reply && reply.status !== 200) expectError(reply, { code: 'COUNTERPARTY_NOT_ALLOWED' })
    await unblock()
  })

  test('is not paid out of an embedded wallet by a signature from before', async () => {
    await fund(own, payer.wallet, 10_000_000)
    const session = await signIn(own, payer.wallet)
    const made = await own.post(
      '/quotes',
      quote({ source: { sourceType: 'ACCOUNT', accountId: payer.wallet }, lockedCurrencyAmount: 1_000_000 }),
    )
    expect(made.status).toBe(201)
    const { payloadToSign } = made.body.paymentInstructions[0].accountOrWalletInfo
    await block()
    const executed = await own.post(`/quotes/${made.body.id}/execute`, undefined, {
      'Svc-Wallet-Signature': session.stamp(payloadToSign),
    })
    expectError(executed, { code: 'COUNTERPARTY_NOT_ALLOWED', field: 'quoteId' })
    await unblock()
  })
})

describe('the file of the operator', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-uma-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const PROVIDER = { name: 'Kestrel Pay', domain: 'pay.kestrel.example', supportedCurrencies: ['GBP', 'EUR'] }

  async function read(content: unknown) {
    const path = join(folder, 'providers.json')
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return readConfig({ COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY, UMA_PROVIDERS_FILE: path }).umaProviders
  }

  test('has the providers that the server knows', async () => {
    const whole = {
      ...PROVIDER,
      supportedRegions: ['GB'],
      logoUrl: 'https://a.example/l.png',
      lei: '5493001KJTIIGC8Y1R12',
    }
    expect(await read([whole])).toEqual([whole])
    expect(readConfig({ COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY }).umaProviders).toBeUndefined()
  })

  test('ends the start with one line if it is wrong', async () => {
    const wrong: readonly [unknown, RegExp][] = [
      ['no json', /cannot be read as JSON/],
      [{}, /must be a list/],
      [[PROVIDER, 1], /entry 2 must be an object/],
      [[{ ...PROVIDER, name: undefined }], /entry 1 lacks the property name/],
      [[{ ...PROVIDER, domain: 'Kestrel.example' }], /entry 1: domain must be/],
      [[{ ...PROVIDER, supportedCurrencies: ['XXX'] }], /entry 1: supportedCurrencies must be/],
      [[{ ...PROVIDER, logo: 'x' }], /entry 1 has an unknown property: logo/],
      [[{ ...PROVIDER, logoUrl: 'http://a.example' }], /entry 1: logoUrl must be/],
      [[PROVIDER, PROVIDER], /pay\.kestrel\.example is listed twice/],
    ]
    for (const [content, message] of wrong) {
      const error = await read(content).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ConfigError)
      expect((error as Error).message).toMatch(message)
      expect((error as Error).message).toMatch(/^UMA_PROVIDERS_FILE.*$/)
    }
  })
})
