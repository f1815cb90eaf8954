import { afterAll, beforeAll, expect, test } from 'vitest'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { fund, newBankAccount, newCustomer, type Reply } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import {
  hold,
  Receiver,
  readLatestEvent,
  waitForEventState,
} from '../../worlds/simulators/webhook-receiver.testing.ts'

const MINUTE = 60

let service: TestServer
beforeAll(async () => {
  service = await openServer({}, { advanceWebhooksMs: 500 })
})
afterAll(() => service.close())

test('an advance of the clock does not wait for a slow endpoint, and the remaining events are delivered later, once', async () => {
  const client = await service.newPlatform()
  const customer = await newCustomer(client)
  const receiver = await Receiver.of(client)
  const accounts = [customer.usd, customer.eur]
  const release = hold(receiver)
  const answerHeld = receiver.answer
  const countAttempts = (id: string) => receiver.received.filter(({ event }) => event.id === id).length
  receiver.answer = (received) => (countAttempts(received.event.id) === 1 ? 500 : answerHeld(received))
  for (const account of accounts) await fund(client, account, 1000)
  const events = await Promise.all(accounts.map((account) => readLatestEvent(client, account)))
  for (const { id } of events)
    await waitForEventState(client, id, ({ deliveryAttempts }) => deliveryAttempts.length === 1)
  // The second attempts become due during the advance.
  await client.advance(MINUTE)
  await receiver.until((all) => all.length === 4)
  release()
  for (const { id } of events) {
    const event = await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
    const statuses = event.deliveryAttempts.map(({ responseStatus }: Reply['body']) => responseStatus)
    expect(statuses).toEqual([500, 200])
  }
  expect(receiver.received).toHaveLength(4)
})

test('an advance of the clock waits for jobs that another process has claimed, and runs them if that process has died', async () => {
  const client = await service.newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 1000)
  const slowAccount = await newBankAccount(client, customer.id, '005')
  const transfer = await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: slowAccount },
  })
  await client.advance(0)
  const claimed = await service.app.db.query(
    `UPDATE jobs SET claimed_until = now() + interval '1 second'
     WHERE platform_id = $1 AND kind = 'transfer.settle'`,
    [extractUuid(client.credentials.platformId)],
  )
  expect(claimed.affected).toBe(1)
  await client.advance(MINUTE)
  expect((await client.get(`/transactions/${transfer.body.id}`)).body.status).toBe('FAILED')
})
