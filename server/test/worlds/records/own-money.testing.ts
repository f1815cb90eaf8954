import { expect } from 'vitest'
import { type Client, fund, type Reply } from '../client.testing.ts'
import { usAccount } from './payouts.testing.ts'

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

export interface Place {
  readonly client: Client
}

const FUNDED = 10_000

/** A new external account of the platform. */
export async function newExternal({ client }: Place) {
  const digits = String(Math.floor(Math.random() * 900_000) + 100_000)
  const body = { currency: 'USD', accountInfo: usAccount(`${digits}789`) }
  const { id } = (await client.post('/platform/external-accounts', body)).body
  return { ExternalAccount: String(id) }
}

/** A new registered account of the operator. */
export async function newOwnAccount({ client }: Place, more: object = {}) {
  const { ExternalAccount } = await newExternal({ client })
  const { id } = await registered(client, ExternalAccount, more)
  return { OwnAccount: String(id) }
}

/** A withdrawal that waits for one approval, with the money for it. */
export async function newWithdrawal({ client }: Place) {
  const { OwnAccount } = await newOwnAccount({ client })
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, own.id, FUNDED)
  const body = withdrawal(OwnAccount, 100, { needsApproval: true })
  const { id } = (await client.post('/platform/withdrawals', body)).body
  return { OwnAccount, PlatformWithdrawal: String(id) }
}
