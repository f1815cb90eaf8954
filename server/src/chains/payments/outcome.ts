import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import { update, type Write } from '../../db/commit/writes.ts'
import type { ChainPaymentRow } from '../../db/schema/chain-tables.ts'
import { CHAIN_PAYMENT_TRANSITIONS, type RailPaymentEvent } from '../../db/schema/states.ts'
import type { Hex } from '../../formats/hex.ts'
import { type Op, plusSeconds } from '../../op/app.ts'
import { transition } from '../../op/transition.ts'
import { tell } from '../../rail-events/apply.ts'
import { recorded } from '../../rail-events/receive.ts'
import { findRailPayment, type Told } from '../../rails/rail-payments.ts'

/** How a payment ends, and what is told of it. */

const FAILURE = {
  code: 'QUOTE_EXECUTION_FAILED',
  message: 'The payment could not be made on the chain',
} as const
const RETRY_SECONDS_MAX = 300

/** A payment that is in a confirmed block. Guard: it had not ended. */
export async function paid(
  op: Op,
  payment: ChainPaymentRow,
  { hash, block }: { readonly hash: Hex; readonly block: bigint },
): Promise<Write[]> {
  const change = { transaction_hash: hash, block_number: block, note: null }
  const moved = transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'pay', change)
  return [moved.write, ...(await told(op, payment, 'deliver', { transactionHash: hash }))]
}

/** A payment of which nothing that was signed can count any more. Guard: it had not ended. */
export async function failed(op: Op, payment: ChainPaymentRow, note: string): Promise<Write[]> {
  const moved = transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'fail', { note })
  return [moved.write, ...(await told(op, payment, 'fail', { failure: FAILURE }))]
}

/** A payment whose transaction has done nothing, and is done for good: it is sent in another one. */
export function again(op: Op, payment: ChainPaymentRow, note: string): Write[] {
  const seconds = payment.attempts <= 1 ? 0 : Math.min(2 ** payment.attempts, RETRY_SECONDS_MAX)
  const change = { due_at: plusSeconds(op.now, seconds), note }
  return [transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'retry', change).write]
}

/** A payment that cannot be sent now. Guard: it still waits. */
export function waits(op: Op, payment: ChainPaymentRow, note: string, seconds: number): Write[] {
  const change = { note, due_at: plusSeconds(op.now, seconds), updated_at: op.now }
  return [update('chain_payments', payment.id, { state: payment.state }, change)]
}

const WORDS = { accept: 'accepted', deliver: 'delivered', fail: 'failed' } as const

/**
 * Tells what became of a payment; a sweep is nobody's payment. What contradicts the end that it had is kept for a person. Guard: nothing
 * else was told meanwhile.
 */
export async function told(
  op: Op,
  { id, kind, rail, payment_id }: ChainPaymentRow,
  by: Extract<RailPaymentEvent, keyof typeof WORDS>,
  what: Told,
): Promise<readonly Write[]> {
  if (kind === 'SWEEP') return []
  const row = await findRailPayment(op, kind, payment_id)
  if (!row) throw new Error(`There is no record of ${payment_id}`)
  const { writes, reason } = await tell(op, row, by, what)
  if (reason === undefined) return writes
  const type = `${kind === 'OUT' ? 'payment' : 'pull'}.${WORDS[by]}` as ConnectorEvent['type']
  const data = { id: payment_id, ...what }
  const event = { id: `${id} ${WORDS[by]}`, type, occurredAt: op.now.toISOString(), data }
  return [...writes, ...recorded(op, rail, event, reason)]
}
