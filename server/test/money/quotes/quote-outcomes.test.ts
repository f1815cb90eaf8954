import { describe, expect, test } from 'vitest'
import { fund, newCustomer } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  account,
  balancesOf,
  buildUnknownId,
  FUNDED,
  findOwnCustomerId,
  quoted,
  readQuoteTransaction,
  ready,
  statusOf,
  to,
} from '../../worlds/records/payments.testing.ts'

describe('a quote to an external account', () => {
  const outcomes: [string, number, object, string][] = [
    ['002', 0, { status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' }, 'FAILED'],
    [
      '004',
      0,
      {
        status: 'FAILED',
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        refund: { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' },
      },
      'FAILED',
    ],
    ['006', 0, { status: 'FAILED', refund: { status: 'COMPLETED', reason: 'USER_CANCELLATION' } }, 'FAILED'],
  ]
  test.each(outcomes)(
    'with the suffix %s fails and returns the money',
    async (suffix, seconds, expected, quoteStatus) => {
      const { client, customer, bank } = await ready(suffix)
      const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
      await client.advance(seconds)
      expect(await readQuoteTransaction(client, quote)).toMatchObject(expected)
      expect(await statusOf(client, quote)).toBe(quoteStatus)
      expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
    },
  )

  test('with the suffix 004 fails with a Lightning reason if it is a Lightning wallet', async () => {
    const { client, customer } = await ready('999')
    const accountInfo = { accountType: 'LIGHTNING', lightningAddress: 'ada004@wallet.example' }
    const wallet = { customerId: customer.id, currency: 'BTC', accountInfo }
    const { body: lightningAccount } = await client.post('/customers/external-accounts', wallet)
    const quote = await quoted(client, account(customer.usd), to(lightningAccount.id), {
      immediatelyExecute: true,
    })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'FAILED',
      failureReason: 'LIGHTNING_PAYMENT_FAILED',
      refund: { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' },
    })
  })

  test('with the suffix 003 completes after 6 minutes', async () => {
    const { client, customer, bank } = await ready('003')
    const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(350)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ status: 'PROCESSING' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 2500, FUNDED])
    await client.advance(20)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ status: 'COMPLETED' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 2500, FUNDED - 2500])
  })

  test('with the suffix 005 stays completed although the bank returns the payment, which fails and is refunded', async () => {
    const { client, customer, bank } = await ready('005')
    const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ status: 'COMPLETED' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 2500, FUNDED - 2500])
    await client.advance(60)
    const failed = await readQuoteTransaction(client, quote)
    expect(failed).toMatchObject({
      status: 'FAILED',
      failureReason: 'COUNTERPARTY_POST_TX_FAILED',
      refund: { status: 'COMPLETED', reference: expect.any(String), settledAt: expect.any(String) },
    })
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('with the suffix 007 fails, and so does its refund: the money stays with the platform', async () => {
    const { client, customer, bank } = await ready('007')
    const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'FAILED',
      refund: { status: 'FAILED' },
    })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 2500, FUNDED - 2500])
  })
})

describe('a quote between internal accounts', () => {
  test('converts the money of one customer, and is reported to no other customer', async () => {
    const { client, customer } = await ready()
    const quote = await quoted(client, account(customer.usd), to(customer.eur), { immediatelyExecute: true })
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([2500, 2500])
    const remaining = FUNDED - quote.totalSendingAmount
    expect(await balancesOf(client, customer.id)).toEqual([remaining, remaining])
    expect((await client.get('/transactions')).body.totalCount).toBe(1)
  })

  test('pays another customer, who gets a transaction for it', async () => {
    const { client, customer } = await ready()
    const payeeCustomer = await newCustomer(client)
    const quote = await quoted(client, account(customer.usd), to(payeeCustomer.usd), {
      immediatelyExecute: true,
      description: 'Rent',
    })
    await client.advance(0)
    expect(await balancesOf(client, payeeCustomer.id)).toEqual([2500, 2500])
    const { data } = (await client.get(`/transactions?customerId=${payeeCustomer.id}`)).body
    expect(data).toMatchObject([
      {
        type: 'INCOMING',
        direction: 'CREDIT',
        status: 'COMPLETED',
        source: { sourceType: 'ACCOUNT', accountId: customer.usd },
        receivedAmount: { amount: 2500 },
        description: 'Rent',
      },
    ])
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'COMPLETED',
      direction: 'DEBIT',
    })
  })

  test('to a UMA address of this platform is found by that address for both customers, in upper or lower case', async () => {
    const { client, customer } = await ready()
    const payeeCustomer = await newCustomer(client)
    const { umaAddress } = (await client.get(`/customers/${payeeCustomer.id}`)).body
    await quoted(
      client,
      account(customer.usd),
      { destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' },
      { immediatelyExecute: true },
    )
    await client.advance(0)
    for (const filter of ['receiverAccountIdentifier', 'accountIdentifier'])
      for (const written of [umaAddress, umaAddress.toUpperCase()]) {
        const { body } = await client.get(`/transactions?${filter}=${encodeURIComponent(written)}`)
        const customers = body.data.map(({ customerId }: { customerId: string }) => customerId)
        expect(customers.sort()).toEqual([customer.id, payeeCustomer.id].sort())
      }
  })

  test('to a UMA address shows the receiver information that the platform requires', async () => {
    const { client, customer } = await ready()
    const payeeCustomer = await newCustomer(client, { fullName: 'Grace Murray Hopper' })
    const { umaAddress } = (await client.get(`/customers/${payeeCustomer.id}`)).body
    const requiredCounterpartyFields = [
      { name: 'FULL_NAME', mandatory: true },
      { name: 'TAX_ID', mandatory: false },
    ]
    const { supportedCurrencies } = (await client.get('/config')).body
    await client.send('PATCH', '/config', {
      supportedCurrencies: supportedCurrencies.map((entry: object) => ({
        ...entry,
        requiredCounterpartyFields,
      })),
    })
    const toUma = (address: string) => ({ destinationType: 'UMA_ADDRESS', umaAddress: address })
    const localQuote = await quoted(client, account(customer.usd), toUma(umaAddress))
    expect(localQuote.counterpartyInformation).toEqual({ FULL_NAME: 'Grace Murray Hopper' })
    expect((await client.get(`/quotes/${localQuote.id}`)).body).toEqual(localQuote)
    const remoteQuote = await quoted(client, account(customer.usd), toUma('$success.usd@sandbox.uma.test'))
    const sharedFields = { FULL_NAME: expect.any(String), TAX_ID: expect.any(String) }
    expect(remoteQuote.counterpartyInformation).toEqual(sharedFields)
    expect((await readQuoteTransaction(client, remoteQuote)).counterpartyInformation).toEqual(sharedFields)
    const toAccount = await quoted(client, account(customer.usd), to(payeeCustomer.usd))
    expect(toAccount).not.toHaveProperty('counterpartyInformation')
  })

  test('to a deleted customer is refused, and an earlier quote to that customer is not executed', async () => {
    const { client, customer } = await ready()
    const payeeCustomer = await newCustomer(client)
    const quote = await quoted(client, account(customer.usd), to(payeeCustomer.usd))
    await client.send('DELETE', `/customers/${payeeCustomer.id}`)
    const deletedError = { status: 410, body: { code: 'CUSTOMER_DELETED' } }
    const body = { source: account(customer.usd), destination: to(payeeCustomer.usd) }
    const locked = { lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 }
    expect(await client.post('/quotes', { ...body, ...locked })).toMatchObject(deletedError)
    expect(await client.post(`/quotes/${quote.id}/execute`)).toMatchObject(deletedError)
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('from an account to itself is refused', async () => {
    const { client, customer } = await ready()
    const reply = await client.post('/quotes', {
      source: account(customer.usd),
      destination: to(customer.usd),
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
    })
    expect(reply).toMatchObject({ status: 400, body: { code: 'SELF_PAYMENT' } })
  })

  test("from the platform's own money belongs to the platform if it names no customer", async () => {
    const { client, customer, bank } = await ready()
    const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
    await fund(client, platformAccount.id, 9000)
    const platformBank = await client.post('/customers/external-accounts', {
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '123456789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Analytical Engines' },
      },
    })
    const uma = { destinationType: 'UMA_ADDRESS', umaAddress: '$success.usd@sandbox.uma.test' }
    const platformCustomer = await findOwnCustomerId(client)
    const ids: string[] = []
    for (const payee of [to(bank), to(platformBank.body.id), to(customer.usd), uma]) {
      const options = { lockedCurrencyAmount: 1000, immediatelyExecute: true }
      const quote = await quoted(client, account(platformAccount.id), payee, options)
      expect(quote.source).toEqual(account(platformAccount.id))
      await client.advance(0)
      const transaction = await readQuoteTransaction(client, quote)
      const { id } = (await client.get('/config')).body
      expect(transaction).toMatchObject({
        status: 'COMPLETED',
        customerId: platformCustomer,
        platformCustomerId: id,
      })
      ids.push(transaction.id)
    }
    expectError(await client.get(`/customers/${platformCustomer}`), { code: 'USER_NOT_FOUND' })
    const listed = (await client.get(`/transactions?customerId=${platformCustomer}`)).body.data
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    const customerTransactions = (await client.get(`/transactions?customerId=${customer.id}`)).body.data
    expect(customerTransactions).toMatchObject([
      { type: 'INCOMING', source: { accountId: platformAccount.id } },
    ])
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED + 1000, FUNDED + 1000])
    const updatedAccount = (await client.get('/platform/internal-accounts?currency=USD')).body.data[0]
    expect(updatedAccount.balance.amount).toBe(5000)
  })

  test("from the platform's own money may be for a customer, and then belongs to that customer", async () => {
    const { client, customer, bank } = await ready()
    const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
    await fund(client, platformAccount.id, 9000)
    const body = { destination: to(bank), lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 1000 }
    const source = { ...account(platformAccount.id), customerId: customer.id }
    const createdQuote = await client.post('/quotes', { ...body, source, immediatelyExecute: true })
    expect(createdQuote).toMatchObject({ status: 201, body: { source } })
    await client.advance(0)
    expect(await readQuoteTransaction(client, createdQuote.body)).toMatchObject({
      status: 'COMPLETED',
      customerId: customer.id,
    })
  })

  test('from an omnibus account names the customer for whom it pays, or is refused before anything moves', async () => {
    const { client, customer, bank } = await ready()
    const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
    await fund(client, platformAccount.id, 9000)
    const body = {
      destination: to(bank),
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1000,
      immediatelyExecute: true,
    }
    const config = await client.send('PATCH', '/config', { omnibusAccounts: true })
    expect(config).toMatchObject({ status: 200, body: { omnibusAccounts: true } })
    const field = 'source.customerId'
    const unnamed = await client.post('/quotes', { ...body, source: account(platformAccount.id) })
    expectError(unnamed, { code: 'INVALID_INPUT', field })
    const unknown = { ...account(platformAccount.id), customerId: buildUnknownId('Customer') }
    expectError(await client.post('/quotes', { ...body, source: unknown }), { code: 'USER_NOT_FOUND', field })
    expect((await client.get('/quotes')).body.data).toEqual([])
    const source = { ...account(platformAccount.id), customerId: customer.id }
    const createdQuote = await client.post('/quotes', { ...body, source })
    await client.advance(0)
    expect(await readQuoteTransaction(client, createdQuote.body)).toMatchObject({
      status: 'COMPLETED',
      customerId: customer.id,
    })
    // A customer's account still pays for its owner.
    const customerQuote = await client.post('/quotes', { ...body, source: account(customer.usd) })
    expect(customerQuote).toMatchObject({ status: 201, body: { source: account(customer.usd) } })
    // Without the setting the platform pays for itself again.
    await client.send('PATCH', '/config', { omnibusAccounts: false })
    expect((await client.post('/quotes', { ...body, source: account(platformAccount.id) })).status).toBe(201)
  })
})

test('a quote cannot be executed after its expiry, even if its job is late', async () => {
  const { client, customer, bank } = await ready()
  const instant = { ...to(bank), paymentRail: 'RTP' }
  const quote = await quoted(client, account(customer.usd), instant)
  expect(Date.parse(quote.expiresAt) - Date.parse(quote.createdAt)).toBe(5 * 60_000)
  const slow = await quoted(client, account(customer.usd), to(bank))
  expect(Date.parse(slow.expiresAt) - Date.parse(slow.createdAt)).toBe(15 * 60_000)
  await client.advance(5 * 60)
  const late = await client.post(`/quotes/${quote.id}/execute`)
  expect(late).toMatchObject({ status: 400, body: { code: 'QUOTE_EXPIRED' } })
  expect((await client.post(`/quotes/${slow.id}/execute`)).status).toBe(200)
})

test('a rate is locked for 5 minutes if every rail is instant, else for 15', async () => {
  const { client, customer, bank } = await ready()
  const readLockMinutes = async (source: object, destination: object) => {
    const { expiresAt, createdAt } = await quoted(client, source, destination)
    return (Date.parse(expiresAt) - Date.parse(createdAt)) / 60_000
  }
  const fundingSource = (currency: string) => ({ sourceType: 'REALTIME_FUNDING', currency })
  for (const instant of ['GBP', 'MXN', 'INR', 'BRL', 'USDC'])
    expect([instant, await readLockMinutes(fundingSource(instant), to(customer.usd))]).toEqual([instant, 5])
  for (const slow of ['USD', 'EUR', 'THB'])
    expect([slow, await readLockMinutes(fundingSource(slow), to(customer.usd))]).toEqual([slow, 15])
  expect(await readLockMinutes(fundingSource('GBP'), to(bank))).toBe(15)
  expect(await readLockMinutes(fundingSource('GBP'), { ...to(bank), paymentRail: 'FEDNOW' })).toBe(5)
})
