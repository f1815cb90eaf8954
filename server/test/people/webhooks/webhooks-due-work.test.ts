import type { EventType } from '@countersign/contract/events/events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { asApiError } from '../../../src/edge/http/response/errors.ts'
import { JOB_HANDLERS } from '../../../src/edge/service/handlers.ts'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { event } from '../../../src/kernel/outbox/events.ts'
import { createJobRunner, type JobRunner } from '../../../src/kernel/outbox/job-runner.ts'
import { LANES } from '../../../src/kernel/outbox/lanes.ts'
import { advanceClock } from '../../../src/outside/sandbox/clock.ts'
import { createDeliver } from '../../../src/people/webhooks/deliver.ts'
import type { EventWrite } from '../../../src/storage/commit/writes.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import { NoConnection } from '../../../src/storage/engine/port.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { hold, newReceivingPlatform } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAY_MS = 24 * 3600 * 1000

let service: TestServer
beforeAll(async () => {
  service = await openServer({}, { listens: false })
})
afterAll(() => service.close())

/** A platform with a receiver, and operations of its jobs. */
async function newReceiverOp() {
  const { receiver, platform } = await newReceivingPlatform(service)
  return { receiver, op: opAt(0, platform) }
}

/** An operation at a later time, by the clock of its platform. */
function opAt(offsetMs: number, platform: Op['platform'], jobId = 'test'): Op {
  return createOp(service.app, { ...platform, clock_offset_ms: BigInt(offsetMs) }, { kind: 'job', jobId })
}

/** The runner of a process. Each call creates its own, as two processes would have. */
function newRunner(): JobRunner {
  const deliver = createDeliver({})
  return createJobRunner(service.app, { ...JOB_HANDLERS, 'webhook.ask': deliver, 'webhook.deliver': deliver })
}

/** The states of the platform's deliveries. */
async function states(op: Op): Promise<[string, string][]> {
  const rows = await service.app.read
    .selectFrom('webhook_deliveries')
    .select(['id', 'state'])
    .where('platform_id', '=', op.platform.id)
    .execute()
  return rows.map(({ id, state }) => [id, state])
}

/** Later than any delivery of these tests. */
const soon = () => performance.now() + timeLimit(15_000)

async function happen(
  op: Op,
  objectId: string,
  type: EventType = 'CUSTOMER.KYC_PENDING',
): Promise<EventWrite> {
  const write = event(op, type, objectId, { id: objectId })
  const { done } = await service.app.committer.commit([write])
  if (!done) throw new Error('It did not happen')
  return write
}

test('thousands of events for an endpoint that never responds delay neither other platforms nor payment decisions', async () => {
  const silent = await newReceiverOp()
  const neighbour = await newReceiverOp()
  hold(silent.receiver)
  const backlog = Array.from({ length: 1000 }, () => {
    const id = silent.op.newId('Customer')
    return event(silent.op, 'CUSTOMER.KYC_PENDING', id, { id })
  })
  for (let from = 0; from < backlog.length; from += 250)
    await service.app.committer.commit(backlog.slice(from, from + 250))
  const runner = newRunner()
  runner.start()
  const share = LANES.webhooks.atOnceMax / LANES.webhooks.shareOfPlatform
  await silent.receiver.until((all) => all.length === share)

  await happen(neighbour.op, neighbour.op.newId('Customer'))
  const question = await happen(silent.op, silent.op.newId('Transaction'), 'INCOMING_PAYMENT.PENDING')
  runner.wake()
  await neighbour.receiver.until((all) => all.length === 1)
  await silent.receiver.until((all) => all.some(({ event }) => event.id === question.id))
  expect(silent.receiver.received).toHaveLength(share + 1)
  silent.receiver.close()
  await runner.stop()
})

test('several processes that share a database deliver each event once, and the events of one object in order', async () => {
  const { op, receiver } = await newReceiverOp()
  const runners = [newRunner(), newRunner(), newRunner()]
  for (const runner of runners) runner.start()
  const objects = Array.from({ length: 8 }, () => op.newId('Customer'))
  await Promise.all(
    objects.map(async (objectId) => {
      for (let index = 0; index < 5; index++) {
        await happen(op, objectId)
        for (const runner of runners) runner.wake()
      }
    }),
  )
  await receiver.until((all) => new Set(all.map(({ event }) => event.id)).size === 40)
  await Promise.all(runners.map((runner) => runner.stop()))
  expect(receiver.received).toHaveLength(40)
  for (const objectId of objects) {
    const ofObject = receiver.received.filter(({ event }) => event.objectId === objectId)
    expect(ofObject.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4, 5])
  }
})

test('an event is given up after seven days, and the waiting one behind it is sent', async () => {
  const { op, receiver } = await newReceiverOp()
  const [first, second] = [await happen(op, testId('Customer', 1)), await happen(op, testId('Customer', 1))]
  const runner = newRunner()
  receiver.answer = ({ event }) => (event.id === first.id ? 500 : 200)
  await runner.runDue(op.platform.id, soon())
  expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set([first.id]))
  /** The deliveries of that time. Another process of the test run may make one too. */
  const at = async (ms: number) => {
    await service.app.committer.commit([
      update('platforms', op.platform.id, {}, { clock_offset_ms: BigInt(ms) }),
    ])
    const count = receiver.received.length
    await runner.runDue(op.platform.id, soon())
    return new Set(receiver.received.slice(count).map(({ event }) => event.id))
  }
  expect(await at(6.9 * DAY_MS)).toEqual(new Set([first.id]))
  expect(await states(op)).toEqual([[first.id, 'PENDING']])
  const due = await runner.nextDue(op.platform.id, new Date(op.now.getTime() + 8 * DAY_MS), true)
  expect(due!.getTime()).toBeLessThanOrEqual(first.at.getTime() + 7 * DAY_MS)
  expect([...(await at(7 * DAY_MS))]).toEqual([first.id, second.id])
  expect(new Set(await states(op))).toEqual(
    new Set([
      [first.id, 'FAILED'],
      [second.id, 'DELIVERED'],
    ]),
  )
  expect(await at(20 * DAY_MS)).toEqual(new Set())
})

test('an advance does not send events that another process is sending, and waits for them', async () => {
  const { op, receiver } = await newReceiverOp()
  const release = hold(receiver)
  const { id } = await happen(op, op.newId('Customer'))
  const [sending, advancing] = [newRunner(), newRunner()]
  sending.wake()
  await receiver.until((all) => all.length === 1)
  await advanceClock(service.app, advancing, op.platform.id, op.now, 500)
  expect(receiver.received).toHaveLength(1)
  const advanced = advanceClock(service.app, advancing, op.platform.id, op.now, 15_000)
  release()
  await advanced
  expect(await states(op)).toEqual([[id, 'DELIVERED']])
  expect(receiver.received).toHaveLength(1)
  await Promise.all([sending.stop(), advancing.stop()])
})

test('an advance that is interrupted after a step does not report that nothing was done', async () => {
  const { op } = await newReceiverOp()
  const lost = async () => {
    throw new NoConnection('no connection')
  }
  const advance = (jobs: Partial<JobRunner>) =>
    advanceClock(service.app, { ...newRunner(), ...jobs }, op.platform.id, op.now).catch((error) => error)
  expect(asApiError(await advance({ nextDue: lost })).refusal.code).toBe('UNAVAILABLE')
  const moved = await advance({ nextDue: async () => op.now, runDue: lost })
  expect(asApiError(moved).refusal.code).toBe('INTERNAL_ERROR')
})

test('running jobs are not started again, and a stopping runner waits for them', async () => {
  const { op, receiver } = await newReceiverOp()
  const release = hold(receiver)
  await happen(op, op.newId('Customer'))
  const runner = newRunner()
  await runner.runDue(op.platform.id, performance.now() + 500)
  expect(await states(op)).toEqual([])
  runner.wake()
  const stopped = runner.stop()
  release()
  await stopped
  expect((await states(op)).map(([, state]) => state)).toEqual(['DELIVERED'])
  expect(receiver.received).toHaveLength(1)
})

describe('a rule about responses', () => {
  /** An event without a job, so that no other process of the test run delivers it. */
  async function happenQuietly(op: Op) {
    const { delivery: _, ...write } = event(op, 'INCOMING_PAYMENT.PENDING', op.newId('Transaction'), {
      a: 1n,
    })
    await service.app.committer.commit([write])
    return write
  }

  test('decides the meaning of a response, and its writes', async () => {
    const { op, receiver } = await newReceiverOp()
    receiver.answer = () => (response) =>
      response.writeHead(403).end('{"reason": "no", "amount": 9007199254740993}')
    const seen: unknown[] = []
    const deliver = createDeliver({
      'INCOMING_PAYMENT.PENDING': async (_op, { id }, answer) => {
        seen.push([id, answer])
        return { ended: true, writes: [{ write: 'remove', table: 'jobs', id: testId('Job', 'of the rule') }] }
      },
    })
    const { id } = await happenQuietly(op)
    const writes = await deliver(op, { eventId: id })
    expect(seen).toEqual([[id, { status: 403, body: { reason: 'no', amount: 9007199254740993n } }]])
    expect(writes).toContainEqual({ write: 'remove', table: 'jobs', id: testId('Job', 'of the rule') })
    expect(writes[0]).toMatchObject({ table: 'webhook_deliveries', row: { state: 'DELIVERED', attempts: 1 } })
  })

  test('runs again if its writes conflict, without a new request to the platform', async () => {
    const { op, receiver } = await newReceiverOp()
    receiver.answer = () => (response) => response.writeHead(200).end('not JSON')
    const answers: unknown[] = []
    const deliver = createDeliver({
      'INCOMING_PAYMENT.PENDING': async (_op, _event, answer) => {
        answers.push(answer)
        return { ended: answers.length === 2, writes: [] }
      },
    })
    const { id } = await happenQuietly(op)
    const [first] = await deliver(op, { eventId: id })
    expect(first).toMatchObject({ row: { state: 'PENDING' } })
    const [second] = await deliver(op, { eventId: id })
    expect(second).toMatchObject({ row: { state: 'DELIVERED' } })
    expect(answers).toEqual(Array(2).fill({ status: 200, body: undefined }))
    expect(receiver.received).toHaveLength(1)
  })

  test('leaves other responses to the general rule, and does not run without a response', async () => {
    const { op, receiver } = await newReceiverOp()
    let asked = 0
    const deliver = createDeliver({
      'INCOMING_PAYMENT.PENDING': async () => {
        asked++
        return undefined
      },
    })
    const { id } = await happenQuietly(op)
    const outcomes: unknown[] = []
    for (const [at, status] of [500, 403, 200, 409].entries()) {
      receiver.answer = () => status
      const [write] = await deliver(opAt(0, op.platform, testId('Job', `${id} ${at}`)), { eventId: id })
      outcomes.push(write)
    }
    receiver.answer = () => (response) => response.destroy()
    outcomes.push((await deliver(opAt(0, op.platform, testId('Job', id)), { eventId: id }))[0])
    expect(outcomes.map((write) => (write as { row: { state: string } }).row.state)).toEqual([
      'PENDING',
      'PENDING',
      'DELIVERED',
      'DELIVERED',
      'PENDING',
    ])
    expect(asked).toBe(4)
  })
})
