import { rowByKey } from '../db/read/lookup.ts'
import type { DepositAccountRow, DepositRow, RailPaymentRow } from '../db/schema/rail-tables.ts'
import type { Op } from '../op/app.ts'

const PAYMENT_BY_ID = rowByKey<RailPaymentRow>(
  'SELECT * FROM rail_payments WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectRailPayment(op: Op, id: string): Promise<RailPaymentRow | undefined> {
  return op.find(PAYMENT_BY_ID, id)
}

const DEPOSIT_ACCOUNT_BY_ID = rowByKey<DepositAccountRow>(
  'SELECT * FROM deposit_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectDepositAccount(op: Op, id: string): Promise<DepositAccountRow | undefined> {
  return op.find(DEPOSIT_ACCOUNT_BY_ID, id)
}

const DEPOSIT_BY_ID = rowByKey<DepositRow>('SELECT * FROM deposits WHERE id = ANY ($1::uuid[])', 'id')

export async function selectDeposit(op: Op, id: string): Promise<DepositRow | undefined> {
  return op.find(DEPOSIT_BY_ID, id)
}
