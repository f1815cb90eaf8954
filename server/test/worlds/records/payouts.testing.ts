import { expect } from 'vitest'
import { type Client, fund, newPlatform, type Reply } from '../client.testing.ts'
import { upload } from './uploads.testing.ts'

/** A payee at a US bank whose account number is made of these digits. */
export function usAccount(digits: string) {
  return {
    accountType: 'USD_ACCOUNT',
    accountNumber: digits,
    routingNumber: '021000021',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  }
}

/** A platform with this much in its dollar account, and a payee. */
export async function payingPlatform(amount: bigint | number = 1_000_000) {
  const client = await newPlatform()
  const { payee, own } = await readyToPay(client, amount)
  return { client, payee, own }
}

export async function readyToPay(client: Client, amount: bigint | number = 1_000_000) {
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, own.id, amount)
  const account = { currency: 'USD', accountInfo: usAccount('777000789') }
  const added = await client.post('/platform/external-accounts', account)
  expect(added.status).toBe(201)
  return { payee: String(added.body.id), own: String(own.id) }
}

export const payout = (accountId: string, amount: number, more: object = {}) => ({
  accountId,
  currency: 'USD',
  amount,
  ...more,
})

export async function sendFile(client: Client, csv: string | Uint8Array): Promise<Reply['body']> {
  const file = Buffer.from(csv)
  const reply = await upload(client, '/payouts/batches/csv', { name: 'Payroll' }, file, {
    fileName: 'payouts.csv',
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

export async function sendLines(client: Client, lines: readonly object[]): Promise<Reply['body']> {
  const reply = await client.post('/payouts/batches', { name: 'Payroll', lines })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/** Runs what is due until the batch has one of these states. */
export async function batchIn(
  client: Client,
  id: string,
  ...states: readonly string[]
): Promise<Reply['body']> {
  for (;;) {
    await client.advance(0)
    const { body } = await client.get(`/payouts/batches/${id}`)
    if (states.includes(body.status)) return body
  }
}

export const checked = (client: Client, id: string) => batchIn(client, id, 'READY', 'FAILED')

/** The totals as a call states them. */
export function totalsOf(batch: Reply['body']): { currency: string; amount: number }[] {
  const sums: Record<string, number> = {}
  for (const { total } of batch.totals)
    sums[total.currency.code] = (sums[total.currency.code] ?? 0) + total.amount
  return Object.entries(sums).map(([currency, amount]) => ({ currency, amount }))
}

export function execute(
  client: Pick<Client, 'post'>,
  batch: Reply['body'],
  more: object = {},
): Promise<Reply> {
  return client.post(`/payouts/batches/${batch.id}/execute`, { totals: totalsOf(batch), ...more })
}

/** All lines of a batch, in their order. */
export async function linesOf(client: Client, id: string, query = ''): Promise<Reply['body'][]> {
  const lines: Reply['body'][] = []
  let cursor = ''
  for (;;) {
    const { body } = await client.get(`/payouts/batches/${id}/lines?limit=100${query}${cursor}`)
    lines.push(...body.data)
    if (!body.hasMore) return lines
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
}

export async function balanceOf(client: Client): Promise<number> {
  return (await client.get('/platform/internal-accounts?currency=USD')).body.data[0].balance.amount
}
