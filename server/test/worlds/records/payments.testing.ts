import type { IdKind, InternalIdKind } from '@countersign/contract/core/ids'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { buildId, deriveUuid } from '../../../src/storage/engine/ids.ts'
import type { RailEventRow, RailPaymentRow } from '../../../src/storage/rows/rail.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform, type Reply } from '../client.testing.ts'
import { type Reaction, Receiver } from '../simulators/webhook-receiver.testing.ts'

/** Derives an id of this kind from a name. The same name always gives the same id. */
export function testId(kind: IdKind | InternalIdKind, name: string | number): string {
  return buildId(kind, deriveUuid(String(name)))
}

/** Returns an id of this kind that no record has. */
export function buildUnknownId(kind: IdKind | InternalIdKind): string {
  return testId(kind, 'nobody has it')
}

export const FUNDED = 100_000

/** Creates a customer with money, and an external account that ends in `suffix`. */
export async function ready(suffix?: string) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  return { client, customer, bank: await newBankAccount(client, customer.id, suffix) }
}

/** Creates a quote for 25.00, with the fields in `more`. */
export async function quoted(client: Client, source: object, destination: object, more: object = {}) {
  const reply = await client.post('/quotes', {
    source,
    destination,
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2500,
    ...more,
  })
  expect(reply, toJson(reply.body)).toMatchObject({ status: 201 })
  return reply.body
}

export const account = (accountId: string) => ({ sourceType: 'ACCOUNT', accountId })
export const to = (accountId: string) => ({ destinationType: 'ACCOUNT', accountId })
export const readQuoteTransaction = async (client: Client, quote: { transactionId: string }) =>
  (await client.get(`/transactions/${quote.transactionId}`)).body
export const statusOf = async (client: Client, quote: { id: string }) =>
  (await client.get(`/quotes/${quote.id}`)).body.status

/** Reads the available and total balance of the customer's account. */
export async function balancesOf(
  client: Client,
  customerId: string,
  currency = 'USD',
): Promise<[number, number]> {
  const { body } = await client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  return [body.data[0].balance.amount, body.data[0].totalBalance.amount]
}

export const SENDER = '$grace@bank.example'

export type Transaction = Reply['body']

export function pay(client: Client, customerId: string, more: Record<string, unknown> = {}): Promise<Reply> {
  return client.post('/sandbox/uma/receive', {
    senderUmaAddress: SENDER,
    customerId,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: 1250,
    ...more,
  })
}

/** Pays, and returns the transaction. */
export async function payNow(
  client: Client,
  customerId: string,
  more?: Record<string, unknown>,
): Promise<Transaction> {
  const { status, body } = await pay(client, customerId, more)
  expect(status, toJson(body)).toBe(200)
  return body
}

/** Creates a platform whose webhook receives every payment and responds with this reaction. */
export async function newReviewedPlatform(reaction: Reaction) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const receiver = await Receiver.of(client)
  receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? reaction : 200)
  return { client, customer, receiver }
}

/** Runs all due jobs, then returns the transaction. */
export async function now(client: Client, { id }: Transaction): Promise<Transaction> {
  await client.advance(0)
  return (await client.get(`/transactions/${id}`)).body
}

export async function balanceOf(client: Client, customerId: string, currency = 'USD'): Promise<bigint> {
  const { body } = await client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  expect(body.data).toHaveLength(1)
  const [{ balance, totalBalance }] = body.data
  expect(totalBalance.amount).toEqual(balance.amount)
  return BigInt(balance.amount)
}

/** Lists the event types of a transaction, in order. */
export async function eventsOf(client: Client, { id }: Transaction): Promise<string[]> {
  const events = await client.events(`&objectId=${id}`)
  return events.map(({ type }: { type: string }) => type)
}

/** Reads the rows of a CSV file, keyed by the names in its header. */
export async function rowsOf(client: Client, path: string): Promise<Record<string, string>[]> {
  const { status, body } = await client.get(path)
  expect(status, String(body)).toBe(200)
  return parse(body, { columns: true })
}

/** Reads all records of a paginated list. */
export async function readAllRecords(client: Client, path: string): Promise<Reply['body'][]> {
  const records: Reply['body'][] = []
  let cursor = ''
  do {
    const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`)
    expect(status).toBe(200)
    records.push(...body.data)
    cursor = body.hasMore ? `&cursor=${body.nextCursor}` : ''
  } while (cursor !== '')
  return records
}

export const sum = (amounts: readonly (bigint | number | string)[]) =>
  amounts.reduce<bigint>((total, amount) => total + BigInt(amount), 0n)

/** Reads the platform's clock. */
export async function readPlatformClock(client: Client): Promise<string> {
  return (await client.get('/sandbox/clock')).body.now
}

/** Reads a statement as JSON. */
export async function statementOf(client: Client, accountId: string, more = ''): Promise<Reply['body']> {
  const { status, body } = await client.get(`/statements?accountId=${accountId}${more}`)
  expect(status, toJson(body)).toBe(200)
  return body
}

/** A position as the API shows it, without the text about its currency. */
interface ShownPosition {
  readonly position: number
  readonly bought: number
  readonly sold: number
  readonly limit: number | undefined
  readonly available: number | undefined
}

/** Reads the platform's positions, by currency code. */
export async function readPlatformPositions(client: Client): Promise<Record<string, ShownPosition>> {
  const { status, body } = await client.get('/positions')
  expect(status, toJson(body)).toBe(200)
  return Object.fromEntries(
    body.data.map(({ currency, position, inFlight, limit, available }: Reply['body']) => [
      currency.code,
      { position, ...inFlight, limit, available },
    ]),
  )
}

/** Creates a customer with plenty of dollars and euros. */
export async function newRichCustomer(client: Client) {
  const customer = await newCustomer(client)
  await Promise.all([customer.usd, customer.eur].map((id) => fund(client, id, 100_000_000)))
  return customer
}

export function expectAtLimit(reply: Reply, currency: string): void {
  expect(reply, toJson(reply.body)).toMatchObject({
    status: 503,
    body: { code: 'POSITION_LIMIT_REACHED', details: { currency } },
  })
  expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0)
}

/**
 * Returns the customer id of payments with the platform's own money: the platform's UUID in the format of a customer
 * id.
 */
export async function findOwnCustomerId(client: Client): Promise<string> {
  const { id } = (await client.get('/config')).body
  return `Customer:${id.slice('Platform:'.length, -2)}03`
}

/** Builds a payment submitted to a rail, with a value in nearly every column. */
export function railPayment(platformId: string, id: string, paymentId: string, now: Date): RailPaymentRow {
  return {
    id,
    platform_id: platformId,
    rail: 'bank',
    direction: 'OUT',
    payment_id: paymentId,
    amount: 9_007_199_254_740_993n,
    currency: 'USD',
    state: 'GIVEN',
    reference: 'CS1',
    rail_reference: null,
    transaction_hash: null,
    failure: { code: 'OFFRAMP_FAILED', message: '"quoted" \\' },
    submit_at: now,
    delivered_at: null,
    returned_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** Builds a report about an unknown payment. */
export function railEvent(platformId: string, id: string, now: Date): RailEventRow {
  return {
    id,
    platform_id: platformId,
    rail: 'bank',
    type: 'payment.delivered',
    body: { data: { exact: 9_007_199_254_740_993n } },
    state: 'WAITING',
    reason: 'UNKNOWN_PAYMENT',
    note: null,
    resolved_at: null,
    created_at: now,
  }
}

export const SENT = 2500
/** Payments to this account stay with the bank for half a minute, then fail. */
const SLOW = '005'
export const SLOW_SECONDS = 30

/** Creates a transfer out that its bank has accepted but not finished, paid by a new customer. */
export async function waitingPayment(platform?: Client) {
  const client = platform ?? (await newPlatform())
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  const bank = await newBankAccount(client, customer.id, SLOW)
  const started = await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount: SENT,
  })
  expect(started.status, toJson(started.body)).toBe(201)
  await client.advance(0)
  return { client, customer, bank, id: String(started.body.id) }
}

export type WaitingPayment = Awaited<ReturnType<typeof waitingPayment>>

/** Builds the request body of a decision. */
export function decision(outcome: string, more: Record<string, unknown> = {}) {
  return { outcome, reason: 'The bank has confirmed it', evidence: { note: 'Call with Ms. Bank' }, ...more }
}

type Caller = Pick<Client, 'post'>

export const decide = (caller: Caller, id: string, body: object, headers?: Record<string, string>) =>
  caller.post(`/transactions/${id}/decide`, body, headers)

/** Decides, then runs the jobs that become due. */
export async function decided(client: Client, id: string, body: object): Promise<Reply['body']> {
  const reply = await decide(client, id, body)
  expect(reply.status, toJson(reply.body)).toBe(200)
  await client.advance(0)
  return reply.body
}

/** Sends a report as a bank does, then runs the jobs that become due. */
export async function report(client: Client, type: string, paymentId: string): Promise<Reply['body']> {
  const reply = await client.post('/sandbox/rail-events', { type, paymentId, message: 'Says the bank' })
  expect(reply.status, toJson(reply.body)).toBe(201)
  await client.advance(0)
  return reply.body
}

/** Reads the balances of the platform's own ledger accounts, by name. */
export async function readSystemBalances(client: Client, currency = 'USD'): Promise<Record<string, number>> {
  const { data } = (await client.get(`/ledger/accounts?currency=${currency}&limit=100`)).body
  let sum = 0
  for (const { normalSide, posted } of data) sum += normalSide === 'debit' ? posted : -posted
  expect(sum, 'debit and credit balances').toBe(0)
  return Object.fromEntries(
    data.flatMap(({ name, posted }: Reply['body']) =>
      name === undefined || posted === 0 ? [] : [[name, posted]],
    ),
  )
}

export const statusOfPayment = async (client: Client, id: string): Promise<string> =>
  (await client.get(`/transactions/${id}`)).body.status

/** Reads the status of a payment, and its money in the ledger. */
export async function stateOf({ client, customer, id }: WaitingPayment) {
  const [available, total] = await balancesOf(client, customer.id)
  const { rail, ...books } = await readSystemBalances(client)
  return {
    status: await statusOfPayment(client, id),
    payer: [available - FUNDED, total - FUNDED],
    rail: (rail ?? 0) - FUNDED,
    books,
  }
}
