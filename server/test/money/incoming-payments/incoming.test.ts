import { describe, expect, test } from 'vitest'
import { newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balanceOf,
  eventsOf,
  newReviewedPlatform,
  now,
  pay,
  payNow,
  SENDER,
} from '../../worlds/records/payments.testing.ts'

const INT64_MAX = 2n ** 63n - 1n

describe('without a webhook endpoint', () => {
  test('a payment is accepted immediately, credited and reported', async () => {
    const client = await newPlatform()
    const { id, usd } = await newCustomer(client)
    const { umaAddress, platformCustomerId } = (await client.get(`/customers/${id}`)).body
    const transaction = await payNow(client, id, {
      customerId: undefined,
      receiverUmaAddress: umaAddress.toUpperCase(),
    })
    expect(transaction).toEqual({
      id: expect.stringMatching(/^Transaction:/),
      type: 'INCOMING',
      direction: 'CREDIT',
      status: 'PROCESSING',
      source: { sourceType: 'UMA_ADDRESS', umaAddress: SENDER, currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: usd, currency: 'USD' },
      customerId: id,
      platformCustomerId,
      receivedAmount: { amount: 1250, currency: expect.objectContaining({ code: 'USD' }) },
      fees: 0,
      reconciliationInstructions: { reference: expect.any(String) },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const settled = await now(client, transaction)
    expect(settled).toEqual({
      ...transaction,
      status: 'COMPLETED',
      settledAt: settled.updatedAt,
      updatedAt: expect.any(String),
    })
    expect(await balanceOf(client, id)).toBe(1250n)
    expect(await eventsOf(client, transaction)).toEqual(['INCOMING_PAYMENT.COMPLETED'])
    for (const filter of [`senderAccountIdentifier=${SENDER}`, `receiverAccountIdentifier=${umaAddress}`])
      expect((await client.get(`/transactions?${encodeURI(filter)}`)).body.data).toEqual([settled])
  })

  test('a payment whose sender cannot be looked up fails, credits nothing and is reported', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const sender = { senderUmaAddress: '$fail.lnurlp.usd@sandbox.uma.test' }
    const failed = await payNow(client, id, sender)
    expect(failed).toMatchObject({ type: 'INCOMING', status: 'FAILED', failureReason: 'LNURLP_FAILED' })
    expect(await now(client, failed)).toEqual(failed)
    expect(await balanceOf(client, id)).toBe(0n)
    expect(await eventsOf(client, failed)).toEqual(['INCOMING_PAYMENT.FAILED'])
    await client.advance(3600)
    expect(await now(client, failed)).toEqual(failed)
  })

  test('the information that the platform requires of every sender is shown', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const { supportedCurrencies } = (await client.get('/config')).body
    const requiredCounterpartyFields = [
      { name: 'FULL_NAME', mandatory: true },
      { name: 'NATIONALITY', mandatory: false },
    ]
    await client.send('PATCH', '/config', {
      supportedCurrencies: supportedCurrencies.map((one: object) => ({ ...one, requiredCounterpartyFields })),
    })
    const { counterpartyInformation } = await payNow(client, customer.id)
    expect(counterpartyInformation).toEqual({ FULL_NAME: 'Grace Hopper', NATIONALITY: 'US' })
  })

  test('a wallet receives payments without a setting for its currency', async () => {
    const client = await newPlatform()
    const { id, wallet } = await newCustomer(client)
    const transaction = await payNow(client, id, { receivingCurrencyCode: 'USDB' })
    expect(transaction.destination.accountId).toBe(wallet)
    expect((await now(client, transaction)).status).toBe('COMPLETED')
    expect(await balanceOf(client, id, 'USDB')).toBe(1250n)
  })
})

describe('a payment that waits for the platform', () => {
  test('keeps its customer from being deleted until it is decided', async () => {
    const { client, customer } = await newReviewedPlatform(202)
    const transaction = await payNow(client, customer.id)
    const refused = await client.send('DELETE', `/customers/${customer.id}`)
    expectError(refused, { code: 'CUSTOMER_NOT_EMPTY', field: 'customerId' })
    expect(refused.body.details.transactions).toEqual([{ id: transaction.id, status: 'PENDING' }])
    expect((await client.post(`/transactions/${transaction.id}/reject`)).status).toBe(200)
    expect((await client.send('DELETE', `/customers/${customer.id}`)).status).toBe(200)
    expect(await balanceOf(client, customer.id)).toBe(0n)
  })
})

describe('an accepted payment', () => {
  test('is refunded and not credited if the balance would be too large', async () => {
    const { client, customer } = await newReviewedPlatform(202)
    const { supportedCurrencies } = (await client.get('/config')).body
    await client.send('PATCH', '/config', {
      supportedCurrencies: supportedCurrencies.map((one: object) => ({ ...one, maxAmount: INT64_MAX })),
    })
    const otherCustomer = await newCustomer(client)
    const largest = await payNow(client, customer.id, { receivingCurrencyAmount: INT64_MAX })
    expect(largest.receivedAmount.amount).toBe(INT64_MAX)
    const laterPayments = [await payNow(client, customer.id), await payNow(client, otherCustomer.id)]
    for (const { id } of [largest, ...laterPayments]) await client.post(`/transactions/${id}/approve`)
    expect((await now(client, largest)).status).toBe('COMPLETED')
    for (const payment of laterPayments) expect((await now(client, payment)).status).toBe('REFUNDED')
    expect(await balanceOf(client, customer.id)).toBe(INT64_MAX)
    expect(await balanceOf(client, otherCustomer.id)).toBe(0n)
    expectError(await pay(client, otherCustomer.id), {
      code: 'AMOUNT_OUT_OF_RANGE',
      field: 'receivingCurrencyAmount',
    })
  })
})

describe('no incoming payment is accepted', () => {
  test('for a customer, in a currency or of an amount that cannot be received', async () => {
    const client = await newPlatform()
    const [customer, otherCustomer, deleted] = [
      await newCustomer(client),
      await newCustomer(client),
      await newCustomer(client),
    ]
    const pending = (await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada 001' }))
      .body
    const readUmaAddress = async (id: string) => (await client.get(`/customers/${id}`)).body.umaAddress
    const [ownAddress, deletedAddress] = [await readUmaAddress(customer.id), await readUmaAddress(deleted.id)]
    await client.send('DELETE', `/customers/${deleted.id}`)
    const { supportedCurrencies } = (await client.get('/config')).body
    const [usd, eur] = supportedCurrencies
    await client.send('PATCH', '/config', {
      supportedCurrencies: [
        { ...usd, minAmount: 100, maxAmount: 5000 },
        { ...eur, enabledTransactionTypes: ['OUTGOING'] },
      ],
    })
    const cases: [Record<string, unknown>, Parameters<typeof expectError>[1]][] = [
      [
        { senderUmaAddress: 'grace@bank.example' },
        { code: 'INVALID_UMA_ADDRESS', field: 'senderUmaAddress' },
      ],
      [{ senderUmaAddress: ownAddress }, { code: 'SELF_PAYMENT', field: 'senderUmaAddress' }],
      [{ customerId: undefined }, { code: 'INVALID_INPUT', field: 'receiverUmaAddress' }],
      [{ customerId: buildMissingId('Customer') }, { code: 'USER_NOT_FOUND', field: 'customerId' }],
      [{ customerId: deleted.id }, { code: 'CUSTOMER_DELETED', field: 'customerId' }],
      [
        { customerId: otherCustomer.id, receiverUmaAddress: ownAddress },
        { code: 'INVALID_INPUT', field: 'customerId' },
      ],
      [{ customerId: pending.id }, { code: 'USER_NOT_READY' }],
      [
        { customerId: undefined, receiverUmaAddress: deletedAddress },
        { code: 'UMA_NOT_FOUND', field: 'receiverUmaAddress' },
      ],
      [
        { customerId: undefined, receiverUmaAddress: '$nobody@uma.example' },
        { code: 'UMA_NOT_FOUND', field: 'receiverUmaAddress' },
      ],
      [
        { customerId: undefined, receiverUmaAddress: '$success.usd@sandbox.uma.test' },
        { code: 'UMA_NOT_FOUND', field: 'receiverUmaAddress' },
      ],
      [
        { customerId: undefined, receiverUmaAddress: '$a b@uma.example' },
        { code: 'INVALID_UMA_ADDRESS', field: 'receiverUmaAddress' },
      ],
      [{ receivingCurrencyCode: 'GBP' }, { code: 'INVALID_CURRENCY', field: 'receivingCurrencyCode' }],
      [{ receivingCurrencyCode: 'EUR' }, { code: 'INVALID_CURRENCY', field: 'receivingCurrencyCode' }],
      [{ receivingCurrencyAmount: 99 }, { code: 'AMOUNT_OUT_OF_RANGE', field: 'receivingCurrencyAmount' }],
      [{ receivingCurrencyAmount: 5001 }, { code: 'AMOUNT_OUT_OF_RANGE', field: 'receivingCurrencyAmount' }],
    ]
    for (const [change, expected] of cases)
      expectError(await pay(client, customer.id, change), { ...expected, what: JSON.stringify(change) })
    expect((await client.get('/transactions')).body.data).toEqual([])
    for (const receivingCurrencyAmount of [100, 5000])
      await payNow(client, customer.id, { receivingCurrencyAmount, receiverUmaAddress: ownAddress })
  })
})

test('a receipt is confirmed once: the first time counts, and a future time is refused', async () => {
  const client = await newPlatform()
  const { id } = await newCustomer(client)
  const transaction = await payNow(client, id)
  const path = `/transactions/${transaction.id}/confirm`
  const tomorrow = new Date(Date.parse(transaction.createdAt) + 24 * 3600_000).toISOString()
  expectError(await client.post(path, { receiptDeliveryConfirmedAt: tomorrow }), {
    code: 'INVALID_INPUT',
    field: 'receiptDeliveryConfirmedAt',
  })
  const receiptDeliveryConfirmedAt = '2025-01-02T03:04:05.006Z'
  const first = await client.post(path, { receiptDeliveryConfirmedAt: '2025-01-02T04:04:05.006+01:00' })
  expect(first).toMatchObject({ status: 200, body: { id: transaction.id, receiptDeliveryConfirmedAt } })
  expect((await client.post(path)).body).toMatchObject({ receiptDeliveryConfirmedAt })
  expect(await now(client, transaction)).toMatchObject({ status: 'COMPLETED', receiptDeliveryConfirmedAt })

  const second = await payNow(client, id)
  const replies = await Promise.all(
    [1, 2, 3, 4].map((day) =>
      client.post(`/transactions/${second.id}/confirm`, {
        receiptDeliveryConfirmedAt: `2025-01-0${day}T00:00:00Z`,
      }),
    ),
  )
  const times = new Set(replies.map(({ body }) => body.receiptDeliveryConfirmedAt))
  expect([...times]).toEqual([(await now(client, second)).receiptDeliveryConfirmedAt])
  expectError(await client.post(`/transactions/${buildMissingId('Transaction')}/confirm`), {
    code: 'TRANSACTION_NOT_FOUND',
  })
})
