import type { DepositReason } from '@countersign/contract/payments/deposits'
import { DEPOSIT_TRANSITIONS, type DepositEvent } from '@countersign/contract/states/deposit-states'
import type { Leg } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { createPaymentRecord, type PaymentOrder } from './rail-payments.ts'
import { selectDeposit } from './store.ts'

/** Finds a deposit. Returns undefined if it was not recorded. */
export async function findDepositRow(op: Op, id: string): Promise<DepositRow | undefined> {
  return selectDeposit(op, id)
}

/** Finds a deposit that another record refers to. Throws if it does not exist. */
export async function requireDeposit(op: Op, id: string): Promise<DepositRow> {
  const row = await selectDeposit(op, id)
  if (!row) throw new Error(`${id} does not exist`)
  return row
}

/** Moves a deposit to the next state. Guard: its state is unchanged. */
export function moveDeposit(
  op: Op,
  row: DepositRow,
  events: DepositEvent | readonly DepositEvent[],
  change: Partial<DepositRow> = {},
): { readonly row: DepositRow; readonly write: Write } {
  return transition(op, 'deposits', DEPOSIT_TRANSITIONS, row, events, change)
}

/**
 * Starts returning a deposit: the payment's record at the rail, and the job. Afterwards the deposit is
 * RETURNING.
 */
export function beginReturn(
  op: Op,
  row: DepositRow,
  reason: DepositReason,
  change: Partial<DepositRow> = {},
): { readonly row: DepositRow; readonly writes: Write[] } {
  const moved = moveDeposit(op, row, 'return', { ...change, reason })
  return { row: moved.row, writes: [moved.write, ...scheduleReturn(op, moved.row)] }
}

/** Builds the writes that return a deposit that is already RETURNING. */
export function scheduleReturn(op: Op, row: DepositRow): Write[] {
  const opensAt = op.rails.find(row.rail)?.opensAt(op.now) ?? op.now
  return [
    ...createPaymentRecord(op, buildReturnPayment(row), opensAt),
    job(op, 'deposit.return', { depositId: row.id }, opensAt),
  ]
}

/** Builds the payment that returns a deposit. Its id is the deposit's, so there can be only one. */
export function buildReturnPayment(row: DepositRow): Omit<PaymentOrder, 'submittedAt'> {
  return {
    rail: row.rail,
    direction: 'OUT',
    id: row.id,
    purpose: 'return',
    accountId: null,
    identifier: null,
    returnOf: row.rail_reference,
    originatorId: row.platform_id,
    paymentRail: null,
    chain: null,
    amount: row.amount,
    currency: row.currency,
    reference: returnReference(row),
    remittanceInformation: null,
  }
}

/** Finds the reason why the rail cannot return the deposit. Undefined if no reason is known. */
export function findReturnFault({ rails }: Op, row: DepositRow): string | undefined {
  const { rail, amount, currency, details } = row
  const fault = rails.find(rail)?.faultOfPayment?.({
    direction: 'OUT',
    account: undefined,
    sender: details.sender,
    paymentRail: null,
    remittanceInformation: null,
    amount,
    currency,
  })
  return fault?.text
}

const REFERENCE_CHARACTERS = 12

/** The reference of the return, derived from the deposit's id. */
function returnReference({ id }: DepositRow): string {
  const digits = id.slice(id.indexOf(':') + 1).replaceAll('-', '')
  return `CS${digits.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`
}

/** Names a deposit as the cause of its ledger transfers. */
export function toDepositCause({ id }: Pick<DepositRow, 'id'>) {
  return { cause: 'deposit', causeId: id } as const
}

/**
 * A leg on the platform's account for the rail that brought a deposit. The sandbox has one such account for
 * all rails.
 */
export function buildDepositRailLeg(
  { rail, currency }: Pick<DepositRow, 'rail' | 'currency'>,
  amount: bigint,
): Leg {
  return { system: 'rail', currency, amount, ...(rail === SANDBOX_RAIL ? {} : { rail }) }
}
