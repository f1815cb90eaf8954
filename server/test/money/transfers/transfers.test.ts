import { getExampleAccounts } from '@countersign/contract/accounts/account-types'
import { describe, expect, test } from 'vitest'
import { type Client, newBankAccount, newCustomer, type Reply } from '../../worlds/client.testing.ts'
import { FUNDED, ready } from '../../worlds/records/payments.testing.ts'

type Payer = Awaited<ReturnType<typeof ready>>

const transferOut = ({ client, customer, bank }: Payer, more: object = {}) =>
  client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    ...more,
  })

const transferIn = ({ client, customer, bank }: Payer, more: object = {}) =>
  client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    ...more,
  })

async function readBalances(client: Client, customerId: string): Promise<[number, number]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&currency=USD`)
  return [body.data[0].balance.amount, body.data[0].totalBalance.amount]
}

const readTransaction = async (client: Client, { body }: Reply) =>
  (await client.get(`/transactions/${body.id}`)).body

const USD = { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 }

describe('a transfer out', () => {
  test('holds its amount immediately, and debits it once the rail has delivered it', async () => {
    const payer = await ready()
    const { client, customer, bank } = payer
    const transfer = await transferOut(payer, {
      amount: 2500,
      destination: { accountId: bank, paymentRail: 'ACH' },
      remittanceInformation: 'x'.repeat(80),
    })
    expect(transfer.status).toBe(201)
    const { id, createdAt, updatedAt, reconciliationInstructions } = transfer.body
    expect(transfer.body).toEqual({
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
    const settled = await readTransaction(client, transfer)
    expect(settled).toMatchObject({ status: 'COMPLETED', settledAt: expect.any(String) })
    // Its type is INCOMING only in the response that creates it (specification 4.11).
    const { rateDetails } = transfer.body
    expect(settled).toMatchObject({ type: 'OUTGOING', fees: 0, rateDetails })
    const listed = await client.get(`/transactions?type=OUTGOING&customerId=${customer.id}`)
    expect(listed.body.data).toEqual([settled])
    const events = await client.events(`&objectId=${id}`)
    expect(events.map(({ data }: { data: { type: string } }) => data.type)).toEqual(['OUTGOING', 'OUTGOING'])
    expect(await readBalances(client, customer.id)).toEqual([FUNDED - 2500, FUNDED - 2500])
  })

  test('without an amount sends the available balance, and is refused if nothing is left', async () => {
    const payer = await ready('005')
    expect((await transferOut(payer, { amount: 40_000 })).status).toBe(201)
    const remaining = await transferOut(payer)
    expect(remaining.body.sentAmount.amount).toBe(60_000)
    expect(await readBalances(payer.client, payer.customer.id)).toEqual([0, FUNDED])
    const third = await transferOut(payer)
    expect(third).toMatchObject({
      status: 400,
      body: { code: 'INSUFFICIENT_BALANCE', details: { available: 0 } },
    })
  })

  test('above the available balance is refused and holds nothing', async () => {
    const payer = await ready()
    const refused = await transferOut(payer, { amount: FUNDED + 1 })
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 'INSUFFICIENT_BALANCE',
        details: { field: 'amount', available: FUNDED, required: FUNDED + 1 },
      },
    })
    expect(await readBalances(payer.client, payer.customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('of the whole balance is made once if it is requested in parallel', async () => {
    const payer = await ready()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => transferOut(payer, { amount: FUNDED })),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(new Set(replies.map(({ body }) => body.code))).toEqual(
      new Set([undefined, 'INSUFFICIENT_BALANCE']),
    )
  })

  test('is made once under one Idempotency-Key, and every request gets the same response', async () => {
    const payer = await ready()
    const { client, customer, bank } = payer
    const body = { source: { accountId: customer.usd }, destination: { accountId: bank }, amount: 100 }
    const sendOnce = () => client.post('/transfer-out', body, { 'Idempotency-Key': 'once' })
    const replies = await Promise.all(Array.from({ length: 50 }, sendOnce))
    expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    await client.advance(0)
    expect(await readBalances(client, customer.id)).toEqual([FUNDED - 100, FUNDED - 100])
    expect((await client.get('/transactions')).body.totalCount).toBe(1)
  })

  test('from an embedded wallet is refused, with a pointer to quotes', async () => {
    const payer = await ready()
    const refused = await transferOut(payer, { source: { accountId: payer.customer.wallet }, amount: 1 })
    expect(refused).toMatchObject({ status: 400, body: { details: { field: 'source.accountId' } } })
  })

  test('requires accounts of one owner and one currency, and a rail that reaches the account', async () => {
    const payer = await ready()
    const { client, customer, bank } = payer
    const stranger = await newCustomer(client)
    const strangerBank = await newBankAccount(client, stranger.id)
    const cases: [object, number, string, string][] = [
      [{ source: { accountId: customer.eur } }, 400, 'INVALID_CURRENCY', 'destination.accountId'],
      [{ destination: { accountId: strangerBank } }, 404, 'ACCOUNT_NOT_FOUND', 'destination.accountId'],
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
      expect(await transferOut(payer, { amount: 1, ...more }), JSON.stringify(more)).toMatchObject({
        status,
        body: { code, details: { field } },
      })
    expect((await client.get('/transactions')).body.totalCount).toBe(0)
  })
})

describe('a transfer in', () => {
  test('credits the account once the rail has pulled the money, and not before', async () => {
    const payer = await ready()
    const { client, customer, bank } = payer
    const transfer = await transferIn(payer, { amount: 700 })
    expect(transfer).toMatchObject({
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
    expect(await readTransaction(client, transfer)).toMatchObject({ status: 'COMPLETED' })
    expect(await readBalances(client, customer.id)).toEqual([FUNDED + 700, FUNDED + 700])
  })

  test('completes or fails however large it is, and does not stay pending', async () => {
    const { client, customer, bank } = await ready()
    const amount = 9_000_000_000_000_000_000n
    const [usd] = (await client.get('/config')).body.supportedCurrencies
    const supportedCurrencies = [{ ...usd, maxAmount: amount }]
    expect((await client.send('PATCH', '/config', { supportedCurrencies })).status).toBe(200)
    const otherCustomer = await newCustomer(client)
    const sides = [
      { source: { accountId: bank }, destination: { accountId: customer.usd } },
      {
        source: { accountId: await newBankAccount(client, otherCustomer.id) },
        destination: { accountId: otherCustomer.usd },
      },
    ]
    const pullBoth = () => Promise.all(sides.map((side) => client.post('/transfer-in', { ...side, amount })))
    const replies = await pullBoth()
    await client.advance(0)
    const tooLarge = { status: 400, code: 'AMOUNT_OUT_OF_RANGE', details: { field: 'amount' } }
    const full = { status: 'FAILED', failureReason: 'OFFRAMP_FAILED' }
    const outcomes = await Promise.all(
      replies.map(async (reply) => (reply.status === 201 ? readTransaction(client, reply) : reply.body)),
    )
    const [first, second] = outcomes[0].status === 'COMPLETED' ? outcomes : outcomes.toReversed()
    expect(first).toMatchObject({ status: 'COMPLETED' })
    // The second may arrive before or after the first is settled.
    expect(second).toMatchObject(second.status === 400 ? tooLarge : full)
    for (const { body } of await pullBoth()) expect(body).toMatchObject(tooLarge)
  })

  test('without an amount pulls the maximum, and is refused if that is unknown or zero', async () => {
    const payer = await ready()
    const { client, customer } = payer
    const maximum = await transferIn(payer)
    expect(maximum).toMatchObject({ status: 201, body: { receivedAmount: { amount: 100_000 } } })
    await client.advance(0)
    expect(await readBalances(client, customer.id)).toEqual([FUNDED + 100_000, FUNDED + 100_000])
    const empty = await transferIn(await ready('002'))
    expect(empty).toMatchObject({
      status: 400,
      body: { code: 'INSUFFICIENT_BALANCE', details: { field: 'amount', available: 0 } },
    })
    // No rail pulls from this account, so its balance is unknown.
    const { body: clabe } = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'MXN',
      accountInfo: { ...getExampleAccounts('MXN_ACCOUNT')[0] },
    })
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=MXN`))
      .body
    const unknownBalance = await client.post('/transfer-in', {
      source: { accountId: clabe.id },
      destination: { accountId: data[0].id },
    })
    expect(unknownBalance).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field: 'amount' } },
    })
  })
})

describe('a sandbox transfer', () => {
  test.each([
    ['002', 'Insufficient funds'],
    ['003', 'The account is closed or invalid'],
    ['004', 'The bank rejected the payment'],
  ])(
    'whose account has the suffix %s fails immediately, and its money is released',
    async (suffix, failureDetail) => {
      const payer = await ready(suffix)
      const { client, customer } = payer
      const [sent, pulled] = [
        await transferOut(payer, { amount: 500 }),
        await transferIn(payer, { amount: 500 }),
      ]
      await client.advance(0)
      const failed = { status: 'FAILED', counterpartyInformation: { failureDetail } }
      expect(await readTransaction(client, sent)).toMatchObject({
        ...failed,
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
      })
      expect(await readTransaction(client, pulled)).toMatchObject({
        ...failed,
        failureReason: 'PAY_REQUEST_FAILED',
      })
      expect(await readBalances(client, customer.id)).toEqual([FUNDED, FUNDED])
    },
  )

  test('whose account has the suffix 005 stays pending for 30 seconds, and then fails', async () => {
    const payer = await ready('005')
    const { client, customer } = payer
    const transfer = await transferOut(payer, { amount: 500 })
    await client.advance(20)
    expect(await readTransaction(client, transfer)).toMatchObject({ status: 'PENDING' })
    expect(await readBalances(client, customer.id)).toEqual([FUNDED - 500, FUNDED])
    await client.advance(15)
    expect(await readTransaction(client, transfer)).toMatchObject({ status: 'FAILED' })
    expect(await readBalances(client, customer.id)).toEqual([FUNDED, FUNDED])
  })
})
