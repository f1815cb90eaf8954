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
import { assert, CheckSkipped, ProtocolViolation } from './report.ts'
import type { Wire, WireCall, WireResponse } from './wire.ts'

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
  readonly movements: Map<string, readonly bigint[]>
}

export type Party = Accounts['delivered']
type HookField = 'deposit' | 'reverseDeposit' | 'closeDay' | 'restart'
type PartyField = Exclude<keyof Accounts, 'currency' | 'amount' | 'nameChecks' | HookField>
export type Direction = 'payments' | 'pulls'
export type Order = PaymentRequest | PullRequest

const POLL_MS = 50

/** The account that the file configures for an outcome. */
export function getParty(context: Context, field: PartyField): Party {
  const party = context.accounts[field]
  if (party) return party
  throw new CheckSkipped(`the accounts file has no account for it (field ${field})`)
}

export function getHook(context: Context, field: HookField): Hook {
  const hook = context.accounts[field]
  if (hook) return hook
  throw new CheckSkipped(`the accounts file has no hook for it (field ${field})`)
}

export function getReceiver({ receiver }: Context): Receiver {
  if (receiver) return receiver
  throw new CheckSkipped('the option --events-port is not set')
}

export function getMoney({ accounts }: Context): ConnectorMoney {
  return { value: accounts.amount ?? '1250', currency: accounts.currency, decimals: 2 }
}

export function getAmount(context: Context): bigint {
  return BigInt(getMoney(context).value)
}

export function buildPayment(context: Context, beneficiary: Party): PaymentRequest {
  const id = randomUUID()
  return {
    id: `Transaction:${id}`,
    amount: getMoney(context),
    beneficiary,
    reference: `KIT-${id.slice(0, 8)}`,
    remittanceInformation: 'Connector check',
    requestedAt: new Date().toISOString(),
  }
}

export function buildPull(context: Context, payer: Party): PullRequest {
  const id = randomUUID()
  return {
    id: `Transaction:${id}`,
    amount: getMoney(context),
    payer,
    reference: `KIT-${id.slice(0, 8)}`,
    requestedAt: new Date().toISOString(),
  }
}

/** The call that creates an order. */
export function toCreateCall(body: Order): WireCall {
  return { method: 'POST', path: 'payer' in body ? '/pulls' : '/payments', body, createdId: body.id }
}

/** Returns the body of a 200 response, validated against its schema. */
export function expectBody<T extends TSchema>(
  reply: WireResponse,
  schema: T,
  label: string,
  kind?: 'deposit',
): Static<T> {
  assert(reply.status === 200, `${label} returned ${reply.status}: ${reply.text.slice(0, 300)}`)
  const { value, fault } = readBody(schema, reply.body, kind)
  assert(fault === undefined, `the response to ${label} does not match its schema: ${fault}`)
  return value
}

/** Asserts that the response is a refusal with one of these statuses, a code and a message. */
export function expectRefusal(
  reply: WireResponse,
  statuses: readonly number[],
  label: string,
  code?: string,
): void {
  const expectedStatuses = statuses.join(' or ')
  assert(statuses.includes(reply.status), `${label} returned ${reply.status}, not ${expectedStatuses}`)
  const { code: found, message }: Readonly<Record<string, unknown>> = isObject(reply.body) ? reply.body : {}
  assert(
    typeof found === 'string' && typeof message === 'string',
    `the refusal of ${label} has no code and message: ${reply.text.slice(0, 200)}`,
  )
  assert(code === undefined || found === code, `the refusal of ${label} has the code ${found}, not ${code}`)
}

export async function sendOrder({ wire }: Context, order: Order): Promise<ConnectorPayment> {
  const payment = expectBody(await wire.call(toCreateCall(order)), ConnectorPayment, `POST of ${order.id}`)
  assert(payment.id === order.id, `the response to POST of ${order.id} has the id ${payment.id}`)
  return payment
}

export async function fetchPayment(
  { wire }: Context,
  direction: Direction,
  id: string,
): Promise<ConnectorPayment> {
  const reply = await wire.call({ method: 'GET', path: `/${direction}/${id}` })
  const payment = expectBody(reply, ConnectorPayment, `GET /${direction}/${id}`)
  assert(payment.id === id, `GET /${direction}/${id} returned the id ${payment.id}`)
  return payment
}

/** Polls until the payment has this status. */
export async function waitForStatus(
  context: Context,
  direction: Direction,
  id: string,
  status: ConnectorPaymentStatus,
): Promise<ConnectorPayment> {
  const deadline = Date.now() + context.waitMs
  for (;;) {
    const payment = await fetchPayment(context, direction, id)
    if (payment.status === status) return payment
    assert(
      payment.status === 'ACCEPTED' || payment.status === 'UNKNOWN' || payment.status === 'DELIVERED',
      `${id} became ${payment.status}, not ${status}`,
    )
    assert(
      Date.now() < deadline,
      `${id} is still ${payment.status} after ${context.waitMs} ms, not ${status}`,
    )
    await sleep(POLL_MS)
  }
}

/**
 * Recovers from a broken connection: queries the order, and sends it again with the same id if it never
 * arrived.
 */
export async function settleUnknown(context: Context, order: Order): Promise<void> {
  const direction = toDirection(order)
  const reply = await context.wire.call({ method: 'GET', path: `/${direction}/${order.id}` })
  if (reply.status === 200) return
  expectRefusal(reply, [404], `GET of ${order.id}, whose request was interrupted`, toNotFoundCode(direction))
  await sendOrder(context, order)
}

export function toDirection(order: Order): Direction {
  return 'payer' in order ? 'pulls' : 'payments'
}

export function toNotFoundCode(direction: Direction): string {
  return direction === 'payments' ? 'PAYMENT_NOT_FOUND' : 'PULL_NOT_FOUND'
}

/** The booked balance in the accounts' currency. */
export async function fetchBalance({ wire, accounts }: Context): Promise<bigint> {
  const { balances } = expectBody(
    await wire.call({ method: 'GET', path: '/balance' }),
    Balances,
    'GET /balance',
  )
  const found = balances.find(({ currency }) => currency === accounts.currency)
  assert(found, `GET /balance has no balance in ${accounts.currency}`)
  return BigInt(found.value)
}

/**
 * Does some work and asserts that the balance changes by exactly the sum of `moves`. Its keys are the causes,
 * and the work may add to it. Waits for the grace period, so that a later movement, such as a second payment,
 * is detected.
 */
export async function expectBalanceChange(
  context: Context,
  moves: Readonly<Record<string, readonly bigint[]>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = await fetchBalance(context)
  try {
    await work()
  } finally {
    // The run's statement and events are checked against these, even if this check ends early.
    for (const [id, amounts] of Object.entries(moves)) context.movements.set(id, amounts)
  }
  const expected = Object.values(moves)
    .flat()
    .reduce((sum, move) => sum + move, 0n)
  const deadline = Date.now() + context.waitMs
  while ((await fetchBalance(context)) !== before + expected && Date.now() < deadline) await sleep(POLL_MS)
  await sleep(context.graceMs)
  const change = (await fetchBalance(context)) - before
  if (change === expected) return
  const times =
    expected !== 0n && change % expected === 0n && change / expected > 1n ? change / expected : undefined
  const label = times === undefined ? '' : `; it was made ${times} times`
  throw new ProtocolViolation(`the balance changed by ${change}, not by ${expected}${label}`)
}

/** Waits for the first event of a type about a record, and requires a valid signature. */
export async function waitForEvent(
  context: Context,
  about: string,
  type: ConnectorEvent['type'],
): Promise<Delivery> {
  const receiver = getReceiver(context)
  const found = await receiver.waitForDelivery(
    (delivery) => delivery.event.type === type && receiver.findDeliveries(about, type).includes(delivery),
    context.waitMs,
  )
  const invalidRequests =
    receiver.invalidRequests.length > 0
      ? `; an invalid request arrived instead: ${receiver.invalidRequests[0]}`
      : ''
  assert(found, `no ${type} event about ${about} arrived within ${context.waitMs} ms${invalidRequests}`)
  return found
}
