import { expect } from 'vitest'
import { toJson } from '../src/json/json.ts'
import {
  type Client,
  fund,
  newCustomer,
  newPlatform,
  type Reply,
  type SignedIn,
  signed,
  signIn,
} from './client.testing.ts'

export type Card = Reply['body']
export type Purchase = Reply['body']

/** A card that is ACTIVE on a USD account with 1,000.00, and its holder, who is signed in. */
export async function newWorld(more: Record<string, unknown> = {}) {
  const client = await newPlatform()
  const holder = await newCustomer(client)
  await fund(client, holder.usd, 100_000)
  const card = await newCard(client, holder.id, [holder.usd], more)
  return { client, holder, card, session: await signIn(client, holder.wallet) }
}

export async function newCard(
  client: Client,
  cardholderId: string,
  fundingSources: readonly string[],
  more: Record<string, unknown> = {},
): Promise<Card> {
  const { status, body } = await client.post('/cards', {
    cardholderId,
    form: 'VIRTUAL',
    fundingSources,
    ...more,
  })
  expect(status, toJson(body)).toBe(201)
  return readCard(client, body.id)
}

/** The card once all due jobs have run. */
export async function readCard(client: Client, id: string): Promise<Card> {
  await client.advance(0)
  return (await client.get(`/cards/${id}`)).body
}

export function use(
  client: Client,
  cardId: string,
  amount: number | bigint,
  more: { readonly descriptor?: string; readonly currency?: string; readonly mcc?: string | undefined } = {},
): Promise<Reply> {
  const { descriptor = 'COFFEE SHOP', currency = 'USD' } = more
  const mcc = 'mcc' in more ? more.mcc : '5814'
  return client.post(`/sandbox/cards/${cardId}/simulate/authorization`, {
    amount,
    currency: { code: currency },
    merchant: { descriptor, ...(mcc ? { mcc } : {}), country: 'US' },
  })
}

/** Uses a card that pays. */
export async function used(...args: Parameters<typeof use>): Promise<Purchase> {
  const { status, body } = await use(...args)
  expect(status, toJson(body)).toBe(200)
  return body
}

export function clear(client: Client, { id, cardId }: Purchase, amount: number | bigint): Promise<Reply> {
  return client.post(`/sandbox/cards/${cardId}/simulate/clearing`, { cardTransactionId: id, amount })
}

export function giveBack(client: Client, { id, cardId }: Purchase, amount: number | bigint): Promise<Reply> {
  return client.post(`/sandbox/cards/${cardId}/simulate/return`, { cardTransactionId: id, amount })
}

/** The purchase once all due jobs have run. */
export async function now(client: Client, { id, cardId }: Purchase): Promise<Purchase> {
  await client.advance(0)
  const { body } = await client.get(`/cards/${cardId}/transactions?limit=100`)
  return body.data.find((purchase: Purchase) => purchase.id === id)
}

export function update(
  client: Client,
  session: Pick<SignedIn, 'stamp'>,
  cardId: string,
  change: { readonly state?: string; readonly fundingSources?: readonly string[] },
): Promise<Reply> {
  return signed(client, session, 'PATCH', `/cards/${cardId}`, change)
}

/** The available and the total balance of an account. */
export async function balances(
  client: Client,
  customerId: string,
  accountId: string,
): Promise<[bigint, bigint]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&limit=100`)
  const { balance, totalBalance } = body.data.find(({ id }: Reply['body']) => id === accountId)
  return [BigInt(balance.amount), BigInt(totalBalance.amount)]
}
