import { exampleAccounts } from '@countersign/contract/accounts/account-types'
import { describe, expect, test } from 'vitest'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'

const FUNDED = 100_000

async function ready(suffix?: string) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  return { client, customer, bank: await newBankAccount(client, customer.id, suffix) }
}

type Ready = Awaited<ReturnType<typeof ready>>

const out = ({ client, customer, bank }: Ready, more: object = {}) =>
  client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    ...more,
  })

const pull = ({ client, customer, bank }: Ready, more: object = {}) =>
  client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    ...more,
  })

async function balancesOf(client: Client, customerId: string): Promise<[number, number]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&currency=USD`)
  return [body.data[0].balance.amount, body.data[0].totalBalance.amount]
}

const read = async (client: Client, { body }: Reply) => (await client.get(`/transactions/${body.id}`)).body

const USD = { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 }

describe('a transfer out', () => {
  test('holds its amount immediately and debits it when the rail has delivered it', async () => {
    const place = await ready()
    const { client, customer, bank } = place
    const begun = await out(place, {
      amount: 2500,
      destination: { accountId: bank, paymentRail: 'ACH' },
      remittanceInformation: 'x'.repeat(80),
    })
    expect(begun.status).toBe(201)
    const { id, createdAt, updatedAt, reconciliationInstructions } = begun.body
    expect(begun.body).toEqual({
      id,
      type: 'INCOMING',
      direction: 'DEBIT',
      status: 'PENDING',
      source: { sourceType: 'ACCOUNT', accountId: customer.usd, currency: 'USD' },
      destination: { destinationType: 'ACCOUNT', accountId: bank, currency: 'USD' },
      customerId: customer.id,
      platformCustomerId: expect.any(String),
      sentAmount: { amount: 2500, currency: USD },
      receivedAmount: { amount: 2500, currency: USD },
      fees: 0,
      rateDetails: {
        svcApiMultiplier: expect.any(Number),
        svcApiFixedFee: 0,
        svcApiVariableFeeRate: 0,
        svcApiVariableFeeAmount: 0,
      },
      reconciliationInstructions,
      createdAt,
      updatedAt,
    })
    await client.advance(0)
    const settled = await read(client, begun)
    expect(settled).toMatchObject({ status: 'COMPLETED', settledAt: expect.any(String) })
    // Its type is INCOMING only in the response that begins it (specification 4.11).
    const { rateDetails } = begun.body
    expect(settled).toMatchObject({ type: 'OUTGOING', fees: 0, rateDetails })
    const listed = await client.get(`/transactions?type=OUTGOING&customerId=${customer.id}`)
    expect(listed.body.data).toEqual([settled])
    const told = await client.events(`&objectId=${id}`)
    expect(told.map(({ data }: { data: { type: string } }) => data.type)).toEqual(['OUTGOING', 'OUTGOING'])
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 2500, FUNDED - 2500])
  })

  test('without an amount sends the available balance, and is refused when nothing is left', async () => {
    const place = await ready('005')
    expect((await out(place, { amount: 40_000 })).status).toBe(201)
    const rest = await out(place)
    expect(rest.body.sentAmount.amount).toBe(60_000)
    expect(await balancesOf(place.client, place.customer.id)).toEqual([0, FUNDED])
    const third = await out(place)
    expect(third).toMatchObject({
      status: 400,
      body: { code: 'INSUFFICIENT_BALANCE', details: { available: 0 } },
    })
  })

  test('above the available balance is refused and holds nothing', async () => {
    const place = await ready()
    const refused = await out(place, { amount: FUNDED + 1 })
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 'INSUFFICIENT_BALANCE',
        details: { field: 'amount', available: FUNDED, required: FUNDED + 1 },
      },
    })
    expect(await balancesOf(place.client, place.customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('of everything, requested in parallel, is made once', async () => {
    const place = await ready()
    const replies = await Promise.all(Array.from({ length: 20 }, () => out(place, { amount: FUNDED })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(new Set(replies.map(({ body }) => body.code))).toEqual(
      new Set([undefined, 'INSUFFICIENT_BALANCE']),
    )
  })

  test('is made once under one key, for any number of requests, with the same response', async () => {
    const place = await ready()
    const { client, customer, bank } = place
    const body = { source: { accountId: customer.usd }, destination: { accountId: bank }, amount: 100 }
    const ask = () => client.post('/transfer-out', body, { 'Idempotency-Key': 'once' })
    const replies = await Promise.all(Array.from({ length: 50 }, ask))
    expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    await client.advance(0)
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 100, FUNDED - 100])
    expect((await client.get('/transactions')).body.totalCount).toBe(1)
  })

  test('from an embedded wallet is refused, with a pointer to quotes', async () => {
    const place = await ready()
    const refused = await out(place, { source: { accountId: place.customer.wallet }, amount: 1 })
    expect(refused).toMatchObject({ status: 400, body: { details: { field: 'source.accountId' } } })
  })

  test('is between accounts of one owner and one currency, by a rail that reaches the account', async () => {
    const place = await ready()
    const { client, customer, bank } = place
    const stranger = await newCustomer(client)
    const elsewhere = await newBankAccount(client, stranger.id)
    const cases: [object, number, string, string][] = [
      [{ source: { accountId: customer.eur } }, 400, 'INVALID_CURRENCY', 'destination.accountId'],
      [{ destination: { accountId: elsewhere } }, 404, 'ACCOUNT_NOT_FOUND', 'destination.accountId'],
      [{ source: { accountId: stranger.usd } }, 404, 'ACCOUNT_NOT_FOUND', 'destination.accountId'],
      [{ source: { accountId: 'InternalAccount:none' } }, 404, 'ACCOUNT_NOT_FOUND', 'source.accountId'],
      [
        { destination: { accountId: bank, paymentRail: 'PIX' } },
        400,
        'INVALID_INPUT',
        'destination.paymentRail',
      ],
      [{ remittanceInformation: 'x'.repeat(81) }, 400, 'INVALID_INPUT', 'remittanceInformation'],
      [{ amount: 0 }, 400, 'INVALID_INPUT', 'amount'],
      [{ amount: -1 }, 400, 'INVALID_INPUT', 'amount'],
    ]
    for (const [more, status, code, field] of cases)
      expect(await out(place, { amount: 1, ...more }), JSON.stringify(more)).toMatchObject({
        status,
        body: { code, details: { field } },
      })
    expect((await client.get('/transactions')).body.totalCount).toBe(0)
  })
})

describe('a transfer in', () => {
  test('credits the account when the rail has pulled it, and not before', async () => {
    const place = await ready()
    const { client, customer, bank } = place
    const begun = await pull(place, { amount: 700 })
    expect(begun).toMatchObject({
      status: 201,
      body: {
        type: 'INCOMING',
        direction: 'CREDIT',
        status: 'PENDING',
        source: { sourceType: 'ACCOUNT', accountId: bank },
        destination: { destinationType: 'ACCOUNT', accountId: customer.usd },
        receivedAmount: { amount: 700 },
      },
    })
    await client.advance(0)
    expect(await read(client, begun)).toMatchObject({ status: 'COMPLETED' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED + 700, FUNDED + 700])
  })

  test('completes or fails, however large: it does not stay pending', async () => {
    const { client, customer, bank } = await ready()
    const amount = 9_000_000_000_000_000_000n
    const [usd] = (await client.get('/config')).body.supportedCurrencies
    const supportedCurrencies = [{ ...usd, maxAmount: amount }]
    expect((await client.send('PATCH', '/config', { supportedCurrencies })).status).toBe(200)
    const other = await newCustomer(client)
    const sides = [
      { source: { accountId: bank }, destination: { accountId: customer.usd } },
      {
        source: { accountId: await newBankAccount(client, other.id) },
        destination: { accountId: other.usd },
      },
    ]
    const pullBoth = () => Promise.all(sides.map((side) => client.post('/transfer-in', { ...side, amount })))
    const begun = await pullBoth()
    await client.advance(0)
    const tooLarge = { status: 400, code: 'AMOUNT_OUT_OF_RANGE', details: { field: 'amount' } }
    const full = { status: 'FAILED', failureReason: 'OFFRAMP_FAILED' }
    const ends = await Promise.all(
      begun.map(async (reply) => (reply.status === 201 ? read(client, reply) : reply.body)),
    )
    const [first, second] = ends[0].status === 'COMPLETED' ? ends : ends.toReversed()
    expect(first).toMatchObject({ status: 'COMPLETED' })
    // The second one came before the first was settled, or after it.
    expect(second).toMatchObject(second.status === 400 ? tooLarge : full)
    for (const { body } of await pullBoth()) expect(body).toMatchObject(tooLarge)
  })

  test('without an amount pulls the maximum, and is refused if that is unknown or zero', async () => {
    const place = await ready()
    const { client, customer } = place
    const all = await pull(place)
    expect(all).toMatchObject({ status: 201, body: { receivedAmount: { amount: 100_000 } } })
    await client.advance(0)
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED + 100_000, FUNDED + 100_000])
    const empty = await pull(await ready('002'))
    expect(empty).toMatchObject({
      status: 400,
      body: { code: 'INSUFFICIENT_BALANCE', details: { field: 'amount', available: 0 } },
    })
    // No rail pulls from this account, so its balance is unknown.
    const { body: clabe } = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'MXN',
      accountInfo: { ...exampleAccounts('MXN_ACCOUNT')[0] },
    })
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=MXN`))
      .body
    const asked = await client.post('/transfer-in', {
      source: { accountId: clabe.id },
      destination: { accountId: data[0].id },
    })
    expect(asked).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field: 'amount' } },
    })
  })
})

describe('the sandbox suffixes of an external account', () => {
  test.each([
    ['002', 'Insufficient funds'],
    ['003', 'The account is closed or invalid'],
    ['004', 'The bank rejected the payment'],
  ])('%s fails a transfer immediately, and releases its money', async (suffix, failureDetail) => {
    const place = await ready(suffix)
    const { client, customer } = place
    const [sent, pulled] = [await out(place, { amount: 500 }), await pull(place, { amount: 500 })]
    await client.advance(0)
    const failed = { status: 'FAILED', counterpartyInformation: { failureDetail } }
    expect(await read(client, sent)).toMatchObject({
      ...failed,
      failureReason: 'COUNTERPARTY_POST_TX_FAILED',
    })
    expect(await read(client, pulled)).toMatchObject({ ...failed, failureReason: 'PAY_REQUEST_FAILED' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('005 keeps a transfer pending for 30 seconds and then fails it', async () => {
    const place = await ready('005')
    const { client, customer } = place
    const begun = await out(place, { amount: 500 })
    await client.advance(20)
    expect(await read(client, begun)).toMatchObject({ status: 'PENDING' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED - 500, FUNDED])
    await client.advance(15)
    expect(await read(client, begun)).toMatchObject({ status: 'FAILED' })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })
})
