import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeOld } from '../../../src/edge/expiry/retention.ts'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { type Client, fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver, waitForEventState } from '../../worlds/simulators/webhook-receiver.testing.ts'

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

const countRows = async (table: string) => {
  const { rows } = await service.app.db.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`)
  return Number(rows[0]!.count)
}
const removeOldAfter = (days: number) =>
  removeOld(service.app.db, RETENTION, addSeconds(service.app.clock(), days * DAY_SECONDS))

test('messages and webhook attempts are removed when their retention ends, not before, and the event keeps its outcome', async () => {
  const receiver = await Receiver.of(client)
  const { wallet, usd } = await newCustomer(client)
  const { data: credentials } = (await client.get(`/auth/credentials?accountId=${wallet}`)).body
  expect((await client.post(`/auth/credentials/${credentials[0].id}/challenge`)).status).toBe(200)
  await fund(client, usd, 1)
  await receiver.until((all) => all.some(({ event }) => event.objectId === usd))
  const { id } = receiver.received.find(({ event }) => event.objectId === usd)!.event
  await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
  await client.advance(0)
  const [messages, codes, attempts, receipts] = await Promise.all(
    ['messages', 'otp_challenges', 'webhook_attempts', 'webhook_receipts'].map(countRows),
  )
  expect(Math.min(messages!, codes!, attempts!, receipts!)).toBeGreaterThan(0)

  expect(await removeOldAfter(39)).toBe(0)
  expect(await removeOldAfter(41)).toBe(messages! + codes!)
  expect(await Promise.all(['messages', 'otp_challenges', 'webhook_attempts'].map(countRows))).toEqual([
    0,
    0,
    attempts,
  ])
  expect(await removeOldAfter(61)).toBe(attempts! + receipts!)
  expect((await client.get(`/events/${id}`)).body).toMatchObject({
    deliveryStatus: 'DELIVERED',
    deliveryAttempts: [],
  })
})

test('a message that is still waiting to be sent is not removed', async () => {
  const { wallet } = await newCustomer(client)
  const { data: credentials } = (await client.get(`/auth/credentials?accountId=${wallet}`)).body
  await client.post(`/auth/credentials/${credentials[0].id}/challenge`)
  await client.advance(0)
  await service.app.db.query("UPDATE messages SET state = 'QUEUED', delivered_at = NULL")
  const queuedCount = await countRows('messages')
  expect(queuedCount).toBeGreaterThan(0)
  await removeOldAfter(400)
  expect(await countRows('messages')).toBe(queuedCount)
})

test('payments counted for velocity limits are removed, with their sums, long after their month ends', async () => {
  const limitedClient = await service.newPlatform()
  const limit = { period: 'MONTH', currency: 'USD', maxCount: 2 }
  const velocityLimits = [
    { subject: 'CUSTOMER', ...limit },
    { subject: 'PAYEE', ...limit },
  ]
  await limitedClient.send('PATCH', '/config', { riskConfig: { velocityLimits } })
  const customer = await newCustomer(limitedClient)
  await fund(limitedClient, customer.usd, 1_000)
  const bank = await newBankAccount(limitedClient, customer.id)
  const sendPayment = () =>
    limitedClient.post('/transfer-out', {
      source: { accountId: customer.usd },
      destination: { accountId: bank },
      amount: 100,
    })
  expect((await sendPayment()).status).toBe(201)
  // Each subject has a counter for the day and one for the month.
  expect(await countRows('velocity_counters')).toBe(4)

  await removeOldAfter(61)
  expect([await countRows('velocity_uses'), await countRows('velocity_counters')]).toEqual([2, 4])
  expect((await sendPayment()).status).toBe(201)
  expect((await sendPayment()).status).toBe(403)
  await removeOldAfter(63)
  expect([await countRows('velocity_uses'), await countRows('velocity_counters')]).toEqual([0, 0])
})
