import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post } from '../../../src/kernel/ledger/transfers.ts'
import { createOp } from '../../../src/kernel/operation/app.ts'
import { findOpenPlatform } from '../../../src/people/platforms/platforms.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import { type Client, newBankAccount, newPlatform } from '../../worlds/client.testing.ts'
import {
  account,
  balancesOf,
  expectAtLimit,
  newRichCustomer,
  quoted,
  readPlatformPositions,
  readQuoteTransaction,
  statusOf,
  to,
} from '../../worlds/records/payments.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const LIMIT = 10_000
const SOLD = 2_500

let limitedServer: TestServer
beforeAll(async () => {
  limitedServer = await openServer({ FX_POSITION_LIMITS: `USD:${LIMIT},MXN:0` })
})
afterAll(() => limitedServer.close())

async function createRichCustomer(suffix?: string) {
  const client = await limitedServer.newPlatform()
  const customer = await newRichCustomer(client)
  return { client, customer, bank: await newBankAccount(client, customer.id, suffix) }
}

const execute = (client: Client, { id }: { id: string }) => client.post(`/quotes/${id}/execute`)
const amountBought = (quote: { totalSendingAmount: number; feesIncluded: number }) =>
  quote.totalSendingAmount - quote.feesIncluded

describe('the positions of a platform', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ])('count a payment that ends in the same commit right %s another begins', async (_, endIndex) => {
    const { client, customer, bank } = await createRichCustomer()
    const amount = 6_000
    const [first, second] = [
      await quoted(client, account(customer.eur), to(bank), { lockedCurrencyAmount: amount }),
      await quoted(client, account(customer.eur), to(bank), { lockedCurrencyAmount: amount }),
    ]
    const { app } = limitedServer
    const platform = await findOpenPlatform(app.read, client.credentials.platformId)
    const op = createOp(app, platform!, { kind: 'operator' })
    const begin = ({ id }: { id: string }) =>
      update(
        'quotes',
        id,
        { state: 'PENDING' },
        { state: 'PROCESSING', position_limit: BigInt(LIMIT), updated_at: op.now },
      )
    expect(await app.committer.commit([begin(first)])).toEqual({ done: true })
    const units = BigInt(amount)
    const end = [
      update(
        'quotes',
        first.id,
        { state: 'PROCESSING' },
        { state: 'COMPLETED', position_limit: null, updated_at: op.now },
      ),
      ...post(op, { cause: 'transaction', causeId: first.transactionId }, [
        { system: 'fx', currency: 'USD', amount: -units },
        { system: 'rail', currency: 'USD', amount: units },
      ]),
    ]
    const writeSets = [end, [begin(second)]]
    const orderedSets = endIndex === 0 ? writeSets : writeSets.toReversed()
    const results = await Promise.all(orderedSets.map((writes) => app.committer.commit(writes)))
    expect(results[endIndex]).toEqual({ done: true })
    expect(results[1 - endIndex]).toMatchObject({ done: false })
    expect((await readPlatformPositions(client)).USD).toMatchObject({ position: -amount, sold: 0 })
  })

  test('show limited currencies, and nothing else before the first conversion', async () => {
    const untouched = { position: 0, bought: 0, sold: 0 }
    expect(await readPlatformPositions(await limitedServer.newPlatform())).toEqual({
      USD: { ...untouched, limit: LIMIT, available: LIMIT },
      MXN: { ...untouched, limit: 0, available: 0 },
    })
  })

  test('count a payment as in progress once it is executed, and as settled once it is delivered', async () => {
    const { client, customer, bank } = await createRichCustomer('003')
    const quote = await quoted(client, account(customer.eur), to(bank))
    expect((await readPlatformPositions(client)).USD).toMatchObject({ position: 0, sold: 0 })
    expect((await execute(client, quote)).status).toBe(200)
    await client.advance(0)
    const inProgress = await readPlatformPositions(client)
    expect(inProgress.USD).toEqual({
      position: 0,
      bought: 0,
      sold: SOLD,
      limit: LIMIT,
      available: LIMIT - SOLD,
    })
    // The bought currency becomes available only when the payment is delivered.
    expect(inProgress.EUR).toEqual({
      position: 0,
      bought: amountBought(quote),
      sold: 0,
      limit: undefined,
      available: undefined,
    })
    await client.advance(6 * 60)
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    const after = await readPlatformPositions(client)
    expect(after.USD).toEqual({ position: -SOLD, bought: 0, sold: 0, limit: LIMIT, available: LIMIT - SOLD })
    expect(after.EUR).toMatchObject({ position: amountBought(quote), bought: 0, sold: 0 })
  })

  test('ignore payments within one currency', async () => {
    const { client, customer, bank } = await createRichCustomer()
    await quoted(client, account(customer.usd), to(bank), {
      lockedCurrencyAmount: LIMIT + 1,
      immediatelyExecute: true,
    })
    await client.advance(0)
    expect((await readPlatformPositions(client)).USD).toMatchObject({ position: 0, sold: 0 })
  })

  test.each([
    ['002', 'fails'],
    ['004', 'comes back before it is delivered'],
    ['005', 'is returned after it was delivered'],
    ['007', 'cannot be refunded'],
  ])('are restored if a payment with the suffix %s %s', async (suffix) => {
    const { client, customer, bank } = await createRichCustomer(suffix)
    const quote = await quoted(client, account(customer.eur), to(bank), { immediatelyExecute: true })
    await client.advance(0)
    await client.advance(60)
    expect((await readQuoteTransaction(client, quote)).status).toBe('FAILED')
    const after = await readPlatformPositions(client)
    expect(after.USD).toMatchObject({ position: 0, bought: 0, sold: 0, available: LIMIT })
    expect(after.EUR).toMatchObject({ position: 0, bought: 0, sold: 0 })
  })

  test('are restored if the bank refuses the pull of a payment', async () => {
    const { client, customer, bank } = await createRichCustomer('005')
    // Euros have no limit, but a payment that sells them is counted too.
    const quote = await quoted(client, account(bank), to(customer.eur), { immediatelyExecute: true })
    expect((await readPlatformPositions(client)).EUR).toMatchObject({ sold: SOLD })
    await client.advance(30)
    expect(await statusOf(client, quote)).toBe('FAILED')
    expect((await readPlatformPositions(client)).EUR).toMatchObject({ position: 0, sold: 0 })
  })
})

describe('a quote that would pass the limit', () => {
  test('is refused at creation, to the unit', async () => {
    const { client, customer, bank } = await createRichCustomer()
    const body = {
      source: account(customer.eur),
      destination: to(bank),
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: LIMIT + 1,
    }
    expectAtLimit(await client.post('/quotes', body), 'USD')
    const key = { 'Idempotency-Key': 'again' }
    expectAtLimit(await client.post('/quotes', body, key), 'USD')
    const exact = await client.post('/quotes', { ...body, lockedCurrencyAmount: LIMIT })
    expect(exact.status).toBe(201)
    expect((await execute(client, exact.body)).status).toBe(200)
    expectAtLimit(await client.post('/quotes', { ...body, lockedCurrencyAmount: 1 }), 'USD')
    // A refusal is not stored under the key.
    await client.advance(0)
    await quoted(client, account(customer.usd), to(customer.eur), {
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 3 * LIMIT,
      immediatelyExecute: true,
    })
    await client.advance(0)
    expect((await client.post('/quotes', body, key)).status).toBe(201)
  })

  test('is refused at execution, and executes once there is capacity again', async () => {
    const { client, customer, bank } = await createRichCustomer('003')
    const first = await quoted(client, account(customer.eur), to(bank), { lockedCurrencyAmount: LIMIT })
    const second = await quoted(client, account(customer.eur), to(bank), { lockedCurrencyAmount: 1 })
    expect((await execute(client, first)).status).toBe(200)
    expectAtLimit(await execute(client, second), 'USD')
    expect(await statusOf(client, second)).toBe('PENDING')
    const opposite = await quoted(client, account(customer.usd), to(customer.eur), {
      immediatelyExecute: true,
    })
    await client.advance(0)
    expect((await execute(client, second)).status).toBe(200)
    await client.advance(6 * 60)
    const position = amountBought(opposite) - LIMIT - 1
    expect((await readPlatformPositions(client)).USD).toMatchObject({
      position,
      sold: 0,
      available: position + LIMIT,
    })
  })

  test('is refunded if its money has already arrived', async () => {
    const { client, customer, bank } = await createRichCustomer()
    const quote = await quoted(client, { sourceType: 'REALTIME_FUNDING', currency: 'EUR' }, to(bank), {
      lockedCurrencyAmount: LIMIT,
    })
    await quoted(client, account(customer.eur), to(bank), { immediatelyExecute: true })
    const funding = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'EUR' })
    expect(funding.status).toBe(200)
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'FAILED',
      failureReason: 'QUOTE_EXECUTION_FAILED',
      refund: { status: 'COMPLETED' },
    })
    expect((await readPlatformPositions(client)).USD).toMatchObject({ position: -SOLD, sold: 0 })
  })

  test('is executed among fifty parallel ones only while it still fits', async () => {
    const { client, customer, bank } = await createRichCustomer('003')
    const quotes = await Promise.all(
      Array.from({ length: 50 }, () =>
        quoted(client, account(customer.eur), to(bank), { lockedCurrencyAmount: 1_001 }),
      ),
    )
    const fitting = Math.floor(LIMIT / 1_001)
    const replies = await Promise.all(quotes.map((quote) => execute(client, quote)))
    const refused = replies.filter(({ status }) => status !== 200)
    for (const reply of refused) expectAtLimit(reply, 'USD')
    expect(replies.length - refused.length).toBe(fitting)
    expect((await readPlatformPositions(client)).USD).toMatchObject({ sold: fitting * 1_001 })
    await client.advance(6 * 60)
    expect((await readPlatformPositions(client)).USD).toMatchObject({ position: -fitting * 1_001, sold: 0 })
    const accepted = replies.filter(({ status }) => status === 200)
    const spent = accepted.reduce((sum, { body }) => sum + body.totalSendingAmount, 0)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([100_000_000 - spent, 100_000_000 - spent])
  })
})

test('without limits every conversion is executed, and conversions in progress are still shown', async () => {
  const client = await newPlatform()
  const customer = await newRichCustomer(client)
  const slowBank = await newBankAccount(client, customer.id, '003')
  expect(await readPlatformPositions(client)).toEqual({})
  const quote = await quoted(client, account(customer.eur), to(slowBank), {
    lockedCurrencyAmount: 1_000_000,
    immediatelyExecute: true,
  })
  expect(await readPlatformPositions(client)).toEqual({
    EUR: { position: 0, bought: amountBought(quote), sold: 0 },
    USD: { position: 0, bought: 0, sold: 1_000_000 },
  })
  await client.advance(6 * 60)
  expect(await readPlatformPositions(client)).toEqual({
    EUR: { position: amountBought(quote), bought: 0, sold: 0 },
    USD: { position: -1_000_000, bought: 0, sold: 0 },
  })
})
