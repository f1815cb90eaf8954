import { expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../worlds/client.testing.ts'

const TIMES = 50
const FUNDS = 100_000

interface Call {
  readonly path: string
  readonly body?: object
  /** A different body, to be refused under the same key. */
  readonly otherBody?: object
}

type Context = Awaited<ReturnType<typeof newCustomer>> & { readonly bank: string; readonly client: Client }

const buildTransfer = (from: string, to: string, amount: number) => ({
  source: { accountId: from },
  destination: { accountId: to },
  amount,
})

const buildQuote = (
  source: object,
  destination: string,
  lockedCurrencyAmount: number,
  more: object = {},
) => ({
  source,
  destination: { destinationType: 'ACCOUNT', accountId: destination },
  lockedCurrencySide: 'SENDING',
  lockedCurrencyAmount,
  ...more,
})

const buildSource = (accountId: string) => ({ sourceType: 'ACCOUNT', accountId })

/** Requests with the change that they make to the USD balance. NaN means the received amount of their transaction. */
const OPERATIONS: readonly [string, (context: Context) => Promise<Call> | Call, number][] = [
  [
    'POST /transfer-out',
    ({ usd, bank }) => ({
      path: '/transfer-out',
      body: buildTransfer(usd, bank, 100),
      otherBody: buildTransfer(usd, bank, 101),
    }),
    -100,
  ],
  [
    'POST /transfer-in',
    ({ usd, bank }) => ({
      path: '/transfer-in',
      body: buildTransfer(bank, usd, 100),
      otherBody: buildTransfer(bank, usd, 101),
    }),
    100,
  ],
  [
    'POST /quotes, executed immediately',
    ({ usd, bank }) => ({
      path: '/quotes',
      body: buildQuote(buildSource(usd), bank, 5000, { immediatelyExecute: true }),
      otherBody: buildQuote(buildSource(usd), bank, 5000, { immediatelyExecute: false }),
    }),
    -5000,
  ],
  [
    'POST /quotes/{quoteId}/execute',
    async ({ client, usd, bank }) => {
      const { body } = await client.post('/quotes', buildQuote(buildSource(usd), bank, 5000))
      return { path: `/quotes/${body.id}/execute` }
    },
    -5000,
  ],
  [
    'POST /sandbox/send',
    async ({ client, id, usd }) => {
      const source = { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: id }
      const { body } = await client.post('/quotes', buildQuote(source, usd, 5000))
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
  '%s has one effect and one response if it is sent fifty times in parallel under one key',
  async (_, call, change) => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, FUNDS)
    const bank = await newBankAccount(client, customer.id)
    const { path, body, otherBody } = await call({ ...customer, bank, client })
    const send = (requestBody: object | undefined) =>
      client.post(path, requestBody, { 'Idempotency-Key': 'once' })
    const replies = await Promise.all(Array.from({ length: TIMES }, () => send(body)))
    expect(replies.map(({ status }) => status)).toEqual(Array(TIMES).fill(replies[0]!.status))
    expect(replies[0]!.status, toJson(replies[0]!.body)).toBeLessThan(300)
    expect(new Set(replies.map((reply) => toJson(reply.body))).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.get('Idempotency-Replayed') !== 'true')).toHaveLength(1)
    if (otherBody)
      expect(await send(otherBody)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })

    await client.advance(0)
    const transactions = (await client.get('/transactions')).body
    expect(transactions.totalCount).toBe(1)
    expect(transactions.data[0].status).toBe('COMPLETED')
    const accounts = await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USD`)
    const { balance, totalBalance } = accounts.body.data[0]
    const expected = FUNDS + (Number.isNaN(change) ? transactions.data[0].receivedAmount.amount : change)
    expect([balance.amount, totalBalance.amount]).toEqual([expected, expected])
  },
)
