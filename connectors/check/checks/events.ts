import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import {
  amountOf,
  type Context,
  eventAbout,
  movesBalance,
  newPayment,
  newPull,
  type Party,
  partyFor,
  receiverOf,
  send,
} from '../kit/context.ts'
import type { Trick } from '../kit/receiver.ts'
import { type Group, holds } from '../kit/report.ts'

export const EVENTS: Group<Context> = {
  name: 'Events',
  checks: [
    {
      name: 'payment.delivered comes',
      run: (context) => checkReport(context, 'delivered', 'payment.delivered'),
    },
    { name: 'payment.failed comes', run: (context) => checkReport(context, 'fails', 'payment.failed') },
    { name: 'payment.returned arrives, with a later time than payment.delivered', run: checkLateReturn },
    { name: 'payment.cancelled comes', run: checkCancellation },
    { name: 'pull.delivered comes', run: checkPull },
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
    { name: 'each was an event of the protocol', run: noStrangers },
    { name: 'each was signed, with its id and version in the headers', run: allSigned },
    { name: 'an id stands for one event', run: oneEventPerId },
    { name: 'every movement of money was reported', run: everyMovement },
    { name: 'each that was not received at first was sent again', run: noneForgotten },
  ],
}

/** Enough time for the tricks and for the connector's own backoff between attempts. */
const TRICKS: readonly Trick[] = ['500', 'closed', 'late and 503']

async function checkReport(
  context: Context,
  member: 'delivered' | 'fails',
  type: 'payment.delivered' | 'payment.failed',
): Promise<void> {
  receiverOf(context)
  const payment = newPayment(context, partyFor(context, member))
  await movesBalance(context, { [payment.id]: member === 'fails' ? [] : [-amountOf(context)] }, async () => {
    await send(context, payment)
    await eventAbout(context, payment.id, type)
  })
}

async function checkLateReturn(context: Context): Promise<void> {
  receiverOf(context)
  const payment = newPayment(context, partyFor(context, 'returned'))
  const amount = amountOf(context)
  await movesBalance(context, { [payment.id]: [-amount, amount] }, async () => {
    await send(context, payment)
    const later = await eventAbout(context, payment.id, 'payment.returned')
    const first = await eventAbout(context, payment.id, 'payment.delivered')
    holds(
      Date.parse(later.event.occurredAt) >= Date.parse(first.event.occurredAt),
      'payment.returned has an earlier occurredAt than payment.delivered',
    )
  })
}

async function checkCancellation(context: Context): Promise<void> {
  receiverOf(context)
  const payment = newPayment(context, partyFor(context, 'waits'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    await send(context, payment)
    await context.wire.call({ method: 'POST', path: `/payments/${payment.id}/cancel`, body: {} })
    await eventAbout(context, payment.id, 'payment.cancelled')
  })
}

async function checkPull(context: Context): Promise<void> {
  receiverOf(context)
  const pull = newPull(context, partyFor(context, 'payer'))
  await movesBalance(context, { [pull.id]: [amountOf(context)] }, async () => {
    await send(context, pull)
    await eventAbout(context, pull.id, 'pull.delivered')
  })
}

async function checkRedelivery(context: Context): Promise<void> {
  const receiver = receiverOf(context)
  const payment = newPayment(context, partyFor(context, 'delivered'))
  const type = 'payment.delivered'
  receiver.trick(payment.id, type, TRICKS)
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    await send(context, payment)
    const first = await eventAbout(context, payment.id, type)
    const received = await receiver.wait(
      (one) => one.answered === 'received' && receiver.about(payment.id, type).includes(one),
      context.waitMs,
    )
    const attempts = receiver.about(payment.id, type)
    holds(
      received,
      `it was delivered ${attempts.length} times and then no more, although the receiver never responded 2xx`,
    )
    for (const { event, text } of attempts) {
      holds(
        event.id === first.event.id,
        `a repeat has the id ${event.id}, the first attempt ${first.event.id}`,
      )
      holds(text === first.text || sameEvent(text, first.text), 'a repeat has other content')
    }
  })
}

function sameEvent(a: string, b: string): boolean {
  return JSON.stringify(sortKeys(JSON.parse(a))) === JSON.stringify(sortKeys(JSON.parse(b)))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sortKeys(member)]))
}

async function checkManyPayments(context: Context): Promise<void> {
  receiverOf(context)
  const party: Party = partyFor(context, 'delivered')
  const payments = Array.from({ length: 30 }, () => newPayment(context, party))
  const moves = Object.fromEntries(payments.map(({ id }) => [id, [-amountOf(context)]]))
  await movesBalance(context, moves, async () => {
    await Promise.all(payments.map((payment) => send(context, payment)))
    for (const { id } of payments) await eventAbout(context, id, 'payment.delivered')
  })
}

async function noStrangers(context: Context): Promise<void> {
  const [first] = receiverOf(context).strangers
  holds(first === undefined, `not so: ${first}`)
}

async function allSigned(context: Context): Promise<void> {
  const { deliveries } = receiverOf(context)
  holds(deliveries.length > 0, 'no event arrived: does the connector have the kit’s address?')
  const bad = deliveries.filter(({ faults }) => faults.length > 0)
  const [first] = bad
  holds(
    first === undefined,
    `${bad.length} of ${deliveries.length} were not; ${first?.event.type}: ${first?.faults[0]}`,
  )
}

async function oneEventPerId(context: Context): Promise<void> {
  const { deliveries } = receiverOf(context)
  holds(deliveries.length > 0, 'no event arrived')
  const seen = new Map<string, string>()
  for (const { event, text } of deliveries) {
    const before = seen.get(event.id)
    holds(before === undefined || sameEvent(before, text), `the id ${event.id} has two contents`)
    seen.set(event.id, text)
  }
}

/** The types of events that report the actual movements of money. */
function typesFor(id: string, amounts: readonly bigint[]): ConnectorEvent['type'][] {
  const belongsToRun = /^(?:Transaction|Deposit):/.test(id)
  if (!belongsToRun)
    return amounts.length === 1 ? ['deposit.received'] : ['deposit.received', 'deposit.reversed']
  const direction = amounts[0]! < 0n ? 'payment' : 'pull'
  return amounts.length === 1
    ? [`${direction}.delivered`]
    : [`${direction}.delivered`, `${direction}.returned`]
}

async function everyMovement(context: Context): Promise<void> {
  const receiver = receiverOf(context)
  const findMissing = () =>
    [...context.moved]
      .filter(([, amounts]) => amounts.length > 0)
      .flatMap(([id, amounts]) => typesFor(id, amounts).map((type) => ({ id, type })))
      .filter(({ id, type }) => receiver.about(id, type).length === 0)
  const until = Date.now() + context.waitMs
  while (findMissing().length > 0 && Date.now() < until) await sleep(100)
  const left = findMissing()
  holds(left.length === 0, `${left.length} were not; ${left[0]?.type} about ${left[0]?.id} never came`)
}

async function noneForgotten(context: Context): Promise<void> {
  const { deliveries } = receiverOf(context)
  holds(deliveries.length > 0, 'no event arrived')
  const received = new Set(
    deliveries.filter((one) => one.answered === 'received').map(({ event }) => event.id),
  )
  const left = deliveries.find(({ event }) => !received.has(event.id))
  holds(left === undefined, `${left?.event.type} (${left?.event.id}) was not received and never came again`)
}
