import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { account, quoted, to, transactionOf } from '../../worlds/records/payments.testing.ts'

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

async function feesOf(client: Client, query = ''): Promise<FeeLine[]> {
  const { status, body } = await client.get(`/platform/fees?limit=100${query}`)
  expect(status).toBe(200)
  expect(body.totalCount).toBe(body.data.length)
  return body.data
}

async function balancesOf(client: Client, query = ''): Promise<Record<string, number>> {
  const { data } = (await client.get(`/platform/fee-balances${query}`)).body
  return Object.fromEntries(
    data.map(({ balance }: { balance: FeeLine['amount'] }) => [balance.currency.code, balance.amount]),
  )
}

function sums(lines: readonly FeeLine[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const { amount } of lines) sum[amount.currency.code] = (sum[amount.currency.code] ?? 0) + amount.amount
  return sum
}

describe('fees in two currencies, of which one is refunded', () => {
  let client: Client
  let customer: Awaited<ReturnType<typeof newPayer>>
  let kept: FeeLine[]
  let inEuros: { id: string; transactionId: string; feesIncluded: number }
  let inDollars: typeof inEuros
  beforeAll(async () => {
    client = await newPlatform()
    customer = await newPayer(client)
    // Its payments are delivered, and returned a minute later.
    const returning = await newBankAccount(client, customer.id, '005')
    inDollars = await payOut(client, customer.usd, customer.eur)
    inEuros = await payOut(client, customer.eur, returning)
    kept = await feesOf(client)
    await client.advance(60)
  })

  test('each is an entry that names its payment, quote and payer', async () => {
    expect(kept).toMatchObject([
      { amount: { amount: inEuros.feesIncluded, currency: { code: 'EUR', decimals: 2 } } },
      { amount: { amount: inDollars.feesIncluded, currency: { code: 'USD', decimals: 2 } } },
    ])
    expect(inDollars.feesIncluded).toBeGreaterThan(0)
    for (const [at, quote] of [inEuros, inDollars].entries()) {
      const transaction = await transactionOf(client, quote)
      expect(kept[at]).toMatchObject({
        quoteId: quote.id,
        transactionId: transaction.id,
        customerId: customer.id,
        createdAt: transaction.settledAt,
        amount: { amount: transaction.fees },
      })
    }
  })

  test('a returned payment refunds its fee by a separate entry', async () => {
    expect(await transactionOf(client, inEuros)).toMatchObject({ status: 'FAILED' })
    const [back, ...before] = await feesOf(client)
    expect(before).toEqual(kept)
    expect(back).toMatchObject({
      amount: { amount: -inEuros.feesIncluded, currency: { code: 'EUR' } },
      quoteId: inEuros.id,
      transactionId: inEuros.transactionId,
      customerId: customer.id,
    })
    expect(back!.id).not.toBe(kept[0]!.id)
    expect(Date.parse(back!.createdAt)).toBeGreaterThan(Date.parse(kept[0]!.createdAt))
  })

  test('the entries of a currency sum to its balance', async () => {
    const balances = await balancesOf(client)
    expect(balances).toEqual({ EUR: 0, USD: inDollars.feesIncluded })
    expect(sums(await feesOf(client))).toEqual(balances)
    expect(await balancesOf(client, '?currency=USD')).toEqual({ USD: inDollars.feesIncluded })
    expect(await balancesOf(client, '?currency=MXN')).toEqual({})
  })

  test('are found by currency and by time, both ends included', async () => {
    const all = await feesOf(client)
    const ids = async (query: string) => (await feesOf(client, query)).map(({ id }) => id)
    const those = (keep: (line: FeeLine) => boolean) => all.filter(keep).map(({ id }) => id)
    for (const code of ['EUR', 'USD', 'MXN'])
      expect(await ids(`&currency=${code}`)).toEqual(those(({ amount }) => amount.currency.code === code))
    const time = kept[0]!.createdAt
    expect(await ids(`&startDate=${time}`)).toEqual(those(({ createdAt }) => createdAt >= time))
    expect(await ids(`&endDate=${time}`)).toEqual(those(({ createdAt }) => createdAt <= time))
    expect(await ids(`&startDate=${time}&endDate=${time}&currency=EUR`)).toEqual([kept[0]!.id])
  })

  test('they cannot be spent, and no account holds them', async () => {
    const { data } = (await client.get('/platform/internal-accounts')).body
    for (const { balance, totalBalance } of data)
      expect([balance.amount, totalBalance.amount]).toEqual([0, 0])
  })

  test('another platform sees nothing, and its cursor is refused', async () => {
    const other = await newPlatform()
    expect(await feesOf(other)).toEqual([])
    expect(await balancesOf(other)).toEqual({})
    const { nextCursor } = (await client.get('/platform/fees?limit=1')).body
    const reply = await other.get(`/platform/fees?limit=1&cursor=${nextCursor}`)
    expectError(reply, { code: 'INVALID_INPUT', field: 'cursor' })
  })
})

test('pages go through the fees of all currencies in one order of time, either way', async () => {
  const client = await newPlatform()
  const { usd, eur } = await newPayer(client)
  for (const amount of [1000, 2000, 3000]) {
    // Both are settled at one moment or at two: their order is the same each time.
    await Promise.all([
      quoted(client, account(usd), to(eur), { lockedCurrencyAmount: amount, immediatelyExecute: true }),
      quoted(client, account(eur), to(usd), { lockedCurrencyAmount: amount, immediatelyExecute: true }),
    ])
    await client.advance(0)
  }
  const newest = await feesOf(client)
  expect(newest).toHaveLength(6)
  expect(sums(newest)).toEqual(await balancesOf(client))
  const times = newest.map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted().reverse())
  for (const [order, expected] of Object.entries({ desc: newest, asc: newest.toReversed() })) {
    const walked: FeeLine[] = []
    let cursor = ''
    do {
      const query = `?limit=2&sortOrder=${order}${cursor}`
      const { data, nextCursor, totalCount } = (await client.get(`/platform/fees${query}`)).body
      expect(totalCount).toBe(6)
      walked.push(...data)
      cursor = nextCursor ? `&cursor=${nextCursor}` : ''
    } while (cursor)
    expect(walked, order).toEqual(expected)
  }
})

test("a fee of the platform's own payment names no customer; a payment without a fee has no entry", async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, own.id, FUNDED)
  await payOut(client, own.id, customer.usd)
  expect(await feesOf(client)).toEqual([])
  expect(await balancesOf(client)).toEqual({})
  const { transactionId, feesIncluded } = await payOut(client, own.id, customer.eur)
  const fees = await feesOf(client)
  expect(fees).toMatchObject([{ amount: { amount: feesIncluded }, transactionId }])
  expect(fees[0]).not.toHaveProperty('customerId')
})

test('a platform that was reset begins without fees', async () => {
  const client = await newPlatform()
  const { usd, eur } = await newPayer(client)
  await payOut(client, usd, eur)
  expect(await feesOf(client)).toHaveLength(1)
  expect((await client.post('/sandbox/reset')).status).toBe(200)
  expect(await feesOf(client)).toEqual([])
  expect(await balancesOf(client)).toEqual({})
})
