import type { EventType } from '@countersign/contract/events/events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { toApiError } from '../../../src/edge/http/response/errors.ts'
import { JOB_HANDLERS } from '../../../src/edge/service/handlers.ts'
import type { Op } from '../../../src/kernel/operation/app.ts'
import { event } from '../../../src/kernel/outbox/events.ts'
import { createJobRunner } from '../../../src/kernel/outbox/job-runner.ts'
import { ask } from '../../../src/kernel/outbox/own-endpoint.ts'
import { advanceClock, type DueWork } from '../../../src/outside/sandbox/clock.ts'
import { Sender } from '../../../src/people/webhook-endpoints/sender.ts'
import type { ResponseRules } from '../../../src/people/webhooks/response-rules.ts'
import { selectEvents } from '../../../src/people/webhooks/store.ts'
import { type EventWrite, update } from '../../../src/storage/commit/writes.ts'
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

/** Creates a platform with a receiver of its webhooks. */
async function newReceiverOp() {
  const { receiver, op } = await newReceivingPlatform(service)
  return { receiver, op }
}

/** Creates a separate sender, as each process has one. */
function newSender(rules: ResponseRules = {}): Sender {
  return new Sender(service.app, rules)
}

function createDueWork(sender = newSender()): DueWork {
  return { jobs: createJobRunner(service.app, JOB_HANDLERS), sender }
}

/** The delivery statuses of a platform's events. */
async function listStatuses(op: Op): Promise<[string, string][]> {
  const rows = await selectEvents(op, {}).execute()
  return rows.map(({ id, status }) => [id, status])
}

/** A time after every delivery of these tests. */
const getDeadline = () => performance.now() + timeLimit(15_000)

async function createEvent(
  op: Op,
  objectId: string,
  type: EventType = 'CUSTOMER.KYC_PENDING',
): Promise<EventWrite> {
  const write = event(op, type, objectId, { id: objectId })
  const { done } = await service.app.committer.commit(
    type === 'INCOMING_PAYMENT.PENDING' ? await ask(op, write) : [write],
  )
  if (!done) throw new Error('It did not happen')
  return write
}

test('a backlog for an endpoint that never responds delays neither other platforms nor approval requests', async () => {
  const silentPlatform = await newReceiverOp()
  const neighbour = await newReceiverOp()
  hold(silentPlatform.receiver)
  const backlog = Array.from({ length: 1000 }, () => {
    const id = silentPlatform.op.newId('Customer')
    return event(silentPlatform.op, 'CUSTOMER.KYC_PENDING', id, { id })
  })
  for (let from = 0; from < backlog.length; from += 250)
    await service.app.committer.commit(backlog.slice(from, from + 250))
  const sender = newSender().start()
  sender.wake()
  await silentPlatform.receiver.until((all) => all.length > 0)

  await createEvent(neighbour.op, neighbour.op.newId('Customer'))
  const approvalRequest = await createEvent(
    silentPlatform.op,
    silentPlatform.op.newId('Transaction'),
    'INCOMING_PAYMENT.PENDING',
  )
  sender.wake()
  await neighbour.receiver.until((all) => all.length === 1)
  await silentPlatform.receiver.until((all) => all.some(({ event }) => event.id === approvalRequest.id))
  expect(silentPlatform.receiver.received.length).toBeLessThan(32)
  silentPlatform.receiver.close()
  await sender.stop()
})

test('several processes that share a database deliver each event once, and those of one object in order', async () => {
  const { op, receiver } = await newReceiverOp()
  const senders = [newSender(), newSender(), newSender()].map((sender) => sender.start())
  const objects = Array.from({ length: 8 }, () => op.newId('Customer'))
  await Promise.all(
    objects.map(async (objectId) => {
      for (let index = 0; index < 5; index++) {
        await createEvent(op, objectId)
        for (const sender of senders) sender.wake()
      }
    }),
  )
  await receiver.until((all) => new Set(all.map(({ event }) => event.id)).size === 40)
  await Promise.all(senders.map((sender) => sender.stop()))
  expect(receiver.received).toHaveLength(40)
  for (const objectId of objects) {
    const ofObject = receiver.received.filter(({ event }) => event.objectId === objectId)
    expect(ofObject.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4, 5])
  }
})

test('an event is given up after seven days, and then the next event of its object is sent', async () => {
  const { op, receiver } = await newReceiverOp()
  const [first, second] = [
    await createEvent(op, testId('Customer', 1)),
    await createEvent(op, testId('Customer', 1)),
  ]
  const sender = newSender()
  receiver.answer = ({ event }) => (event.id === first.id ? 500 : 200)
  await sender.settle(op.platform.id, getDeadline())
  expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set([first.id]))
  /** Moves the clock, and returns the ids of the events delivered then. */
  const deliverAt = async (ms: number) => {
    await service.app.committer.commit([
      update('platforms', op.platform.id, {}, { clock_offset_ms: BigInt(ms) }),
    ])
    const count = receiver.received.length
    await sender.settle(op.platform.id, getDeadline())
    return new Set(receiver.received.slice(count).map(({ event }) => event.id))
  }
  expect(await deliverAt(6.9 * DAY_MS)).toEqual(new Set([first.id]))
  expect(await listStatuses(op)).toEqual([
    [first.id, 'PENDING'],
    [second.id, 'PENDING'],
  ])
  const due = await sender.nextDue(op.platform.id, new Date(op.now.getTime() + 8 * DAY_MS))
  const [{ event: firstSent }] = [receiver.received[0]!]
  expect(due!.getTime()).toBeLessThanOrEqual(Date.parse(firstSent.timestamp) + 7 * DAY_MS + timeLimit(15_000))
  expect([...(await deliverAt(7.01 * DAY_MS))]).toEqual([first.id, second.id])
  expect(await listStatuses(op)).toEqual([
    [first.id, 'FAILED'],
    [second.id, 'DELIVERED'],
  ])
  expect(await deliverAt(20 * DAY_MS)).toEqual(new Set())
})

test('an advance of the clock waits for the deliveries of another process and does not repeat them', async () => {
  const { op, receiver } = await newReceiverOp()
  const release = hold(receiver)
  const { id } = await createEvent(op, op.newId('Customer'))
  const [sender, work] = [newSender().start(), createDueWork()]
  sender.wake()
  await receiver.until((all) => all.length === 1)
  await advanceClock(service.app, work, op.platform.id, op.now, 500)
  expect(receiver.received).toHaveLength(1)
  const advanced = advanceClock(service.app, work, op.platform.id, op.now, timeLimit(15_000))
  release()
  await advanced
  expect(await listStatuses(op)).toEqual([[id, 'DELIVERED']])
  expect(receiver.received).toHaveLength(1)
  await sender.stop()
})

test('an advance of the clock that is interrupted after a step reports that work may have been done', async () => {
  const { op } = await newReceiverOp()
  const failConnection = async () => {
    throw new NoConnection('no connection')
  }
  const advance = (jobs: Partial<DueWork['jobs']>) => {
    const work = createDueWork()
    return advanceClock(
      service.app,
      { ...work, jobs: { ...work.jobs, ...jobs } },
      op.platform.id,
      op.now,
    ).catch((error) => error)
  }
  expect(toApiError(await advance({ nextDue: failConnection })).refusal.code).toBe('UNAVAILABLE')
  const error = await advance({ nextDue: async () => op.now, runDue: failConnection })
  const { refusal } = toApiError(error)
  expect(refusal.code).toBe('UNAVAILABLE')
  expect(refusal.message).toContain('may have been done')
})

test('a sender that stops waits for the requests in progress and records their outcome', async () => {
  const { op, receiver } = await newReceiverOp()
  const release = hold(receiver)
  const { id } = await createEvent(op, op.newId('Customer'))
  const sender = newSender().start()
  sender.wake()
  await receiver.until((all) => all.length === 1)
  expect(await listStatuses(op)).toEqual([[id, 'PENDING']])
  const stopped = sender.stop()
  release()
  await stopped
  expect(await listStatuses(op)).toEqual([[id, 'DELIVERED']])
  expect(receiver.received).toHaveLength(1)
})

describe('a response rule', () => {
  /** Sends an approval request, and returns the status of its delivery. */
  async function sendAndReadStatus(
    rules: ResponseRules,
    { op, receiver }: Awaited<ReturnType<typeof newReceiverOp>>,
  ) {
    receiver.received.length = 0
    const approvalRequest = await createEvent(op, op.newId('Transaction'), 'INCOMING_PAYMENT.PENDING')
    await newSender(rules).settle(op.platform.id, getDeadline())
    const row = (await listStatuses(op)).find(([id]) => id === approvalRequest.id)
    return { approvalRequest, status: row?.[1] }
  }

  test('decides what a response means, and what is written with it', async () => {
    const platform = await newReceiverOp()
    platform.receiver.answer = () => (response) =>
      response.writeHead(403).end('{"reason": "no", "amount": 9007199254740993}')
    const calls: unknown[] = []
    const { approvalRequest, status } = await sendAndReadStatus(
      {
        'INCOMING_PAYMENT.PENDING': async (op, { object_id }, reply) => {
          calls.push([object_id, reply])
          return {
            ended: true,
            writes: [event(op, 'CUSTOMER.KYC_PENDING', testId('Customer', 'of the rule'), {})],
          }
        },
      },
      platform,
    )
    expect(calls).toEqual([
      [approvalRequest.objectId, { status: 403, body: { reason: 'no', amount: 9007199254740993n } }],
    ])
    expect(status).toBe('DELIVERED')
    expect(
      await selectEvents(platform.op, { objectId: testId('Customer', 'of the rule') }).execute(),
    ).toHaveLength(1)
  })

  test('runs again if its writes conflict, without a new request to the platform', async () => {
    const platform = await newReceiverOp()
    platform.receiver.answer = () => (response) => response.writeHead(200).end('not JSON')
    const replies: unknown[] = []
    const { status } = await sendAndReadStatus(
      {
        'INCOMING_PAYMENT.PENDING': async (op, _event, reply) => {
          replies.push(reply)
          const version = replies.length === 1 ? -1 : op.platform.version
          return { ended: true, writes: [update('platforms', op.platform.id, { version }, { version })] }
        },
      },
      platform,
    )
    expect(status).toBe('DELIVERED')
    expect(replies).toEqual(Array(2).fill({ status: 200, body: undefined }))
    expect(platform.receiver.received).toHaveLength(1)
  })

  test('leaves other responses to the general rule, and does not run without a response', async () => {
    const platform = await newReceiverOp()
    let runs = 0
    const rules: ResponseRules = {
      'INCOMING_PAYMENT.PENDING': async () => {
        runs++
        return undefined
      },
    }
    const outcomes: unknown[] = []
    for (const status of [500, 403, 200, 409]) {
      platform.receiver.answer = () => status
      outcomes.push((await sendAndReadStatus(rules, platform)).status)
    }
    platform.receiver.answer = () => (response) => response.destroy()
    outcomes.push((await sendAndReadStatus(rules, platform)).status)
    expect(outcomes).toEqual(['PENDING', 'PENDING', 'DELIVERED', 'DELIVERED', 'PENDING'])
    expect(runs).toBe(4)
  })
})
