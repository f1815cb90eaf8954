import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { event } from '../../../src/kernel/outbox/events.ts'
import { newEndpoint } from '../../../src/kernel/outbox/own-endpoint.ts'
import { recordProgress } from '../../../src/people/webhook-endpoints/progress-store.ts'
import { Sender } from '../../../src/people/webhook-endpoints/sender.ts'
import { claimEndpoints } from '../../../src/people/webhook-endpoints/sender-store.ts'
import { newSecret } from '../../../src/people/webhooks/secrets.ts'
import { insert } from '../../../src/storage/commit/writes.ts'
import { until } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

/** The server does not listen, so only the tests send events. */
let service: TestServer
beforeAll(async () => {
  service = await openServer({}, { listens: false })
})
afterAll(() => service.close())

const NOTHING_RECORDED = { received: [], noted: [] }

/** Creates a platform with this number of events, and an endpoint that receives all of them. */
async function newFeed(events: number, url = 'http://127.0.0.1:9/hook') {
  const op = await service.newOp()
  const row = newEndpoint(op, { role: 'ADDED', url, begins_in: '0' })
  await service.app.committer.commit([
    insert('webhook_endpoints', row),
    insert('webhook_secrets', newSecret(op, row.id)),
  ])
  for (let n = 0; n < events; n++) {
    const id = op.newId('Customer')
    await service.app.committer.commit([event(op, 'CUSTOMER.KYC_PENDING', id, { id })])
  }
  return { op, row }
}

const afterSeconds = (seconds: number) => new Date(service.app.clock().getTime() + seconds * 1_000)

/** Claims the due endpoints, and ignores the endpoints of other tests. */
async function claim(id: string, claimant: string, at = service.app.clock()) {
  const claimed = await claimEndpoints(service.app.db, { claim: claimant, now: at, max: 32 })
  return claimed.find(({ endpoint }) => endpoint.id === id)
}

test('one process at a time sends to an endpoint, and another continues after the first is silent for 30 seconds', async () => {
  const { row, op } = await newFeed(1)
  const first = await until(
    () => claim(row.id, 'one'),
    (found) => found !== undefined,
  )
  expect(await claim(row.id, 'other')).toBeUndefined()
  expect(await claim(row.id, 'other', afterSeconds(20))).toBeUndefined()
  expect((await claim(row.id, 'other', afterSeconds(40)))?.cursor).toMatchObject({ committed_in: '0' })

  const record = (claimant: string, committed_in: string) =>
    recordProgress(
      service.app.db,
      { claim: claimant, endpoint: row },
      {
        changes: { ...NOTHING_RECORDED, cursor: { committed_in, position: 1n } },
        attempts: [],
        receipts: [],
        receiptId: op.newId('WebhookReceipt'),
        faults: [],
        health: first!.health,
        isOver: false,
        isIdle: false,
      },
      { real: service.app.clock(), platform: op.now },
    )
  // The first process is back, but can no longer record progress.
  expect(await record('one', '7')).toBeUndefined()
  expect(await record('other', '5')).toMatchObject({ id: row.id })
  const [{ committed_in } = { committed_in: undefined }] = await service.app.read
    .selectFrom('webhook_endpoints')
    .select('committed_in')
    .where('id', '=', row.id)
    .execute()
  expect(committed_in).toBe('5')
})

test('an endpoint that has received everything is not claimed', async () => {
  const { row } = await newFeed(0)
  expect(await claim(row.id, 'one')).toBeUndefined()
})

test('events received immediately need no row, and a hundred of them only a few statements', async () => {
  const receiver = await Receiver.open()
  const { row } = await newFeed(100, receiver.url)
  const query = vi.spyOn(service.app.db, 'query')
  const commits = vi.spyOn(service.app.committer, 'commit')
  const sender = new Sender(service.app, {}).start()
  sender.wake()
  await receiver.until((all) => all.length === 100)
  await sender.stop()
  const statements = query.mock.calls.length
  query.mockRestore()
  expect(commits).not.toHaveBeenCalled()
  commits.mockRestore()
  // The sender looks, claims, reads and records, and records again every 100 ms.
  expect(statements).toBeLessThan(40)
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(100)
  const failures = await service.app.read
    .selectFrom('undelivered_events')
    .select('id')
    .where('endpoint_id', '=', row.id)
    .execute()
  expect(failures).toEqual([])
})

test('a stopped process leaves unsent events to the next one', async () => {
  const receiver = await Receiver.open()
  await newFeed(60, receiver.url)
  const first = new Sender(service.app, {}).start()
  receiver.answer = () => {
    // The process stops when the first requests arrive.
    void first.stop()
    return 200
  }
  first.wake()
  await receiver.until((all) => all.length > 0)
  await first.stop()
  receiver.answer = () => 200
  const sentBefore = receiver.received.length
  expect(sentBefore).toBeLessThan(60)
  const second = new Sender(service.app, {}).start()
  second.wake()
  await receiver.until((all) => new Set(all.map(({ event }) => event.id)).size === 60)
  await second.stop()
  expect(receiver.received).toHaveLength(60)
})
