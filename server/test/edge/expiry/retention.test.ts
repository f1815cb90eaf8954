import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeOld } from '../../../src/edge/expiry/retention.ts'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { type Client, fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { eventOnce, Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const RETENTION = {
  messages: 40,
  webhookAttempts: 60,
  unsignedRequests: 80,
  deniedDecisions: 90,
  keptAnswers: 1,
  personalData: 1825,
}
const DAY_SECONDS = 24 * 3600

let service: TestServer
let client: Client
beforeAll(async () => {
  service = await openServer()
  client = await service.newPlatform()
})
afterAll(() => service.close())

const countOf = async (table: string) => {
  const { rows } = await service.app.db.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`)
  return Number(rows[0]!.count)
}
const clearIn = (days: number) =>
  removeOld(service.app.db, RETENTION, addSeconds(service.app.clock(), days * DAY_SECONDS))

test('messages and attempts are removed when their time is over, and not before; the event keeps its outcome', async () => {
  const receiver = await Receiver.of(client)
  const { wallet, usd } = await newCustomer(client)
  const { data: credentials } = (await client.get(`/auth/credentials?accountId=${wallet}`)).body
  expect((await client.post(`/auth/credentials/${credentials[0].id}/challenge`)).status).toBe(200)
  await fund(client, usd, 1)
  await receiver.until((all) => all.some(({ event }) => event.objectId === usd))
  const { id } = receiver.received.find(({ event }) => event.objectId === usd)!.event
  await eventOnce(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
  await client.advance(0)
  const [messages, codes, attempts, receipts] = await Promise.all(
    ['messages', 'otp_challenges', 'webhook_attempts', 'webhook_receipts'].map(countOf),
  )
  expect(Math.min(messages!, codes!, attempts!, receipts!)).toBeGreaterThan(0)

  expect(await clearIn(39)).toBe(0)
  expect(await clearIn(41)).toBe(messages! + codes!)
  expect(await Promise.all(['messages', 'otp_challenges', 'webhook_attempts'].map(countOf))).toEqual([
    0,
    0,
    attempts,
  ])
  expect(await clearIn(61)).toBe(attempts! + receipts!)
  expect((await client.get(`/events/${id}`)).body).toMatchObject({
    deliveryStatus: 'DELIVERED',
    deliveryAttempts: [],
  })
})

test('a message that still waits to be sent stays', async () => {
  const { wallet } = await newCustomer(client)
  const { data: credentials } = (await client.get(`/auth/credentials?accountId=${wallet}`)).body
  await client.post(`/auth/credentials/${credentials[0].id}/challenge`)
  await client.advance(0)
  await service.app.db.query("UPDATE messages SET state = 'QUEUED', delivered_at = NULL")
  const waiting = await countOf('messages')
  expect(waiting).toBeGreaterThan(0)
  await clearIn(400)
  expect(await countOf('messages')).toBe(waiting)
})

test('payments counted against velocity limits are removed with their sums once their month is long over', async () => {
  const limited = await service.newPlatform()
  const limit = { period: 'MONTH', currency: 'USD', maxCount: 2 }
  const velocityLimits = [
    { subject: 'CUSTOMER', ...limit },
    { subject: 'PAYEE', ...limit },
  ]
  await limited.send('PATCH', '/config', { riskConfig: { velocityLimits } })
  const customer = await newCustomer(limited)
  await fund(limited, customer.usd, 1_000)
  const bank = await newBankAccount(limited, customer.id)
  const pay = () =>
    limited.post('/transfer-out', {
      source: { accountId: customer.usd },
      destination: { accountId: bank },
      amount: 100,
    })
  expect((await pay()).status).toBe(201)
  // A day and a month for each subject.
  expect(await countOf('velocity_counters')).toBe(4)

  await clearIn(61)
  expect([await countOf('velocity_uses'), await countOf('velocity_counters')]).toEqual([2, 4])
  expect((await pay()).status).toBe(201)
  expect((await pay()).status).toBe(403)
  await clearIn(63)
  expect([await countOf('velocity_uses'), await countOf('velocity_counters')]).toEqual([0, 0])
})
