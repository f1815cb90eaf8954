import { expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../worlds/client.testing.ts'

const TIMES = 50
const FUNDED = 100_000

interface Call {
  readonly path: string
  readonly body?: object
  /** Another request. */
  readonly otherBody?: object
}

type Made = Awaited<ReturnType<typeof newCustomer>> & { readonly bank: string; readonly client: Client }

const transfer = (from: string, to: string, amount: number) => ({
  source: { accountId: from },
  destination: { accountId: to },
  amount,
})

const quote = (source: object, destination: string, lockedCurrencyAmount: number, more: object = {}) => ({
  source,
  destination: { destinationType: 'ACCOUNT', accountId: destination },
  lockedCurrencySide: 'SENDING',
  lockedCurrencyAmount,
  ...more,
})

const account = (accountId: string) => ({ sourceType: 'ACCOUNT', accountId })

/** Requests with their change of the USD balance; NaN: as their transaction says. */
const OPERATIONS: readonly [string, (made: Made) => Promise<Call> | Call, number][] = [
  [
    'POST /transfer-out',
    ({ usd, bank }) => ({
      path: '/transfer-out',
      body: transfer(usd, bank, 100),
      otherBody: transfer(usd, bank, 101),
    }),
    -100,
  ],
  [
    'POST /transfer-in',
    ({ usd, bank }) => ({
      path: '/transfer-in',
      body: transfer(bank, usd, 100),
      otherBody: transfer(bank, usd, 101),
    }),
    100,
  ],
  [
    'POST /quotes, executed immediately',
    ({ usd, bank }) => ({
      path: '/quotes',
      body: quote(account(usd), bank, 5000, { immediatelyExecute: true }),
      otherBody: quote(account(usd), bank, 5000, { immediatelyExecute: false }),
    }),
    -5000,
  ],
  [
    'POST /quotes/{quoteId}/execute',
    async ({ client, usd, bank }) => {
      const { body } = await client.post('/quotes', quote(account(usd), bank, 5000))
      return { path: `/quotes/${body.id}/execute` }
    },
    -5000,
  ],
  [
    'POST /sandbox/send',
    async ({ client, id, usd }) => {
      const source = { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: id }
      const { body } = await client.post('/quotes', quote(source, usd, 5000))
      return {
        path: '/sandbox/send',
        body: { quoteId: body.id, currencyCode: 'USD' },
        otherBody: { quoteId: body.id, currencyCode: 'USD', currencyAmount: 5000 },
      }
    },
    Number.NaN,
  ],
]

test.each(OPERATIONS)(
  '%s under one key, sent fifty times in parallel, has one effect and one response',
  async (_, call, change) => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, FUNDED)
    const bank = await newBankAccount(client, customer.id)
    const { path, body, otherBody } = await call({ ...customer, bank, client })
    const ask = (asked: object | undefined) => client.post(path, asked, { 'Idempotency-Key': 'once' })
    const replies = await Promise.all(Array.from({ length: TIMES }, () => ask(body)))
    expect(replies.map(({ status }) => status)).toEqual(Array(TIMES).fill(replies[0]!.status))
    expect(replies[0]!.status, toJson(replies[0]!.body)).toBeLessThan(300)
    expect(new Set(replies.map((reply) => toJson(reply.body))).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.get('Idempotency-Replayed') !== 'true')).toHaveLength(1)
    if (otherBody)
      expect(await ask(otherBody)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })

    await client.advance(0)
    const found = (await client.get('/transactions')).body
    expect(found.totalCount).toBe(1)
    expect(found.data[0].status).toBe('COMPLETED')
    const accounts = await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USD`)
    const { balance, totalBalance } = accounts.body.data[0]
    const left = FUNDED + (Number.isNaN(change) ? found.data[0].receivedAmount.amount : change)
    expect([balance.amount, totalBalance.amount]).toEqual([left, left])
  },
)
