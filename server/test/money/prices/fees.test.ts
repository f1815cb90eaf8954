import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { account, quoted, readQuoteTransaction, to } from '../../worlds/records/payments.testing.ts'

const FUNDED = 1_000_000

interface FeeLine {
  readonly id: string
  readonly amount: { readonly amount: number; readonly currency: { readonly code: string } }
  readonly quoteId: string
  readonly transactionId: string
  readonly createdAt: string
}

/** A customer with dollars and euros. */
async function newPayer(client: Client) {
  const customer = await newCustomer(client)
  await Promise.all([customer.usd, customer.eur].map((id) => fund(client, id, FUNDED)))
  return customer
}

/** Executes a payment, and runs the jobs that follow. */
async function payOut(client: Client, source: string, destination: string, amount = 2500) {
  const quote = await quoted(client, account(source), to(destination), {
    lockedCurrencyAmount: amount,
    immediatelyExecute: true,
  })
  await client.advance(0)
  return quote
}

async function listFees(client: Client, query = ''): Promise<FeeLine[]> {
  const { status, body } = await client.get(`/platform/fees?limit=100${query}`)
  expect(status).toBe(200)
  expect(body.totalCount).toBe(body.data.length)
  return body.data
}

async function readFeeBalances(client: Client, query = ''): Promise<Record<string, number>> {
  const { data } = (await client.get(`/platform/fee-balances${query}`)).body
  return Object.fromEntries(
    data.map(({ balance }: { balance: FeeLine['amount'] }) => [balance.currency.code, balance.amount]),
  )
}

function sumByCurrency(lines: readonly FeeLine[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const { amount } of lines) sum[amount.currency.code] = (sum[amount.currency.code] ?? 0) + amount.amount
  return sum
}

describe('fees in two currencies', () => {
  let client: Client
  let customer: Awaited<ReturnType<typeof newPayer>>
  let deliveredFees: FeeLine[]
  let euroQuote: { id: string; transactionId: string; feesIncluded: number }
  let dollarQuote: typeof euroQuote
  beforeAll(async () => {
    client = await newPlatform()
    customer = await newPayer(client)
    // Payments to this account are delivered, and returned a minute later.
    const returningBank = await newBankAccount(client, customer.id, '005')
    dollarQuote = await payOut(client, customer.usd, customer.eur)
    euroQuote = await payOut(client, customer.eur, returningBank)
    deliveredFees = await listFees(client)
    await client.advance(60)
  })

  test('are one entry each, which names its payment, quote and payer', async () => {
    expect(deliveredFees).toMatchObject([
      { amount: { amount: euroQuote.feesIncluded, currency: { code: 'EUR', decimals: 2 } } },
      { amount: { amount: dollarQuote.feesIncluded, currency: { code: 'USD', decimals: 2 } } },
    ])
    expect(dollarQuote.feesIncluded).toBeGreaterThan(0)
    for (const [index, quote] of [euroQuote, dollarQuote].entries()) {
      const transaction = await readQuoteTransaction(client, quote)
      expect(deliveredFees[index]).toMatchObject({
        quoteId: quote.id,
        transactionId: transaction.id,
        customerId: customer.id,
        createdAt: transaction.settledAt,
        amount: { amount: transaction.fees },
      })
    }
  })

  test('are refunded by a separate entry if the payment is returned', async () => {
    expect(await readQuoteTransaction(client, euroQuote)).toMatchObject({ status: 'FAILED' })
    const [refund, ...earlierFees] = await listFees(client)
    expect(earlierFees).toEqual(deliveredFees)
    expect(refund).toMatchObject({
      amount: { amount: -euroQuote.feesIncluded, currency: { code: 'EUR' } },
      quoteId: euroQuote.id,
      transactionId: euroQuote.transactionId,
      customerId: customer.id,
    })
    expect(refund!.id).not.toBe(deliveredFees[0]!.id)
    expect(Date.parse(refund!.createdAt)).toBeGreaterThan(Date.parse(deliveredFees[0]!.createdAt))
  })

  test('sum to the balance of each currency', async () => {
    const balances = await readFeeBalances(client)
    expect(balances).toEqual({ EUR: 0, USD: dollarQuote.feesIncluded })
    expect(sumByCurrency(await listFees(client))).toEqual(balances)
    expect(await readFeeBalances(client, '?currency=USD')).toEqual({ USD: dollarQuote.feesIncluded })
    expect(await readFeeBalances(client, '?currency=MXN')).toEqual({})
  })

  test('are filtered by currency and by time, both ends included', async () => {
    const allFees = await listFees(client)
    const listIds = async (query: string) => (await listFees(client, query)).map(({ id }) => id)
    const selectIds = (matches: (line: FeeLine) => boolean) => allFees.filter(matches).map(({ id }) => id)
    for (const code of ['EUR', 'USD', 'MXN'])
      expect(await listIds(`&currency=${code}`)).toEqual(
        selectIds(({ amount }) => amount.currency.code === code),
      )
    const time = deliveredFees[0]!.createdAt
    expect(await listIds(`&startDate=${time}`)).toEqual(selectIds(({ createdAt }) => createdAt >= time))
    expect(await listIds(`&endDate=${time}`)).toEqual(selectIds(({ createdAt }) => createdAt <= time))
    expect(await listIds(`&startDate=${time}&endDate=${time}&currency=EUR`)).toEqual([deliveredFees[0]!.id])
  })

  test('are held by no account, so that they cannot be spent', async () => {
    const { data } = (await client.get('/platform/internal-accounts')).body
    for (const { balance, totalBalance } of data)
      expect([balance.amount, totalBalance.amount]).toEqual([0, 0])
  })

  test('are hidden from other platforms, whose cursors are refused', async () => {
    const otherPlatform = await newPlatform()
    expect(await listFees(otherPlatform)).toEqual([])
    expect(await readFeeBalances(otherPlatform)).toEqual({})
    const { nextCursor } = (await client.get('/platform/fees?limit=1')).body
    const reply = await otherPlatform.get(`/platform/fees?limit=1&cursor=${nextCursor}`)
    expectError(reply, { code: 'INVALID_INPUT', field: 'cursor' })
  })
})

test('fees of all currencies are paged in one order of time, ascending or descending', async () => {
  const client = await newPlatform()
  const { usd, eur } = await newPayer(client)
  for (const amount of [1000, 2000, 3000]) {
    // The two may settle in the same moment or not, but their order must be the same on every page.
    await Promise.all([
      quoted(client, account(usd), to(eur), { lockedCurrencyAmount: amount, immediatelyExecute: true }),
      quoted(client, account(eur), to(usd), { lockedCurrencyAmount: amount, immediatelyExecute: true }),
    ])
    await client.advance(0)
  }
  const newest = await listFees(client)
  expect(newest).toHaveLength(6)
  expect(sumByCurrency(newest)).toEqual(await readFeeBalances(client))
  const times = newest.map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted().reverse())
  for (const [order, expected] of Object.entries({ desc: newest, asc: newest.toReversed() })) {
    const paged: FeeLine[] = []
    let cursor = ''
    do {
      const query = `?limit=2&sortOrder=${order}${cursor}`
      const { data, nextCursor, totalCount } = (await client.get(`/platform/fees${query}`)).body
      expect(totalCount).toBe(6)
      paged.push(...data)
      cursor = nextCursor ? `&cursor=${nextCursor}` : ''
    } while (cursor)
    expect(paged, order).toEqual(expected)
  }
})

test("a fee for the platform's own payment names no customer, and a payment without a fee has no entry", async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, platformAccount.id, FUNDED)
  await payOut(client, platformAccount.id, customer.usd)
  expect(await listFees(client)).toEqual([])
  expect(await readFeeBalances(client)).toEqual({})
  const { transactionId, feesIncluded } = await payOut(client, platformAccount.id, customer.eur)
  const fees = await listFees(client)
  expect(fees).toMatchObject([{ amount: { amount: feesIncluded }, transactionId }])
  expect(fees[0]).not.toHaveProperty('customerId')
})

test('a platform has no fees after a sandbox reset', async () => {
  const client = await newPlatform()
  const { usd, eur } = await newPayer(client)
  await payOut(client, usd, eur)
  expect(await listFees(client)).toHaveLength(1)
  expect((await client.post('/sandbox/reset')).status).toBe(200)
  expect(await listFees(client)).toEqual([])
  expect(await readFeeBalances(client)).toEqual({})
})
