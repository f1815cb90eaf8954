import { describe, expect, test } from 'vitest'
import { newCustomer, newPlatform, type Reply, toRefusal } from '../../worlds/client.testing.ts'

const buildCurrency = (currencyCode: string, more: object = {}) => ({
  currencyCode,
  minAmount: 1,
  maxAmount: 1_000_000,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['OUTGOING'],
  ...more,
})

const listCodes = (accounts: Reply['body'][]) =>
  accounts.map((account) => account.balance.currency.code).sort()

describe('the settings of a platform', () => {
  test('start with defaults, including a stablecoin, and with one platform account per currency', async () => {
    const client = await newPlatform()
    const { status, body } = await client.get('/config')
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: client.credentials.platformId, isRegulatedFinancialInstitution: false })
    expect(body.supportedCurrencies.map((c: { currencyCode: string }) => c.currencyCode)).toEqual([
      'USD',
      'EUR',
      'MXN',
      'USDC',
    ])
    expect(body.supportedCurrencies.map((c: { maxAmount: number }) => c.maxAmount)).toEqual([
      10_000_000_00, 10_000_000_00, 10_000_000_00, 10_000_000_000000,
    ])
    expect(body.embeddedWalletConfig).toEqual({
      appName: 'Countersign',
      otpLength: 6,
      alphanumeric: false,
      expirationSeconds: 300,
    })
    const platformAccounts = await client.get('/platform/internal-accounts')
    expect(listCodes(platformAccounts.body.data)).toEqual(['EUR', 'MXN', 'USD', 'USDC'])
    expect(platformAccounts.body.data[0]).not.toHaveProperty('customerId')
  })

  test('keep fields that a change leaves out; the list of currencies is replaced as a whole', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    const currencies = [
      buildCurrency('USD', { maxAmount: 9007199254740993n }),
      buildCurrency('USDC', { minAmount: 0 }),
    ]
    const reply = await client.send('PATCH', '/config', {
      umaDomain: 'pay.example:8443',
      supportedCurrencies: currencies.map((c) => ({ ...c, providerRequiredCustomerFields: ['FULL_NAME'] })),
      embeddedWalletConfig: { otpLength: 8 },
    })
    const expected = {
      ...before,
      umaDomain: 'pay.example:8443',
      supportedCurrencies: currencies,
      embeddedWalletConfig: { ...before.embeddedWalletConfig, otpLength: 8 },
      updatedAt: reply.body.updatedAt,
    }
    expect(reply).toMatchObject({ status: 200, body: expected })
    expect((await client.get('/config')).body).toEqual(expected)
    expect((await newCustomer(client)).usd).toBeDefined()
    const { body } = await client.post('/customers', { customerType: 'INDIVIDUAL' })
    expect(body.umaAddress).toMatch(/@pay\.example:8443$/)
  })

  test.each([
    [[buildCurrency('USD'), buildCurrency('SLV')], 'INVALID_CURRENCY', 'supportedCurrencies.1.currencyCode'],
    [[buildCurrency('USD'), buildCurrency('USD')], 'INVALID_INPUT', 'supportedCurrencies.1.currencyCode'],
    [
      [buildCurrency('USD', { minAmount: 2, maxAmount: 1 })],
      'INVALID_INPUT',
      'supportedCurrencies.0.maxAmount',
    ],
    [[buildCurrency('USD', { minAmount: -1 })], 'INVALID_INPUT', 'supportedCurrencies.0.minAmount'],
    [[buildCurrency('USD', { maxAmount: 1.5 })], 'INVALID_INPUT', 'supportedCurrencies.0.maxAmount'],
    [[buildCurrency('USD', { maxAmount: 2n ** 63n })], 'INVALID_INPUT', 'supportedCurrencies.0.maxAmount'],
    [[buildCurrency('USD', { maxAmount: '1' })], 'INVALID_INPUT', 'supportedCurrencies.0.maxAmount'],
  ])('refuse an invalid list of currencies: case %#', async (supportedCurrencies, code, field) => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    expect(toRefusal(await client.send('PATCH', '/config', { supportedCurrencies }))).toEqual({
      status: 400,
      code,
      field,
    })
    expect((await client.get('/config')).body).toEqual(before)
  })

  test('have a maximum total size, and the refusal names the largest field', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    const issuers = Array.from({ length: 10 }, (_, n) => ({
      issuer: `https://id${n}.example`,
      audiences: Array.from({ length: 26 }, (_, m) => `${m}`.padEnd(200, 'x')),
    }))
    const reply = await client.send('PATCH', '/config', {
      umaDomain: 'pay.example',
      oauthConfig: { issuers },
    })
    expect(toRefusal(reply)).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'oauthConfig' })
    expect((await client.get('/config')).body).toEqual(before)
    const smallerConfig = { issuers: issuers.slice(0, 5) }
    expect((await client.send('PATCH', '/config', { oauthConfig: smallerConfig })).status).toBe(200)
  })

  test('with a new currency give every approved customer an account in it, once', async () => {
    const client = await newPlatform()
    const customers = [await newCustomer(client), await newCustomer(client)]
    const pending = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada 001' })
    const codes = ['USD', 'GBP', 'BRL']
    const setCurrencies = (codes: string[]) =>
      client.send('PATCH', '/config', { supportedCurrencies: codes.map((code) => buildCurrency(code)) })
    expect((await setCurrencies(codes)).status).toBe(200)
    expect(listCodes((await client.get('/platform/internal-accounts')).body.data)).toEqual([
      'BRL',
      'EUR',
      'GBP',
      'MXN',
      'USD',
      'USDC',
    ])
    await client.advance(1)
    // A currency that is removed and added again keeps its accounts.
    expect((await setCurrencies(['USD'])).status).toBe(200)
    expect((await setCurrencies(codes)).status).toBe(200)
    await client.advance(1)
    for (const { id } of customers) {
      const accounts = await client.get(`/customers/internal-accounts?customerId=${id}&type=INTERNAL_FIAT`)
      expect(listCodes(accounts.body.data)).toEqual(['BRL', 'EUR', 'GBP', 'MXN', 'USD'])
    }
    // A pending customer gets the new accounts with the approval.
    const before = await client.get(`/customers/internal-accounts?customerId=${pending.body.id}`)
    expect(listCodes(before.body.data)).toEqual(['EUR', 'MXN', 'USD', 'USDC'])
    for (const { status } of before.body.data) expect(status).toBe('PENDING')
  })

  test('can require more accounts than fit into one job', async () => {
    const client = await newPlatform()
    const creations = Array.from({ length: 60 }, () =>
      client.post('/customers', { customerType: 'INDIVIDUAL' }),
    )
    await Promise.all(creations)
    const currencies = ['USD', 'EUR', 'MXN', 'GBP', 'BRL'].map((code) => buildCurrency(code))
    await client.send('PATCH', '/config', { supportedCurrencies: currencies })
    await client.advance(5)
    for (const code of ['GBP', 'BRL'])
      expect((await client.get(`/customers/internal-accounts?currency=${code}`)).body.totalCount).toBe(60)
  })
})
