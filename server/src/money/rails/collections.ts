import type { Op } from '../../kernel/operation/app.ts'
import type { DebitMandate, PaymentFault, Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import {
  collectedMandate,
  debitMandateOf,
  findMandate,
  findUsableMandate,
  statusOf,
} from '../external-accounts/mandates.ts'
import { selectRailPayment } from './store.ts'

/** Direct debits, each by a mandate of the account that it debits. */

/**
 * The mandate for a pull not made yet. Undefined if the rail pulls without mandates, or if the account has no
 * usable mandate.
 */
export async function findDebitMandate(
  op: Op,
  rail: Rail,
  account: ExternalAccountRow,
): Promise<{ readonly mandateId: string; readonly mandate: DebitMandate } | undefined> {
  const row = rail.needsMandates ? await findUsableMandate(op, rail, account) : undefined
  return row && { mandateId: row.id, mandate: (await collectionBy(op, row)).mandate }
}

/** A collection to queue now: its mandate and the write that counts it, or the reason why it cannot be made. */
export type Collection =
  | { readonly mandate: DebitMandate; readonly writes: (payment: RailPaymentRow) => readonly Write[] }
  | { readonly fault: PaymentFault['text'] }

/** Begins a collection. Guard of its write: the mandate was neither canceled nor used in the meantime. */
export async function beginCollection(op: Op, mandateId: string): Promise<Collection> {
  const row = await findMandate(op, mandateId)
  const status = statusOf(op, row)
  if (status !== 'ACTIVE') return { fault: `The mandate ${row.reference} is ${status}` }
  const { mandate, isFirst } = await collectionBy(op, row)
  return {
    mandate,
    writes: ({ id }) => [collectedMandate(op, row, isFirst ? id : row.first_payment_id)],
  }
}

/** A collection stays the first as long as none before it has reached the bank of the debtor. */
async function collectionBy(op: Op, row: MandateRow) {
  const first = await findFirstCollection(op, row)
  const hasFailed = first?.state === 'FAILED' || first?.state === 'CANCELLED'
  const isFirst = first ? hasFailed : row.last_collected_on === null
  return { mandate: { ...debitMandateOf(row), sequence: sequenceOf(row, isFirst) }, isFirst }
}

function sequenceOf({ type, is_final }: MandateRow, isFirst: boolean): DebitMandate['sequence'] {
  if (type === 'ONE_OFF') return 'OOFF'
  if (is_final) return 'FNAL'
  return isFirst ? 'FRST' : 'RCUR'
}

/** The record of a mandate's first collection. Undefined before it. */
export async function findFirstCollection(
  op: Op,
  { first_payment_id }: Pick<MandateRow, 'first_payment_id'>,
): Promise<RailPaymentRow | undefined> {
  return first_payment_id === null ? undefined : selectRailPayment(op, first_payment_id)
}
