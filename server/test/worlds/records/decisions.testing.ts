import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform, type Reply } from '../client.testing.ts'
import { balancesOf, FUNDED } from './payments.testing.ts'

export const SENT = 2500
/** Payments to this account stay with the bank for half a minute, and fail then. */
const SLOW = '005'
export const SLOW_SECONDS = 30

/** A transfer out that its bank has accepted and not ended, with its payer, who is a new customer. */
export async function waitingPayment(platform?: Client) {
  const client = platform ?? (await newPlatform())
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  const bank = await newBankAccount(client, customer.id, SLOW)
  const begun = await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount: SENT,
  })
  expect(begun.status, toJson(begun.body)).toBe(201)
  await client.advance(0)
  return { client, customer, bank, id: String(begun.body.id) }
}

export type WaitingPayment = Awaited<ReturnType<typeof waitingPayment>>

/** The body of a decision. */
export function decision(outcome: string, more: Record<string, unknown> = {}) {
  return { outcome, reason: 'The bank has confirmed it', evidence: { note: 'Call with Ms. Bank' }, ...more }
}

type Caller = Pick<Client, 'post'>

export const decide = (caller: Caller, id: string, body: object, headers?: Record<string, string>) =>
  caller.post(`/transactions/${id}/decide`, body, headers)

/** Decides, and does what that makes due. */
export async function decided(client: Client, id: string, body: object): Promise<Reply['body']> {
  const reply = await decide(client, id, body)
  expect(reply.status, toJson(reply.body)).toBe(200)
  await client.advance(0)
  return reply.body
}

/** Reports as a bank does, and does what that makes due. */
export async function report(client: Client, type: string, paymentId: string): Promise<Reply['body']> {
  const reply = await client.post('/sandbox/rail-events', { type, paymentId, message: 'Says the bank' })
  expect(reply.status, toJson(reply.body)).toBe(201)
  await client.advance(0)
  return reply.body
}

/** The balances of the platform's own accounts of the ledger, by their names. */
export async function booksOf(client: Client, currency = 'USD'): Promise<Record<string, number>> {
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

/** The status of a payment, and its money in the books. */
export async function stateOf({ client, customer, id }: WaitingPayment) {
  const [available, total] = await balancesOf(client, customer.id)
  const { rail, ...books } = await booksOf(client)
  return {
    status: await statusOfPayment(client, id),
    payer: [available - FUNDED, total - FUNDED],
    rail: (rail ?? 0) - FUNDED,
    books,
  }
}
