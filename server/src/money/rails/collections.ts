import type { Op } from '../../kernel/operation/app.ts'
import type { DebitMandate, PaymentFault, Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import {
  countCollection,
  findMandate,
  findUsableMandate,
  getMandateStatus,
  toDebitMandate,
} from '../external-accounts/mandates.ts'
import { selectRailPayment } from './store.ts'

/** Direct debits, each under a mandate for the debited account. */

/**
 * The mandate for a pull that is not submitted yet. Undefined if the rail needs no mandates, or if the
 * account has no usable mandate.
 */
export async function findDebitMandate(
  op: Op,
  rail: Rail,
  account: ExternalAccountRow,
): Promise<{ readonly mandateId: string; readonly mandate: DebitMandate } | undefined> {
  const row = rail.needsMandates ? await findUsableMandate(op, rail, account) : undefined
  return row && { mandateId: row.id, mandate: (await planNextCollection(op, row)).mandate }
}

/** A collection to enqueue: its mandate and the writes that count it, or the reason why it is impossible. */
export type Collection =
  | { readonly mandate: DebitMandate; readonly writes: (payment: RailPaymentRow) => readonly Write[] }
  | { readonly fault: PaymentFault['text'] }

/** Prepares a collection. Guard: the mandate is neither canceled nor used in the meantime. */
export async function beginCollection(op: Op, mandateId: string): Promise<Collection> {
  const row = await findMandate(op, mandateId)
  const status = getMandateStatus(op, row)
  if (status !== 'ACTIVE') return { fault: `The mandate ${row.reference} is ${status}` }
  const { mandate, isFirst } = await planNextCollection(op, row)
  return {
    mandate,
    writes: ({ id }) => [countCollection(op, row, isFirst ? id : row.first_payment_id)],
  }
}

/** A collection counts as the first until one has reached the debtor's bank. */
async function planNextCollection(op: Op, row: MandateRow) {
  const first = await findFirstCollection(op, row)
  const hasFailed = first?.state === 'FAILED' || first?.state === 'CANCELLED'
  const isFirst = first ? hasFailed : row.last_collected_on === null
  return { mandate: { ...toDebitMandate(row), sequence: toSequence(row, isFirst) }, isFirst }
}

function toSequence({ type, is_final }: MandateRow, isFirst: boolean): DebitMandate['sequence'] {
  if (type === 'ONE_OFF') return 'OOFF'
  if (is_final) return 'FNAL'
  return isFirst ? 'FRST' : 'RCUR'
}

/** The payment record of a mandate's first collection; undefined before it. */
export async function findFirstCollection(
  op: Op,
  { first_payment_id }: Pick<MandateRow, 'first_payment_id'>,
): Promise<RailPaymentRow | undefined> {
  return first_payment_id === null ? undefined : selectRailPayment(op, first_payment_id)
}
