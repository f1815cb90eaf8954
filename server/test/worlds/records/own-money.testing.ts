import { expect } from 'vitest'
import type { Client, Reply } from '../client.testing.ts'

/** Registers an external account of the platform as one of the operator. */
export async function registered(
  client: Pick<Client, 'post'>,
  externalAccountId: string,
  more: object = {},
): Promise<Reply['body']> {
  const body = { externalAccountId, reason: 'Our account at the house bank', ...more }
  const reply = await client.post('/platform/own-accounts', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

export const withdrawal = (ownAccountId: string, amount: number, more: object = {}) => ({
  ownAccountId,
  source: 'OWN_CAPITAL',
  amount,
  reason: 'Dividend',
  ...more,
})

export async function withdrawals(client: Client): Promise<Reply['body'][]> {
  return (await client.get('/platform/withdrawals?limit=100')).body.data
}

export async function feesOf(client: Client, currency = 'USD'): Promise<number> {
  const { body } = await client.get(`/platform/fee-balances?currency=${currency}`)
  return body.data[0]?.balance.amount ?? 0
}
