import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { JOB_HANDLERS } from '../../../src/edge/service/handlers.ts'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { event } from '../../../src/kernel/outbox/events.ts'
import type { JobHandler } from '../../../src/kernel/outbox/job-kinds.ts'
import { createJobRunner } from '../../../src/kernel/outbox/job-runner.ts'
import { createDeliver } from '../../../src/people/webhooks/deliver.ts'
import { update, type Write } from '../../../src/storage/commit/writes.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { newReceivingPlatform, sequences } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAY_MS = 24 * 3600 * 1000

let service: TestServer
beforeAll(async () => {
  service = await openServer({}, { listens: false })
})
afterAll(() => service.close())

type Deliver = JobHandler<'webhook.deliver'>

/** A platform with a receiver, and the given number of events, spread over as many objects as asked. */
async function newQueue(events: number, objects = 1) {
  const { receiver, platform } = await newReceivingPlatform(service)
  const opOf = (jobId: string) => createOp(service.app, platform, { kind: 'job', jobId })
  const op = opOf('test')
  const ids = Array.from({ length: objects }, () => op.newId('Customer'))
  for (let n = 0; n < events; n++) {
    const id = ids[n % objects] ?? ''
    await service.app.committer.commit([event(op, 'CUSTOMER.KYC_PENDING', id, { id })])
  }
  return { receiver, op, opOf }
}

/** The ids of a platform's events, in the order of their sequence numbers. */
async function eventsOf(op: Op): Promise<string[]> {
  const rows = await service.app.read
    .selectFrom('events')
    .select('id')
    .where('platform_id', '=', op.platform.id)
    .orderBy('sequence')
    .execute()
  return rows.map(({ id }) => id)
}

/** The jobs of a platform that deliver events, in the order of the events. */
async function jobsOf(op: Op) {
  const jobs = await service.app.read
    .selectFrom('jobs')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('kind', '=', 'webhook.deliver')
    .$narrowType<{ payload: { eventId: string; objectId: string } }>()
    .execute()
  return (await eventsOf(op)).flatMap((id) => jobs.find(({ payload }) => payload.eventId === id) ?? [])
}

/** The states of the platform's deliveries, in the order of the events. */
async function states(op: Op): Promise<string[]> {
  const rows = await service.app.read
    .selectFrom('webhook_deliveries')
    .select(['id', 'state'])
    .where('platform_id', '=', op.platform.id)
    .execute()
  return (await eventsOf(op)).flatMap((event) => rows.find(({ id }) => id === event)?.state ?? [])
}

type Queue = Awaited<ReturnType<typeof newQueue>>
type Job = Awaited<ReturnType<typeof jobsOf>>[number]

/** Decides a job as the runner does, without committing anything. */
async function decide({ opOf }: Queue, deliver: Deliver, job: Job | undefined): Promise<readonly Write[]> {
  if (!job) throw new Error('The event has no job')
  return [{ write: 'remove', table: 'jobs', id: job.id }, ...(await deliver(opOf(job.id), job.payload))]
}

async function commit(writes: readonly Write[]): Promise<boolean> {
  return (await service.app.committer.commit(writes)).done
}

/** Five events of one object, of which the second has begun to wait for the first. */
async function newWaitingQueue() {
  const queue = await newQueue(5)
  const [, second] = await jobsOf(queue.op)
  expect(await commit(await decide(queue, createDeliver({}), second))).toBe(true)
  return queue
}

function newRunner() {
  const deliver = createDeliver({})
  return createJobRunner(service.app, {
    ...JOB_HANDLERS,
    'webhook.ask': deliver,
    'webhook.deliver': deliver,
  })
}

/** Delivers all events of a queue, and returns how many statements and write sets that took. */
async function countWork({ receiver, op }: Queue, events: number) {
  const runner = newRunner()
  const query = vi.spyOn(service.app.db, 'query')
  const commits = vi.spyOn(service.app.committer, 'commit')
  runner.start()
  await receiver.until((all) => new Set(all.map(({ event }) => event.id)).size === events)
  await runner.stop()
  await runner.runDue(op.platform.id, performance.now() + timeLimit(15_000))
  const counts = { statements: query.mock.calls.length, sets: commits.mock.calls.length }
  query.mockRestore()
  commits.mockRestore()
  return counts
}

test('the job of an event reads everything in one statement', async () => {
  const queue = await newQueue(100, 100)
  const { statements, sets } = await countWork(queue, 100)
  expect(queue.receiver.received).toHaveLength(100)
  // The rest searches for due jobs and claims them, many at a time.
  expect(statements).toBeGreaterThanOrEqual(100)
  expect(statements).toBeLessThan(160)
  expect(sets).toBe(100)
})

test('an event that waits behind others of its object costs about as much as one that does not', async () => {
  const queue = await newQueue(200)
  const { statements, sets } = await countWork(queue, 200)
  expect(sequences(queue.receiver.received)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
  expect(new Set(await states(queue.op))).toEqual(new Set(['DELIVERED']))
  expect(await jobsOf(queue.op)).toEqual([])
  expect(statements).toBeLessThan(400)
  expect(sets).toBeLessThan(400)
})

test('the job of an event continues with the events behind it, and records them together', async () => {
  const queue = await newWaitingQueue()
  const [first] = await jobsOf(queue.op)
  const writes = await decide(queue, createDeliver({}), first)
  expect(sequences(queue.receiver.received)).toEqual([1, 2, 3, 4, 5])
  expect(await commit(writes)).toBe(true)
  expect(await states(queue.op)).toEqual(Array(5).fill('DELIVERED'))
  expect(await jobsOf(queue.op)).toEqual([])
})

test('a crash before the results are committed sends the events again in order', async () => {
  const queue = await newWaitingQueue()
  const [first] = await jobsOf(queue.op)
  await decide(queue, createDeliver({}), first)
  expect(await jobsOf(queue.op)).toHaveLength(5)
  const writes = await decide(queue, createDeliver({}), first)
  expect(sequences(queue.receiver.received)).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
  expect(await commit(writes)).toBe(true)
  expect(await states(queue.op)).toEqual(Array(5).fill('DELIVERED'))
})

test('an event that goes to sleep while it is sent with an earlier one is recorded on the second try, and not sent again', async () => {
  const queue = await newWaitingQueue()
  const [first, , third] = await jobsOf(queue.op)
  const deliver = createDeliver({})
  const stale = await decide(queue, deliver, first)
  expect(await commit(await decide(queue, createDeliver({}), third))).toBe(true)
  expect(await commit(stale)).toBe(false)
  expect(await commit(await decide(queue, deliver, first))).toBe(true)
  expect(sequences(queue.receiver.received)).toEqual([1, 2, 3, 4, 5])
  expect(await states(queue.op)).toEqual(Array(5).fill('DELIVERED'))
  expect(await jobsOf(queue.op)).toEqual([])
})

test('a job whose event was delivered with an earlier one sends nothing', async () => {
  const queue = await newWaitingQueue()
  const [first, , , fourth] = await jobsOf(queue.op)
  expect(await commit(await decide(queue, createDeliver({}), first))).toBe(true)
  expect(await commit(await decide(queue, createDeliver({}), fourth))).toBe(false)
  expect(queue.receiver.received).toHaveLength(5)
})

test('an event that is not received holds up those behind it until it is', async () => {
  const queue = await newWaitingQueue()
  const { op, receiver } = queue
  receiver.answer = ({ event }) => (event.sequence === 3 ? 500 : 200)
  const [first] = await jobsOf(op)
  expect(await commit(await decide(queue, createDeliver({}), first))).toBe(true)
  expect(sequences(receiver.received)).toEqual([1, 2, 3])
  expect(await states(op)).toEqual(['DELIVERED', 'DELIVERED', 'PENDING'])
  expect(await jobsOf(op)).toHaveLength(3)

  receiver.answer = () => 200
  await commit([update('platforms', op.platform.id, {}, { clock_offset_ms: BigInt(DAY_MS) })])
  await newRunner().runDue(op.platform.id, performance.now() + timeLimit(15_000))
  expect(sequences(receiver.received).slice(3)).toEqual([3, 4, 5])
  expect(await states(op)).toEqual(Array(5).fill('DELIVERED'))
})

test('an event with a rule for its response is not sent by the job of an earlier event', async () => {
  const queue = await newWaitingQueue()
  const rules = { 'CUSTOMER.KYC_PENDING': async () => undefined }
  const [first] = await jobsOf(queue.op)
  await decide(queue, createDeliver(rules), first)
  expect(sequences(queue.receiver.received)).toEqual([1])
})
