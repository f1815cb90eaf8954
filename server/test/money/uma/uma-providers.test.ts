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

const listProviders = async (query = '', platform = client): Promise<Provider[]> =>
  (await platform.get(`/uma-providers?limit=100${query}`)).body.data
const toDomains = (providers: readonly Provider[]) => providers.map(({ domain }) => domain)

async function allow(umaProviderConfig: object, platform = client): Promise<void> {
  const reply = await platform.send('PATCH', '/config', { umaProviderConfig })
  expect(reply.status).toBe(200)
  expect(reply.body.umaProviderConfig).toMatchObject(umaProviderConfig)
}

describe('the providers of a platform', () => {
  test("are the platform itself and the sandbox's providers, but no other platform", async () => {
    const [platform, otherPlatform] = [await newPlatform(), await newPlatform()]
    const { umaDomain, supportedCurrencies } = (await platform.get('/config')).body
    const providers = await listProviders('', platform)
    expect(toDomains(providers)).toContain(SANDBOX)
    expect(toDomains(providers)).not.toContain((await otherPlatform.get('/config')).body.umaDomain)
    const ownProvider = providers.find(({ domain }) => domain === umaDomain)
    expect(ownProvider).toMatchObject({ allowListStatus: true, name: expect.any(String) })
    const codes = (ownProvider as unknown as { supportedCurrencies: { code: string }[] }).supportedCurrencies
    expect(codes.map(({ code }) => code)).toEqual(
      supportedCurrencies.map(({ currencyCode }: { currencyCode: string }) => currencyCode),
    )
  })

  test('are filtered by country and currency', async () => {
    expect(toDomains(await listProviders('&countryCode=TZ'))).toEqual(['savanna.uma.test'])
    expect(toDomains(await listProviders('&currencyCode=GBP&sortOrder=asc'))).toEqual([
      'kestrel.uma.test',
      SANDBOX,
    ])
    expect(await listProviders('&countryCode=TZ&currencyCode=GBP')).toEqual([])
    expectError(await client.get('/uma-providers?countryCode=Kenya'), {
      code: 'INVALID_INPUT',
      field: 'countryCode',
    })
  })

  test('are paged once each in either order, and a cursor is valid for its own list only', async () => {
    const allDomains = toDomains(await listProviders('&sortOrder=asc'))
    expect(allDomains).toEqual(allDomains.toSorted())
    expect(toDomains(await listProviders())).toEqual(allDomains.toReversed())
    const pagedDomains: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await client.get(`/uma-providers?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      expect(body).toMatchObject({ hasMore: body.nextCursor !== undefined, totalCount: allDomains.length })
      pagedDomains.push(...toDomains(body.data))
      cursor = body.nextCursor
    } while (cursor)
    expect(pagedDomains).toEqual(allDomains.toReversed())
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

  test('show whether they are allowed, and blocked ones are listed only on request', async () => {
    const platform = await newPlatform()
    const { umaDomain } = (await platform.get('/config')).body
    const before = toDomains(await listProviders('', platform))
    await allow({ mode: 'ALLOW_LIST', domains: ['kestrel.uma.test'] }, platform)
    expect(toDomains(await listProviders('&sortOrder=asc', platform)).toSorted()).toEqual(
      [umaDomain, 'kestrel.uma.test'].toSorted(),
    )
    const allProviders = await listProviders('&hasBlockedProviders=true', platform)
    expect(toDomains(allProviders)).toEqual(before)
    expect(toDomains(allProviders.filter(({ allowListStatus }) => allowListStatus)).toSorted()).toEqual(
      [umaDomain, 'kestrel.uma.test'].toSorted(),
    )
    await allow({ mode: 'ALL' }, platform)
    expect((await platform.get('/config')).body.umaProviderConfig).toEqual({
      mode: 'ALL',
      domains: ['kestrel.uma.test'],
    })
    expect((await listProviders('', platform)).every(({ allowListStatus }) => allowListStatus)).toBe(true)
  })
})

describe('a provider that the platform does not allow', () => {
  let platform: Client
  let payer: Awaited<ReturnType<typeof newCustomer>>
  beforeAll(async () => {
    platform = await newPlatform()
    payer = await newCustomer(platform)
    await fund(platform, payer.usd, 100_000)
  })

  const block = () => allow({ mode: 'ALLOW_LIST', domains: [] }, platform)
  const unblock = () => allow({ mode: 'ALL' }, platform)
  const buildQuote = (more: object = {}, umaAddress = PAID) => ({
    source: { sourceType: 'ACCOUNT', accountId: payer.usd },
    destination: { destinationType: 'UMA_ADDRESS', umaAddress },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 100,
    ...more,
  })
  const readBalance = async () =>
    (await platform.get(`/customers/internal-accounts?customerId=${payer.id}&currency=USD`)).body.data[0]
      .balance.amount

  test('is neither looked up nor quoted, by the platform or by an agent, like an unknown one', async () => {
    const agent = await newAgent(platform, payer.id)
    await block()
    const code = 'COUNTERPARTY_NOT_ALLOWED'
    for (const address of [
      PAID,
      `$fail.lnurlp.usd@${SANDBOX}`,
      `$nobody@${SANDBOX}`,
      '$ada@unknown.example',
    ]) {
      const lookup = await platform.get(`/receiver/uma/${encodeURIComponent(address)}`)
      expectError(lookup, { code, field: 'receiverUmaAddress', what: address })
      const field = 'destination.umaAddress'
      expectError(await platform.post('/quotes', buildQuote({}, address)), { code, field })
      expectError(await platform.post('/quotes', buildQuote({ immediatelyExecute: true }, address)), {
        code,
        field,
      })
      expectError(await agent.post('/agents/me/quotes', buildQuote({}, address)), { code, field })
    }
    await unblock()
    expect((await platform.post('/quotes', buildQuote())).status).toBe(201)
    expectError(await platform.post('/quotes', buildQuote({}, '$ada@unknown.example')), {
      code: 'UMA_NOT_FOUND',
    })
  })

  test('does not keep customers of the platform from paying each other', async () => {
    const friend = await newCustomer(platform)
    const { umaAddress } = (await platform.get(`/customers/${friend.id}`)).body
    await block()
    expect((await platform.get(`/receiver/uma/${encodeURIComponent(umaAddress)}`)).status).toBe(200)
    const reply = await platform.post('/quotes', buildQuote({ immediatelyExecute: true }, umaAddress))
    expect([reply.status, reply.body.status]).toEqual([201, 'PROCESSING'])
    await unblock()
  })

  test('is not paid by a quote from before it was blocked, even if an agent executes it', async () => {
    await platform.advance(0)
    const before = await readBalance()
    const agent = await newAgent(platform, payer.id)
    const approvalAgent = await newAgent(platform, payer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
    const [platformQuote, agentQuote, approvalQuote] = [
      (await platform.post('/quotes', buildQuote())).body.id,
      (await agent.post('/agents/me/quotes', buildQuote())).body.id,
      (await approvalAgent.post('/agents/me/quotes', buildQuote())).body.id,
    ]
    const fundedQuote = await platform.post(
      '/quotes',
      buildQuote({ source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' } }),
    )
    const action = (await approvalAgent.post(`/agents/me/quotes/${approvalQuote}/execute`)).body
    expect(action.status).toBe('PENDING_APPROVAL')
    await block()
    const code = 'COUNTERPARTY_NOT_ALLOWED'
    expectError(await platform.post(`/quotes/${platformQuote}/execute`), { code, field: 'quoteId' })
    expectError(await agent.post(`/agents/me/quotes/${agentQuote}/execute`), { code, field: 'quoteId' })
    const approved = await platform.post(`/agents/${approvalAgent.id}/actions/${action.id}/approve`)
    expect([approved.status, approved.body.status]).toEqual([200, 'FAILED'])
    // Money that arrives for the quote is refunded.
    const arrived = await platform.post('/sandbox/send', {
      quoteId: fundedQuote.body.id,
      currencyCode: 'USD',
    })
    expect(arrived.body).toMatchObject({ status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' })
    await platform.advance(0)
    expect(await readBalance()).toBe(before)
    await unblock()
    expect((await platform.post(`/quotes/${platformQuote}/execute`)).status).toBe(200)
  })

  test('is paid or refused without internal errors while it is blocked and allowed in parallel', async () => {
    const quotes = await Promise.all(
      Array.from({ length: 10 }, async () => (await platform.post('/quotes', buildQuote())).body.id),
    )
    const toggles = Array.from({ length: 6 }, (_, index) => index)
    const replies = await Promise.all([
      ...quotes.map((id) => platform.post(`/quotes/${id}/execute`)),
      forEach(toggles, (index) => (index % 2 === 0 ? block() : unblock()), 1),
    ])
    for (const reply of replies)
      if (reply && reply.status !== 200) expectError(reply, { code: 'COUNTERPARTY_NOT_ALLOWED' })
    await unblock()
  })

  test('is not paid from an embedded wallet by an earlier signature', async () => {
    await fund(platform, payer.wallet, 10_000_000)
    const session = await signIn(platform, payer.wallet)
    const created = await platform.post(
      '/quotes',
      buildQuote({
        source: { sourceType: 'ACCOUNT', accountId: payer.wallet },
        lockedCurrencyAmount: 1_000_000,
      }),
    )
    expect(created.status).toBe(201)
    const { payloadToSign } = created.body.paymentInstructions[0].accountOrWalletInfo
    await block()
    const executed = await platform.post(`/quotes/${created.body.id}/execute`, undefined, {
      'Svc-Wallet-Signature': session.stamp(payloadToSign),
    })
    expectError(executed, { code: 'COUNTERPARTY_NOT_ALLOWED', field: 'quoteId' })
    await unblock()
  })
})

describe("the operator's providers file", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-uma-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const PROVIDER = { name: 'Kestrel Pay', domain: 'pay.kestrel.example', supportedCurrencies: ['GBP', 'EUR'] }

  async function readProviders(content: unknown) {
    const path = join(folder, 'providers.json')
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return readConfig({ COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY, UMA_PROVIDERS_FILE: path }).umaProviders
  }

  test('lists the providers that the server knows', async () => {
    const entry = {
      ...PROVIDER,
      supportedRegions: ['GB'],
      logoUrl: 'https://a.example/l.png',
      lei: '5493001KJTIIGC8Y1R12',
    }
    expect(await readProviders([entry])).toEqual([entry])
    expect(readConfig({ COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY }).umaProviders).toBeUndefined()
  })

  test('fails the start with a one-line error if it is invalid', async () => {
    const invalidFiles: readonly [unknown, RegExp][] = [
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
    for (const [content, message] of invalidFiles) {
      const error = await readProviders(content).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ConfigError)
      expect((error as Error).message).toMatch(message)
      expect((error as Error).message).toMatch(/^UMA_PROVIDERS_FILE.*$/)
    }
  })
})
