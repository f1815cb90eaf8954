import { expect } from 'vitest'
import type { Client, Reply } from '../client.testing.ts'

/** Of the platform to one of its payees: what it has, as `readyToPay` returns it. */
export interface Paying {
  readonly own: string
  readonly payee: string
}

/** The body of a schedule that pays 100 each day at noon UTC, with an event an hour before. */
export const dailyOf = ({ own, payee }: Paying, more: object = {}) => ({
  name: 'Rent',
  source: { accountId: own },
  destination: { accountId: payee },
  amount: 100,
  rule: { type: 'DAILY' },
  time: '12:00',
  timeZone: 'UTC',
  noticeSeconds: 3600,
  ...more,
})

export async function schedule(client: Pick<Client, 'post'>, body: object): Promise<Reply['body']> {
  const reply = await client.post('/payment-schedules', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/** A schedule that waits for its approval. The platform asks two members for each approval from then on. */
export async function waitingSchedule(client: Client, body: object): Promise<Reply['body']> {
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  const made = await schedule(client, body)
  expect(made.status).toBe('AWAITING_APPROVAL')
  return made
}

/** A schedule that waits for one approval. */
export const approvableSchedule = (client: Client, body: object) =>
  schedule(client, { ...body, needsApproval: true })

export const change = (client: Pick<Client, 'post'>, id: string, what: string, body?: object) =>
  client.post(`/payment-schedules/${id}/${what}`, body ?? (what === 'skip' ? {} : undefined))

export async function scheduleIn(client: Client, id: string): Promise<Reply['body']> {
  return (await client.get(`/payment-schedules/${id}`)).body
}

/** The payments of a schedule, oldest first. */
export async function occurrencesOf(client: Client, id: string): Promise<Reply['body'][]> {
  return (await client.get(`/payment-schedules/${id}/occurrences?limit=100`)).body.data.reverse()
}

/** Moves the clock to seconds after the next payment of a schedule, or to seconds before it. */
export async function advanceToNext(client: Client, id: string, seconds = 0): Promise<string> {
  const [next] = (await scheduleIn(client, id)).upcoming
  const at = new Date(Date.parse(next.paysAt) + seconds * 1000)
  await client.post('/sandbox/clock/advance', { to: at.toISOString() })
  return next.date
}
