import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import {
  Balances,
  type ConnectorMoney,
  ConnectorPayment,
  type ConnectorPaymentStatus,
  type PaymentRequest,
  type PullRequest,
} from '@countersign/contract/connectors/protocol'
import { readBody } from '@countersign/contract/connectors/reader'
import { isObject } from '@countersign/contract/core/decode'
import type { Static, TSchema } from 'typebox'
import type { Accounts, Hook } from './accounts.ts'
import type { Delivery, Receiver } from './receiver.ts'
import { holds, NotChecked, Shortfall } from './report.ts'
import type { Reply, Wire, WireCall } from './wire.ts'

export interface Context {
  readonly url: string
  readonly wire: Wire
  readonly secrets: readonly string[]
  readonly accounts: Accounts
  /** Undefined if the kit has no port for events. */
  readonly receiver: Receiver | undefined
  /** The time to wait for an outcome or an event. */
  readonly waitMs: number
  /** The time to watch for a second payment that must not happen. */
  readonly graceMs: number
  /**
   * Expected movements, by the id of what causes them (for a deposit, its own id): signed amounts in the
   * smallest unit of the accounts' currency.
   */
  readonly moved: Map<string, readonly bigint[]>
}

export type Party = Accounts['delivered']
type HookMember = 'deposit' | 'reverseDeposit' | 'closeDay' | 'restart'
type PartyMember = Exclude<keyof Accounts, 'currency' | 'amount' | 'nameChecks' | HookMember>
export type Direction = 'payments' | 'pulls'
type Order = PaymentRequest | PullRequest

const POLL_MS = 50

/** The account that the file configures for an outcome. */
export function partyFor(context: Context, member: PartyMember): Party {
  const party = context.accounts[member]
  if (party) return party
  throw new NotChecked(`the accounts file names no account for it (member ${member})`)
}

export function hookFor(context: Context, member: HookMember): Hook {
  const hook = context.accounts[member]
  if (hook) return hook
  throw new NotChecked(`the accounts file does not say how (member ${member})`)
}

export function receiverOf({ receiver }: Context): Receiver {
  if (receiver) return receiver
  throw new NotChecked('no --events-port was given')
}

export function moneyOf({ accounts }: Context): ConnectorMoney {
  return { value: accounts.amount ?? '1250', currency: accounts.currency, decimals: 2 }
}

export function amountOf(context: Context): bigint {
  return BigInt(moneyOf(context).value)
}

export function newPayment(context: Context, beneficiary: Party): PaymentRequest {
  const id = randomUUID()
  return {
    id: `Transaction:${id}`,
    amount: moneyOf(context),
    beneficiary,
    reference: `KIT-${id.slice(0, 8)}`,
    remittanceInformation: 'Connector check',
    requestedAt: new Date().toISOString(),
  }
}

export function newPull(context: Context, payer: Party): PullRequest {
  const id = randomUUID()
  return {
    id: `Transaction:${id}`,
    amount: moneyOf(context),
    payer,
    reference: `KIT-${id.slice(0, 8)}`,
    requestedAt: new Date().toISOString(),
  }
}

/** The call that creates an order. */
export function creating(body: Order): WireCall {
  return { method: 'POST', path: 'payer' in body ? '/pulls' : '/payments', body, creates: body.id }
}

/** Returns the body of a 200 response, validated against its schema. */
export function bodyOf<T extends TSchema>(
  reply: Reply,
  schema: T,
  what: string,
  kind?: 'deposit',
): Static<T> {
  holds(reply.status === 200, `${what} returned ${reply.status}: ${reply.text.slice(0, 300)}`)
  const { value, fault } = readBody(schema, reply.body, kind)
  holds(fault === undefined, `the response to ${what} does not match its schema: ${fault}`)
  return value
}

/** Asserts that the response is a refusal with one of these statuses, a code and a message. */
export function isRefused(reply: Reply, statuses: readonly number[], what: string, code?: string): void {
  const expectedStatuses = statuses.join(' or ')
  holds(statuses.includes(reply.status), `${what} returned ${reply.status}, not ${expectedStatuses}`)
  const { code: found, message }: Readonly<Record<string, unknown>> = isObject(reply.body) ? reply.body : {}
  holds(
    typeof found === 'string' && typeof message === 'string',
    `the refusal of ${what} has no code and message: ${reply.text.slice(0, 200)}`,
  )
  holds(code === undefined || found === code, `the refusal of ${what} has the code ${found}, not ${code}`)
}

export async function send({ wire }: Context, order: Order): Promise<ConnectorPayment> {
  const payment = bodyOf(await wire.call(creating(order)), ConnectorPayment, `POST of ${order.id}`)
  holds(payment.id === order.id, `the response to POST of ${order.id} has the id ${payment.id}`)
  return payment
}

export async function ask({ wire }: Context, direction: Direction, id: string): Promise<ConnectorPayment> {
  const reply = await wire.call({ method: 'GET', path: `/${direction}/${id}` })
  const payment = bodyOf(reply, ConnectorPayment, `GET /${direction}/${id}`)
  holds(payment.id === id, `GET /${direction}/${id} answers the id ${payment.id}`)
  return payment
}

/** Polls until the payment has this status. */
export async function waitForStatus(
  context: Context,
  direction: Direction,
  id: string,
  status: ConnectorPaymentStatus,
): Promise<ConnectorPayment> {
  const until = Date.now() + context.waitMs
  for (;;) {
    const payment = await ask(context, direction, id)
    if (payment.status === status) return payment
    holds(
      payment.status === 'ACCEPTED' || payment.status === 'UNKNOWN' || payment.status === 'DELIVERED',
      `${id} became ${payment.status}, not ${status}`,
    )
    holds(Date.now() < until, `${id} is still ${payment.status} after ${context.waitMs} ms, not ${status}`)
    await sleep(POLL_MS)
  }
}

/**
 * Recovers from a broken connection: queries the order, and sends it again with the same id if it never
 * arrived.
 */
export async function settleUnknown(context: Context, order: Order): Promise<void> {
  const direction = directionOf(order)
  const reply = await context.wire.call({ method: 'GET', path: `/${direction}/${order.id}` })
  if (reply.status === 200) return
  isRefused(reply, [404], `GET of ${order.id}, which was broken off`, notFoundCodeOf(direction))
  await send(context, order)
}

export function directionOf(order: Order): Direction {
  return 'payer' in order ? 'pulls' : 'payments'
}

export function notFoundCodeOf(direction: Direction): string {
  return direction === 'payments' ? 'PAYMENT_NOT_FOUND' : 'PULL_NOT_FOUND'
}

/** The booked balance in the accounts' currency. */
export async function balanceOf({ wire, accounts }: Context): Promise<bigint> {
  const { balances } = bodyOf(await wire.call({ method: 'GET', path: '/balance' }), Balances, 'GET /balance')
  const found = balances.find(({ currency }) => currency === accounts.currency)
  holds(found, `GET /balance has no ${accounts.currency}`)
  return BigInt(found.value)
}

/**
 * Does some work and asserts that the balance changes by exactly the sum of `moves`. Its keys are the causes,
 * and the work may add to it. Waits for the grace period, so that a later movement, such as a second payment,
 * is detected.
 */
export async function movesBalance(
  context: Context,
  moves: Readonly<Record<string, readonly bigint[]>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = await balanceOf(context)
  try {
    await work()
  } finally {
    // The run's statement and events are checked against these, even if this check ends early.
    for (const [id, amounts] of Object.entries(moves)) context.moved.set(id, amounts)
  }
  const expected = Object.values(moves)
    .flat()
    .reduce((sum, move) => sum + move, 0n)
  const until = Date.now() + context.waitMs
  while ((await balanceOf(context)) !== before + expected && Date.now() < until) await sleep(POLL_MS)
  await sleep(context.graceMs)
  const by = (await balanceOf(context)) - before
  if (by === expected) return
  const times = expected !== 0n && by % expected === 0n && by / expected > 1n ? by / expected : undefined
  const what = times === undefined ? '' : `: it was done ${times} times`
  throw new Shortfall(`the balance moved by ${by}, not by ${expected}${what}`)
}

/** Waits for the first event of a type about a record, and requires a valid signature. */
export async function eventAbout(
  context: Context,
  about: string,
  type: ConnectorEvent['type'],
): Promise<Delivery> {
  const receiver = receiverOf(context)
  const found = await receiver.wait(
    (one) => one.event.type === type && receiver.about(about, type).includes(one),
    context.waitMs,
  )
  const invalidRequests =
    receiver.strangers.length > 0 ? `; the request received was not an event: ${receiver.strangers[0]}` : ''
  holds(found, `no event ${type} about ${about} came within ${context.waitMs} ms${invalidRequests}`)
  return found
}
