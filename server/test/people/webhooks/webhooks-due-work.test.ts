import type { EventType } from '@countersign/contract/events/events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { asApiError } from '../../../src/edge/http/response/errors.ts'
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

/** A platform with a receiver, and an operation of it. */
async function newReceiverOp() {
  const { receiver, op } = await newReceivingPlatform(service)
  return { receiver, op }
}

/** The sender of a process. Each call creates its own, as two processes would have. */
function newSender(rules: ResponseRules = {}): Sender {
  return new Sender(service.app, rules)
}

function dueWork(sender = newSender()): DueWork {
  return { jobs: createJobRunner(service.app, JOB_HANDLERS), sender }
}

/** The delivery statuses of a platform's events. */
async function statuses(op: Op): Promise<[string, string][]> {
  const rows = await selectEvents(op, {}).execute()
  return rows.map(({ id, status }) => [id, status])
}

/** Later than any delivery of these tests. */
const soon = () => performance.now() + timeLimit(15_000)

async function happen(
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

test('thousands of events for an endpoint that never answers delay neither other platforms nor questions about payments', async () => {
  const silent = await newReceiverOp()
  const neighbour = await newReceiverOp()
  hold(silent.receiver)
  const backlog = Array.from({ length: 1000 }, () => {
    const id = silent.op.newId('Customer')
    return event(silent.op, 'CUSTOMER.KYC_PENDING', id, { id })
  })
  for (let from = 0; from < backlog.length; from += 250)
    await service.app.committer.commit(backlog.slice(from, from + 250))
  const sending = newSender().start()
  sending.wake()
  await silent.receiver.until((all) => all.length > 0)

  await happen(neighbour.op, neighbour.op.newId('Customer'))
  const question = await happen(silent.op, silent.op.newId('Transaction'), 'INCOMING_PAYMENT.PENDING')
  sending.wake()
  await neighbour.receiver.until((all) => all.length === 1)
  await silent.receiver.until((all) => all.some(({ event }) => event.id === question.id))
  expect(silent.receiver.received.length).toBeLessThan(32)
  silent.receiver.close()
  await sending.stop()
})

test('several processes that share a database deliver each event once, and those of one object in order', async () => {
  const { op, receiver } = await newReceiverOp()
  const senders = [newSender(), newSender(), newSender()].map((sender) => sender.start())
  const objects = Array.from({ length: 8 }, () => op.newId('Customer'))
  await Promise.all(
    objects.map(async (objectId) => {
      for (let index = 0; index < 5; index++) {
        await happen(op, objectId)
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

test('an event is given up after seven days, and the event that waited for it is sent', async () => {
  const { op, receiver } = await newReceiverOp()
  const [first, second] = [await happen(op, testId('Customer', 1)), await happen(op, testId('Customer', 1))]
  const sender = newSender()
  receiver.answer = ({ event }) => (event.id === first.id ? 500 : 200)
  await sender.settle(op.platform.id, soon())
  expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set([first.id]))
  /** The deliveries of that time. */
  const at = async (ms: number) => {
    await service.app.committer.commit([
      update('platforms', op.platform.id, {}, { clock_offset_ms: BigInt(ms) }),
    ])
    const count = receiver.received.length
    await sender.settle(op.platform.id, soon())
    return new Set(receiver.received.slice(count).map(({ event }) => event.id))
  }
  expect(await at(6.9 * DAY_MS)).toEqual(new Set([first.id]))
  expect(await statuses(op)).toEqual([
    [first.id, 'PENDING'],
    [second.id, 'PENDING'],
  ])
  const due = await sender.nextDue(op.platform.id, new Date(op.now.getTime() + 8 * DAY_MS))
  const [{ event: firstSent }] = [receiver.received[0]!]
  expect(due!.getTime()).toBeLessThanOrEqual(Date.parse(firstSent.timestamp) + 7 * DAY_MS + timeLimit(15_000))
  expect([...(await at(7.01 * DAY_MS))]).toEqual([first.id, second.id])
  expect(await statuses(op)).toEqual([
    [first.id, 'FAILED'],
    [second.id, 'DELIVERED'],
  ])
  expect(await at(20 * DAY_MS)).toEqual(new Set())
})

test('an advance does not send what another process is sending, and waits for it', async () => {
  const { op, receiver } = await newReceiverOp()
  const release = hold(receiver)
  const { id } = await happen(op, op.newId('Customer'))
  const [sending, advancing] = [newSender().start(), dueWork()]
  sending.wake()
  await receiver.until((all) => all.length === 1)
  await advanceClock(service.app, advancing, op.platform.id, op.now, 500)
  expect(receiver.received).toHaveLength(1)
  const advanced = advanceClock(service.app, advancing, op.platform.id, op.now, timeLimit(15_000))
  release()
  await advanced
  expect(await statuses(op)).toEqual([[id, 'DELIVERED']])
  expect(receiver.received).toHaveLength(1)
  await sending.stop()
})

test('an advance that is interrupted after a step does not report that nothing was done', async () => {
  const { op } = await newReceiverOp()
  const lost = async () => {
    throw new NoConnection('no connection')
  }
  const advance = (jobs: Partial<DueWork['jobs']>) => {
    const work = dueWork()
    return advanceClock(
      service.app,
      { ...work, jobs: { ...work.jobs, ...jobs } },
      op.platform.id,
      op.now,
    ).catch((error) => error)
  }
  expect(asApiError(await advance({ nextDue: lost })).refusal.code).toBe('UNAVAILABLE')
  const moved = await advance({ nextDue: async () => op.now, runDue: lost })
  const { refusal } = asApiError(moved)
  expect(refusal.code).toBe('UNAVAILABLE')
  expect(refusal.message).toContain('may have been done')
})

test('a sender that stops waits for the requests in progress and records their outcome', async () => {
  const { op, receiver } = await newReceiverOp()
  const release = hold(receiver)
  const { id } = await happen(op, op.newId('Customer'))
  const sending = newSender().start()
  sending.wake()
  await receiver.until((all) => all.length === 1)
  expect(await statuses(op)).toEqual([[id, 'PENDING']])
  const stopped = sending.stop()
  release()
  await stopped
  expect(await statuses(op)).toEqual([[id, 'DELIVERED']])
  expect(receiver.received).toHaveLength(1)
})

describe('a rule about answers', () => {
  /** Sends a question, and returns how its delivery stands then. */
  async function answerTo(rules: ResponseRules, { op, receiver }: Awaited<ReturnType<typeof newReceiverOp>>) {
    receiver.received.length = 0
    const question = await happen(op, op.newId('Transaction'), 'INCOMING_PAYMENT.PENDING')
    await newSender(rules).settle(op.platform.id, soon())
    const found = (await statuses(op)).find(([id]) => id === question.id)
    return { question, status: found?.[1] }
  }

  test('decides what an answer means, and what is written with it', async () => {
    const asking = await newReceiverOp()
    asking.receiver.answer = () => (response) =>
      response.writeHead(403).end('{"reason": "no", "amount": 9007199254740993}')
    const seen: unknown[] = []
    const { question, status } = await answerTo(
      {
        'INCOMING_PAYMENT.PENDING': async (op, { object_id }, answer) => {
          seen.push([object_id, answer])
          return {
            ended: true,
            writes: [event(op, 'CUSTOMER.KYC_PENDING', testId('Customer', 'of the rule'), {})],
          }
        },
      },
      asking,
    )
    expect(seen).toEqual([
      [question.objectId, { status: 403, body: { reason: 'no', amount: 9007199254740993n } }],
    ])
    expect(status).toBe('DELIVERED')
    expect(
      await selectEvents(asking.op, { objectId: testId('Customer', 'of the rule') }).execute(),
    ).toHaveLength(1)
  })

  test('runs again where its writes conflict, without a new request to the platform', async () => {
    const asking = await newReceiverOp()
    asking.receiver.answer = () => (response) => response.writeHead(200).end('not JSON')
    const answers: unknown[] = []
    const { status } = await answerTo(
      {
        'INCOMING_PAYMENT.PENDING': async (op, _event, answer) => {
          answers.push(answer)
          const version = answers.length === 1 ? -1 : op.platform.version
          return { ended: true, writes: [update('platforms', op.platform.id, { version }, { version })] }
        },
      },
      asking,
    )
    expect(status).toBe('DELIVERED')
    expect(answers).toEqual(Array(2).fill({ status: 200, body: undefined }))
    expect(asking.receiver.received).toHaveLength(1)
  })

  test('leaves other answers to the general rule, and does not run where no answer came', async () => {
    const asking = await newReceiverOp()
    let runs = 0
    const rules: ResponseRules = {
      'INCOMING_PAYMENT.PENDING': async () => {
        runs++
        return undefined
      },
    }
    const outcomes: unknown[] = []
    for (const status of [500, 403, 200, 409]) {
      asking.receiver.answer = () => status
      outcomes.push((await answerTo(rules, asking)).status)
    }
    asking.receiver.answer = () => (response) => response.destroy()
    outcomes.push((await answerTo(rules, asking)).status)
    expect(outcomes).toEqual(['PENDING', 'PENDING', 'DELIVERED', 'DELIVERED', 'PENDING'])
    expect(runs).toBe(4)
  })
})
