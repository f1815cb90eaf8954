import { createServer, type Server } from 'node:http'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { createOp } from '../../../src/kernel/operation/app.ts'
import { exchangeRateHandlers } from '../../../src/money/prices/exchange-rate-handlers.ts'
import { Client, newBankAccount, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

type Row = Reply['body']

async function listRates(client: Client, query = ''): Promise<Row[]> {
  const { status, body } = await client.get(`/exchange-rates${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

const describeCorridor = (row: Row) =>
  `${row.sourceCurrency.code} ${row.destinationCurrency.code} ${row.destinationPaymentRail}`

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

describe('GET /exchange-rates', () => {
  test('shows the same amounts and fees that a later quote charges', async () => {
    const customer = await newCustomer(client)
    const usd = await newBankAccount(client, customer.id)
    const eur = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'EUR',
      accountInfo: {
        accountType: 'EUR_ACCOUNT',
        iban: 'DE89370400440532013000',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
      },
    })
    expect(eur.status, JSON.stringify(eur.body)).toBe(201)
    const corridors = [
      [customer.usd, 'USD', eur.body.id, 'EUR', 'SEPA'],
      [customer.usd, 'USD', usd, 'USD', 'ACH'],
      [customer.eur, 'EUR', usd, 'USD', 'WIRE'],
      [customer.wallet, 'USDB', eur.body.id, 'EUR', 'SEPA_INSTANT'],
    ] as const
    for (const [source, sending, destination, receiving, paymentRail] of corridors)
      for (const amount of [130_000, 1_234_567, 99_999_999]) {
        const query = `?sourceCurrency=${sending}&destinationCurrency=${receiving}&sendingAmount=${amount}`
        const row = (await listRates(client, query)).find((one) => one.destinationPaymentRail === paymentRail)
        const quote = await client.post('/quotes', {
          source: { sourceType: 'ACCOUNT', accountId: source },
          destination: { destinationType: 'ACCOUNT', accountId: destination, paymentRail },
          lockedCurrencySide: 'SENDING',
          lockedCurrencyAmount: amount,
        })
        expect(quote.status, JSON.stringify(quote.body)).toBe(201)
        const { rateDetails } = quote.body
        expect(row).toMatchObject({
          sendingAmount: quote.body.totalSendingAmount,
          receivingAmount: quote.body.totalReceivingAmount,
          exchangeRate: quote.body.exchangeRate,
          sourceCurrency: quote.body.sendingCurrency,
          destinationCurrency: quote.body.receivingCurrency,
          fees: { fixed: rateDetails.svcApiFixedFee, total: quote.body.feesIncluded },
        })
        expect(row.fees.total).toBe(
          rateDetails.svcApiFixedFee + Math.ceil(rateDetails.svcApiVariableFeeAmount),
        )
      }
  })

  test('has an entry for every rail to a currency, from every currency that the platform pays from', async () => {
    const rows = await listRates(client)
    const sources = ['USD', 'EUR', 'MXN', 'USDC', 'USDB']
    expect([...new Set(rows.map((row) => row.sourceCurrency.code))]).toEqual(sources)
    expect(new Set(rows.map(describeCorridor)).size).toBe(rows.length)
    const listRailsTo = (code: string) =>
      rows
        .filter((row) => row.sourceCurrency.code === 'USD' && row.destinationCurrency.code === code)
        .map((row) => row.destinationPaymentRail)
    expect(new Set(listRailsTo('USD'))).toEqual(
      new Set(['ACH', 'WIRE', 'RTP', 'FEDNOW', 'BANK_TRANSFER', 'MOBILE_MONEY', 'SWIFT']),
    )
    expect(listRailsTo('BRL')).toEqual(['PIX', 'SWIFT'])
    // Payouts go by SWIFT only: an Argentine account appears in payment instructions only.
    expect(listRailsTo('ARS')).toEqual(['SWIFT'])
    const reachedCodes = new Set(rows.map((row) => row.destinationCurrency.code))
    for (const [code, { kind }] of Object.entries(CURRENCIES))
      expect(reachedCodes.has(code)).toBe(kind === 'fiat')
    for (const row of rows) {
      expect(row.sendingAmount).toBe(10_000)
      const delivered = row.sendingAmount - row.fees.total
      expect(Math.abs(row.receivingAmount * row.exchangeRate - delivered)).toBeLessThan(1)
      const isSame = row.sourceCurrency.code === row.destinationCurrency.code
      if (isSame) expect(row).toMatchObject({ fees: { total: 0 }, receivingAmount: 10_000, exchangeRate: 1 })
    }
  })

  test('shows the limits from the settings, and no currency that cannot be sent', async () => {
    const platform = await newPlatform()
    const buildSetting = (currencyCode: string, enabledTransactionTypes: string[]) => ({
      currencyCode,
      minAmount: 500,
      maxAmount: 70_000n,
      requiredCounterpartyFields: [],
      enabledTransactionTypes,
    })
    const supportedCurrencies = [
      buildSetting('GBP', ['INCOMING', 'OUTGOING']),
      buildSetting('USD', ['INCOMING']),
      buildSetting('USDC', ['OUTGOING']),
    ]
    expect((await platform.send('PATCH', '/config', { supportedCurrencies })).status).toBe(200)
    const rows = await listRates(platform, '?destinationCurrency=VND')
    const limits = rows.map((row) => [row.sourceCurrency.code, row.minSendingAmount, row.maxSendingAmount])
    const unlimited = [1, 9_000_000_000_000_000]
    expect(new Set(limits.map(String))).toEqual(
      new Set(
        [
          ['GBP', 500, 70_000],
          ['USDC', 500, 70_000],
          ['USDB', ...unlimited],
        ].map(String),
      ),
    )
    expect(await listRates(platform, '?sourceCurrency=USD')).toEqual([])
    const [kes] = await listRates(platform, '?sourceCurrency=KES&destinationCurrency=VND')
    expect([kes.minSendingAmount, kes.maxSendingAmount]).toEqual(unlimited)
  })

  test('is filtered by source and by any number of destinations', async () => {
    const euroRates = await listRates(client, '?sourceCurrency=EUR')
    const filterTo = (...codes: string[]) =>
      euroRates.filter((row) => codes.includes(row.destinationCurrency.code))
    expect(await listRates(client, '?sourceCurrency=EUR&destinationCurrency=GBP')).toEqual(filterTo('GBP'))
    const several =
      '?sourceCurrency=EUR&destinationCurrency=GBP&destinationCurrency=USD&destinationCurrency=GBP'
    expect(await listRates(client, several)).toEqual([...filterTo('GBP'), ...filterTo('USD')])
    // No rail pays out BTC.
    expect(await listRates(client, '?destinationCurrency=BTC')).toEqual([])
  })

  test('refuses an unknown currency and an impossible amount', async () => {
    for (const [query, code, field] of [
      ['sourceCurrency=XYZ', 'INVALID_CURRENCY', 'sourceCurrency'],
      ['sourceCurrency=SLV', 'INVALID_CURRENCY', 'sourceCurrency'],
      ['destinationCurrency=XYZ', 'INVALID_CURRENCY', 'destinationCurrency.0'],
      ['destinationCurrency=EUR&destinationCurrency=XYZ', 'INVALID_CURRENCY', 'destinationCurrency.1'],
      ['sourceCurrency=usd', 'INVALID_INPUT', 'sourceCurrency'],
      ['sendingAmount=-1', 'INVALID_INPUT', 'sendingAmount'],
      ['sendingAmount=9000000000000001', 'INVALID_INPUT', 'sendingAmount'],
      ['sendingAmount=9000000000000000', 'AMOUNT_OUT_OF_RANGE', 'sendingAmount'],
    ] as const)
      expectError(await client.get(`/exchange-rates?${query}`), { code, field, what: query })
  })

  test('is exact for any amount, and has no entry if the fees use up the amount', async () => {
    const to = '?sourceCurrency=USD&destinationCurrency=USD&sendingAmount='
    for (const amount of [0, 1, 9_000_000_000_000_000]) {
      const [row] = await listRates(client, to + amount)
      expect(row).toMatchObject({ sendingAmount: amount, receivingAmount: amount, fees: { total: 0 } })
    }
    for (const amount of [0, 1, 10, 12, 13]) {
      const [row] = await listRates(
        client,
        `?sourceCurrency=USD&destinationCurrency=EUR&sendingAmount=${amount}`,
      )
      const isEnough = amount === 13
      expect(row).toMatchObject({
        sendingAmount: amount,
        receivingAmount: isEnough ? 1 : 0,
        exchangeRate: 1.16,
      })
      expect(row.fees.total).toBe(isEnough ? 11 : amount)
      expect(row.fees.fixed).toBeLessThanOrEqual(row.fees.total)
    }
  })

  test("is dated by the platform's own clock, at most five minutes in the past", async () => {
    const platform = await newPlatform()
    const expectRecent = async () => {
      const [row] = await listRates(platform, '?destinationCurrency=EUR')
      const { body } = await platform.get('/sandbox/clock')
      const age = Date.parse(body.now) - Date.parse(row.updatedAt)
      expect(age).toBeGreaterThanOrEqual(0)
      expect(age).toBeLessThan(300_000 + timeLimit(1000))
    }
    await expectRecent()
    await platform.advance(40 * 24 * 3600)
    await expectRecent()
  })
})

describe('a server in production', () => {
  let rateSource: Server
  let renderRates: () => string
  let service: TestServer
  let bankClient: Client

  beforeAll(async () => {
    renderRates = () => 'nothing yet'
    rateSource = createServer((_request, response) => response.end(renderRates()))
    const port = await listen(rateSource)
    service = await openServer({
      COUNTERSIGN_MODE: 'production',
      RATES_URL: `http://127.0.0.1:${port}/`,
      RATES_MAX_AGE_SECONDS: '1',
      COUNTERSIGN_FEES: '[{"source": "USD", "destination": "EUR", "fixed": "1", "variable": "0.25"}]',
    })
    bankClient = new Client(await createPlatform(service.app, 'Bank', true), service.baseUrl)
  })
  afterAll(async () => {
    await service.close()
    rateSource.closeAllConnections()
    rateSource.close()
  })

  const QUERY = '/exchange-rates?sourceCurrency=USD&destinationCurrency=EUR&sendingAmount=1000'

  test('takes its rates from RATES_URL and its fees from COUNTERSIGN_FEES, and returns 503 if the rates are too old', async () => {
    const expectUnavailable = async () => {
      const reply = await bankClient.get(QUERY)
      expectError(reply, { code: 'UNAVAILABLE' })
      expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    }
    await expectUnavailable()
    renderRates = () =>
      `{"base": "USD", "updatedAt": "${new Date().toISOString()}", "rates": {"EUR": 1.25, "BTC": 1e5}}`
    await expect.poll(async () => (await bankClient.get(QUERY)).status).toBe(200)
    const { data } = (await bankClient.get(QUERY)).body
    expect(data[0]).toMatchObject({
      exchangeRate: 1.25,
      fees: { fixed: 100, total: 350 },
      receivingAmount: 520,
    })
    // A currency that the source does not list has no entry.
    expect(await listRates(bankClient, '?sourceCurrency=USD&destinationCurrency=GBP')).toEqual([])
    renderRates = () => 'nothing any more'
    await expect.poll(async () => (await bankClient.get(QUERY)).status).toBe(503)
    await expectUnavailable()
  })

  test('returns 501 without RATES_URL', async () => {
    const { app } = service
    const platform = await app.read
      .selectFrom('platforms')
      .selectAll()
      .where('id', '=', bankClient.credentials.platformId)
      .executeTakeFirstOrThrow()
    const op = { ...createOp(app, platform, { kind: 'job', jobId: 'test' }), rates: undefined }
    const listing = exchangeRateHandlers.exchange_rate_list(op, { params: {}, query: {}, body: undefined })
    await expect(listing).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' })
  })
})
