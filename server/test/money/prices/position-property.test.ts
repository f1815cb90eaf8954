import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { isFull } from '../../reliability/faults.testing.ts'
import { type Client, newBankAccount, type Reply } from '../../worlds/client.testing.ts'
import {
  account,
  newRichCustomer,
  readPlatformPositions,
  readQuoteTransaction,
  to,
} from '../../worlds/records/payments.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const LIMITS = { USD: 5_000, EUR: 3_000 } as const
/** Account number suffixes that select the outcome of a payment. */
const SUFFIXES = ['789', '002', '003', '004', '005', '007'] as const
/** By then every outcome is final. */
const ALL_ENDED_SECONDS = 10 * 60

let service: TestServer
beforeAll(async () => {
  const limits = Object.entries(LIMITS).map((entry) => entry.join(':'))
  service = await openServer({ FX_POSITION_LIMITS: limits.join() })
})
afterAll(() => service.close())

type Payer = Awaited<ReturnType<typeof newRichCustomer>>
type Quote = Reply['body']

/** A step is time that passes, or quotes executed in parallel. */
type Step =
  | { readonly seconds: number }
  | { readonly pays: readonly { readonly to: (typeof SUFFIXES)[number] | 'EUR'; readonly amount: number }[] }

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ seconds: fc.constantFrom(0, 30, 60, 360) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      pays: fc.array(
        fc.record({
          to: fc.constantFrom(...SUFFIXES, 'EUR' as const),
          amount: fc.integer({ min: 1, max: 4_000 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
)

/** Executes these payments in parallel, twice each. Returns the created quotes. */
async function executeAll(
  client: Client,
  payer: Payer,
  banks: ReadonlyMap<string, string>,
  pays: readonly { to: string; amount: number }[],
) {
  const replies = await Promise.all(
    pays.map(({ to: payee, amount }) =>
      client.post('/quotes', {
        source: account(payee === 'EUR' ? payer.usd : payer.eur),
        destination: to(payee === 'EUR' ? payer.eur : banks.get(payee)!),
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

/** The positions that follow from the payments, and the amounts returned after delivery. */
async function expectedPositions(client: Client, quotes: readonly Quote[]) {
  const sums = { USD: { position: 0, bought: 0, sold: 0 }, EUR: { position: 0, bought: 0, sold: 0 } }
  for (const quote of quotes) {
    const { status } = await readQuoteTransaction(client, quote)
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
  'no position passes its limit or keeps counting ended payments, whichever payments are executed, fail or are returned',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 3, maxLength: 9 }), async (steps) => {
        const client = await service.newPlatform()
        const payer = await newRichCustomer(client)
        const bankEntries = await Promise.all(
          SUFFIXES.map(async (end) => [end, await newBankAccount(client, payer.id, end)] as const),
        )
        const banks = new Map<string, string>(bankEntries)
        const quotes: Quote[] = []
        const expectPositions = async () => {
          const sums = await expectedPositions(client, quotes)
          const shown = await readPlatformPositions(client)
          for (const currency of ['USD', 'EUR'] as const) {
            const { limit, available, ...counted } = shown[currency]!
            expect(counted, currency).toEqual(sums[currency])
            expect(available).toBe(LIMITS[currency] + counted.position - counted.sold)
          }
          return shown
        }
        for (const step of steps) {
          if ('seconds' in step) await client.advance(step.seconds)
          else quotes.push(...(await executeAll(client, payer, banks, step.pays)))
          await client.advance(0)
          const shown = await expectPositions()
          // Only dollars are paid to banks. If they are returned, the euros bought leave again.
          expect(shown.USD!.available).toBeGreaterThanOrEqual(0)
          const returnedEuros = await sumReturnedEuros(client, quotes)
          expect(shown.EUR!.available! + returnedEuros).toBeGreaterThanOrEqual(0)
        }
        await client.advance(ALL_ENDED_SECONDS)
        const shown = await expectPositions()
        for (const { bought, sold } of Object.values(shown)) expect([bought, sold]).toEqual([0, 0])
      }),
      { numRuns: isFull ? 30 : 6 },
    )
  },
  isFull ? 900_000 : 120_000,
)

/** The euros bought by payments delivered and then returned. */
async function sumReturnedEuros(client: Client, quotes: readonly Quote[]): Promise<number> {
  let sum = 0
  for (const quote of quotes) {
    const { status, settledAt } = await readQuoteTransaction(client, quote)
    if (status === 'FAILED' && settledAt) sum += quote.totalSendingAmount - quote.feesIncluded
  }
  return sum
}
