import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { isFull } from '../../reliability/faults.testing.ts'
import { type Client, newBankAccount, type Reply } from '../../worlds/client.testing.ts'
import {
  account,
  newRichCustomer,
  positionsOf,
  to,
  transactionOf,
} from '../../worlds/records/payments.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const LIMITS = { USD: 5_000, EUR: 3_000 } as const
/** The outcomes of payments to a bank account by its end. */
const ENDS = ['789', '002', '003', '004', '005', '007'] as const
/** Beyond the last step of each. */
const ALL_ENDED_SECONDS = 10 * 60

let service: TestServer
beforeAll(async () => {
  const limits = Object.entries(LIMITS).map((entry) => entry.join(':'))
  service = await openServer({ FX_POSITION_LIMITS: limits.join() })
})
afterAll(() => service.close())

type Payer = Awaited<ReturnType<typeof newRichCustomer>>
type Quote = Reply['body']

/** A step: quotes, of which several are executed in parallel, or time that passes. */
type Step =
  | { readonly seconds: number }
  | { readonly pays: readonly { readonly to: (typeof ENDS)[number] | 'EUR'; readonly amount: number }[] }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ seconds: fc.constantFrom(0, 30, 60, 360) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      pays: fc.array(
        fc.record({
          to: fc.constantFrom(...ENDS, 'EUR' as const),
          amount: fc.integer({ min: 1, max: 4_000 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
)

/** Executes these payments in parallel, twice each. Returns the quotes that were made. */
async function pay(
  client: Client,
  payer: Payer,
  banks: ReadonlyMap<string, string>,
  pays: readonly { to: string; amount: number }[],
) {
  const replies = await Promise.all(
    pays.map(({ to: whom, amount }) =>
      client.post('/quotes', {
        source: account(whom === 'EUR' ? payer.usd : payer.eur),
        destination: to(whom === 'EUR' ? payer.eur : banks.get(whom)!),
        lockedCurrencySide: 'RECEIVING',
        lockedCurrencyAmount: amount,
      }),
    ),
  )
  for (const { status, body } of replies) expect([201, 503], toJson(body)).toContain(status)
  const quotes = replies.filter(({ status }) => status === 201).map(({ body }) => body)
  const executed = await Promise.all(
    [...quotes, ...quotes].map((quote) => client.post(`/quotes/${quote.id}/execute`)),
  )
  for (const { status, body } of executed) {
    expect([200, 409, 503], toJson(body)).toContain(status)
    if (status === 503) expect(body.code).toBe('POSITION_LIMIT_REACHED')
  }
  return quotes
}

/** The positions that follow from the payments, and the amounts that were returned after delivery. */
async function expected(client: Client, quotes: readonly Quote[]) {
  const sums = { USD: { position: 0, bought: 0, sold: 0 }, EUR: { position: 0, bought: 0, sold: 0 } }
  for (const quote of quotes) {
    const { status } = await transactionOf(client, quote)
    const from = sums[quote.sendingCurrency.code as keyof typeof sums]
    const into = sums[quote.receivingCurrency.code as keyof typeof sums]
    const bought = quote.totalSendingAmount - quote.feesIncluded
    if (status === 'PROCESSING') {
      from.bought += bought
      into.sold += quote.totalReceivingAmount
    }
    if (status === 'COMPLETED') {
      from.position += bought
      into.position -= quote.totalReceivingAmount
    }
  }
  return sums
}

test(
  'whatever payments are executed, fail and are returned, no position passes its limit, and nothing stays counted',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
        const client = await service.newPlatform()
        const payer = await newRichCustomer(client)
        const made = await Promise.all(
          ENDS.map(async (end) => [end, await newBankAccount(client, payer.id, end)] as const),
        )
        const banks = new Map<string, string>(made)
        const quotes: Quote[] = []
        const check = async () => {
          const sums = await expected(client, quotes)
          const shown = await positionsOf(client)
          for (const currency of ['USD', 'EUR'] as const) {
            const { limit, available, ...rest } = shown[currency]!
            expect(rest, currency).toEqual(sums[currency])
            expect(available).toBe(LIMITS[currency] + rest.position - rest.sold)
          }
          return shown
        }
        for (const one of steps) {
          if ('seconds' in one) await client.advance(one.seconds)
          else quotes.push(...(await pay(client, payer, banks, one.pays)))
          await client.advance(0)
          const shown = await check()
          // Only dollars are paid to banks, so only they come back, and euros leave again with them.
          expect(shown.USD!.available).toBeGreaterThanOrEqual(0)
          const returned = await returnedEuros(client, quotes)
          expect(shown.EUR!.available! + returned).toBeGreaterThanOrEqual(0)
        }
        await client.advance(ALL_ENDED_SECONDS)
        const shown = await check()
        for (const { bought, sold } of Object.values(shown)) expect([bought, sold]).toEqual([0, 0])
      }),
      { numRuns: isFull ? 30 : 6 },
    )
  },
  isFull ? 900_000 : 120_000,
)

/** The euros that were bought by payments which were delivered and returned. */
async function returnedEuros(client: Client, quotes: readonly Quote[]): Promise<number> {
  let sum = 0
  for (const quote of quotes) {
    const { status, settledAt } = await transactionOf(client, quote)
    if (status === 'FAILED' && settledAt) sum += quote.totalSendingAmount - quote.feesIncluded
  }
  return sum
}
