import { expect } from 'vitest'
import { toJson } from '../src/json/json.ts'
import { type Client, newCustomer, newPlatform, type Reply } from './client.testing.ts'
import { type Reaction, Receiver } from './webhook-receiver.testing.ts'

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
export async function paid(
  client: Client,
  customerId: string,
  more?: Record<string, unknown>,
): Promise<Transaction> {
  const { status, body } = await pay(client, customerId, more)
  expect(status, toJson(body)).toBe(200)
  return body
}

/** A platform that is asked about every payment, and gives this answer. */
export async function asked(reaction: Reaction) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const receiver = await Receiver.of(client)
  receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? reaction : 200)
  return { client, customer, receiver }
}

/** The transaction once all due jobs have run. */
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

/** The types of the events of a transaction, as they happened. */
export async function eventsOf(client: Client, { id }: Transaction): Promise<string[]> {
  const events = await client.events(`&objectId=${id}`)
  return events.map(({ type }: { type: string }) => type)
}
