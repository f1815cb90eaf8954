import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import {
  buildPayment,
  buildPull,
  type Context,
  expectBalanceChange,
  getAmount,
  getParty,
  getReceiver,
  type Party,
  sendOrder,
  waitForEvent,
} from '../kit/context.ts'
import type { FailureResponse } from '../kit/receiver.ts'
import { assert, type Group } from '../kit/report.ts'

export const EVENTS: Group<Context> = {
  name: 'Events',
  checks: [
    {
      name: 'payment.delivered arrives',
      run: (context) => checkReport(context, 'delivered', 'payment.delivered'),
    },
    { name: 'payment.failed arrives', run: (context) => checkReport(context, 'fails', 'payment.failed') },
    { name: 'payment.returned arrives, with a later time than payment.delivered', run: checkLateReturn },
    { name: 'payment.cancelled arrives', run: checkCancellation },
    { name: 'pull.delivered arrives', run: checkPull },
    {
      name: 'an event is delivered again, with the same id and content, until the receiver responds 2xx',
      run: checkRedelivery,
    },
    { name: 'the events of many payments at the same time all arrive', run: checkManyPayments },
  ],
}

/** Checks all events of the run. Runs last. */
export const ALL_EVENTS: Group<Context> = {
  name: 'All events of this run',
  checks: [
    { name: 'every request is an event of the protocol', run: checkSchemas },
    { name: 'every event is signed, with its id and version in the headers', run: checkSignatures },
    { name: 'every id belongs to a single event', run: checkEventIds },
    { name: 'every movement of money is reported', run: checkMovements },
    { name: 'every event that was not received at first is sent again', run: checkRedeliveries },
  ],
}

/** Enough time for the tricks and for the connector's own backoff between attempts. */
const FAILURE_RESPONSES: readonly FailureResponse[] = ['500', 'closed', 'late and 503']

async function checkReport(
  context: Context,
  member: 'delivered' | 'fails',
  type: 'payment.delivered' | 'payment.failed',
): Promise<void> {
  getReceiver(context)
  const payment = buildPayment(context, getParty(context, member))
  await expectBalanceChange(
    context,
    { [payment.id]: member === 'fails' ? [] : [-getAmount(context)] },
    async () => {
      await sendOrder(context, payment)
      await waitForEvent(context, payment.id, type)
    },
  )
}

async function checkLateReturn(context: Context): Promise<void> {
  getReceiver(context)
  const payment = buildPayment(context, getParty(context, 'returned'))
  const amount = getAmount(context)
  await expectBalanceChange(context, { [payment.id]: [-amount, amount] }, async () => {
    await sendOrder(context, payment)
    const later = await waitForEvent(context, payment.id, 'payment.returned')
    const first = await waitForEvent(context, payment.id, 'payment.delivered')
    assert(
      Date.parse(later.event.occurredAt) >= Date.parse(first.event.occurredAt),
      'payment.returned has an earlier occurredAt than payment.delivered',
    )
  })
}

async function checkCancellation(context: Context): Promise<void> {
  getReceiver(context)
  const payment = buildPayment(context, getParty(context, 'waits'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    await sendOrder(context, payment)
    await context.wire.call({ method: 'POST', path: `/payments/${payment.id}/cancel`, body: {} })
    await waitForEvent(context, payment.id, 'payment.cancelled')
  })
}

async function checkPull(context: Context): Promise<void> {
  getReceiver(context)
  const pull = buildPull(context, getParty(context, 'payer'))
  await expectBalanceChange(context, { [pull.id]: [getAmount(context)] }, async () => {
    await sendOrder(context, pull)
    await waitForEvent(context, pull.id, 'pull.delivered')
  })
}

async function checkRedelivery(context: Context): Promise<void> {
  const receiver = getReceiver(context)
  const payment = buildPayment(context, getParty(context, 'delivered'))
  const type = 'payment.delivered'
  receiver.failNext(payment.id, type, FAILURE_RESPONSES)
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    await sendOrder(context, payment)
    const first = await waitForEvent(context, payment.id, type)
    const received = await receiver.waitForDelivery(
      (delivery) =>
        delivery.outcome === 'received' && receiver.findDeliveries(payment.id, type).includes(delivery),
      context.waitMs,
    )
    const attempts = receiver.findDeliveries(payment.id, type)
    assert(
      received,
      `delivery stopped after ${attempts.length} attempts, although the receiver never responded 2xx`,
    )
    for (const { event, text } of attempts) {
      assert(
        event.id === first.event.id,
        `a repeat has the id ${event.id}, but the first attempt had ${first.event.id}`,
      )
      assert(text === first.text || isSameEvent(text, first.text), 'a repeat has different content')
    }
  })
}

function isSameEvent(a: string, b: string): boolean {
  return JSON.stringify(sortKeys(JSON.parse(a))) === JSON.stringify(sortKeys(JSON.parse(b)))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sortKeys(member)]))
}

async function checkManyPayments(context: Context): Promise<void> {
  getReceiver(context)
  const party: Party = getParty(context, 'delivered')
  const payments = Array.from({ length: 30 }, () => buildPayment(context, party))
  const moves = Object.fromEntries(payments.map(({ id }) => [id, [-getAmount(context)]]))
  await expectBalanceChange(context, moves, async () => {
    await Promise.all(payments.map((payment) => sendOrder(context, payment)))
    for (const { id } of payments) await waitForEvent(context, id, 'payment.delivered')
  })
}

async function checkSchemas(context: Context): Promise<void> {
  const [first] = getReceiver(context).invalidRequests
  assert(first === undefined, `a request was not an event: ${first}`)
}

async function checkSignatures(context: Context): Promise<void> {
  const { deliveries } = getReceiver(context)
  assert(
    deliveries.length > 0,
    'no event arrived; check that the connector sends events to the kit’s address',
  )
  const invalid = deliveries.filter(({ faults }) => faults.length > 0)
  const [first] = invalid
  assert(
    first === undefined,
    `${invalid.length} of ${deliveries.length} events are not; ${first?.event.type}: ${first?.faults[0]}`,
  )
}

async function checkEventIds(context: Context): Promise<void> {
  const { deliveries } = getReceiver(context)
  assert(deliveries.length > 0, 'no event arrived')
  const seen = new Map<string, string>()
  for (const { event, text } of deliveries) {
    const before = seen.get(event.id)
    assert(before === undefined || isSameEvent(before, text), `two different events have the id ${event.id}`)
    seen.set(event.id, text)
  }
}

/** The types of events that report the actual movements of money. */
function listExpectedTypes(id: string, amounts: readonly bigint[]): ConnectorEvent['type'][] {
  const belongsToRun = /^(?:Transaction|Deposit):/.test(id)
  if (!belongsToRun)
    return amounts.length === 1 ? ['deposit.received'] : ['deposit.received', 'deposit.reversed']
  const direction = amounts[0]! < 0n ? 'payment' : 'pull'
  return amounts.length === 1
    ? [`${direction}.delivered`]
    : [`${direction}.delivered`, `${direction}.returned`]
}

async function checkMovements(context: Context): Promise<void> {
  const receiver = getReceiver(context)
  const findMissing = () =>
    [...context.movements]
      .filter(([, amounts]) => amounts.length > 0)
      .flatMap(([id, amounts]) => listExpectedTypes(id, amounts).map((type) => ({ id, type })))
      .filter(({ id, type }) => receiver.findDeliveries(id, type).length === 0)
  const deadline = Date.now() + context.waitMs
  while (findMissing().length > 0 && Date.now() < deadline) await sleep(100)
  const missing = findMissing()
  assert(
    missing.length === 0,
    `${missing.length} events are missing; ${missing[0]?.type} about ${missing[0]?.id} never arrived`,
  )
}

async function checkRedeliveries(context: Context): Promise<void> {
  const { deliveries } = getReceiver(context)
  assert(deliveries.length > 0, 'no event arrived')
  const received = new Set(
    deliveries.filter((delivery) => delivery.outcome === 'received').map(({ event }) => event.id),
  )
  const undelivered = deliveries.find(({ event }) => !received.has(event.id))
  assert(
    undelivered === undefined,
    `${undelivered?.event.type} (${undelivered?.event.id}) was not received and never sent again`,
  )
}
