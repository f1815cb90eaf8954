import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type {
  DepositAccountRow,
  DepositRow,
  RailPaymentRow,
  SettledDecisionRow,
} from '../../storage/rows/rail.ts'

const PAYMENT_BY_ID = lookupById('rail_payments')

export async function selectRailPayment(op: Op, id: string): Promise<RailPaymentRow | undefined> {
  return op.find(PAYMENT_BY_ID, id)
}

const DEPOSIT_ACCOUNT_BY_ID = lookupById('deposit_accounts')

export async function selectDepositAccount(op: Op, id: string): Promise<DepositAccountRow | undefined> {
  return op.find(DEPOSIT_ACCOUNT_BY_ID, id)
}

const DEPOSIT_BY_ID = lookupById('deposits')

export async function selectDeposit(op: Op, id: string): Promise<DepositRow | undefined> {
  return op.find(DEPOSIT_BY_ID, id)
}

/** True if a decision about the outcome of a payment names this line of a statement. */
export async function selectHasDecidedLine(op: Op, railPaymentId: string, lineId: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('payment_decisions')
    .where('platform_id', '=', op.platform.id)
    .where('rail_payment_id', '=', railPaymentId)
    .where('is_proposal', '=', false)
    .where(sql<boolean>`statement_lines ? ${lineId}`, '=', true)
    .select('id')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The latest decision about the outcome of a payment, if any. */
export async function selectLastDecision(
  op: Op,
  railPaymentId: string,
): Promise<SettledDecisionRow | undefined> {
  return op.read
    .selectFrom('payment_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('rail_payment_id', '=', railPaymentId)
    .where('is_proposal', '=', false)
    .where('outcome', '<>', 'REVERSAL')
    .orderBy('place', 'desc')
    .limit(1)
    .$narrowType<{ outcome: SettledOutcome }>()
    .executeTakeFirst()
}
