import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositDetails, DepositRow } from '../../storage/rows/rail.ts'
import {
  attributeAgain,
  depositView,
  detailsOf,
  findReferences,
  type ReportedDeposit,
  replaceDeposit,
} from './deposits.ts'

/** A second report of a known deposit. */
export interface Confirmation {
  /** The id of the report. */
  readonly id: string
  readonly deposit: ReportedDeposit
  /**
   * True if report and deposit are certainly the same booking, and not only have the same amount a few days
   * apart.
   */
  readonly isSameBooking: boolean
}

/**
 * Merges a second report into a deposit. If the deposit is in suspense for lack of a reference, it is
 * attributed again, as if it had just arrived. Guard: the deposit is unchanged.
 */
export async function confirmDeposit(
  op: Op,
  row: DepositRow,
  { id, deposit, isSameBooking }: Confirmation,
): Promise<readonly Write[]> {
  const merged = { ...row, details: { ...mergeReports(row.details, detailsOf(deposit)), confirmedBy: id } }
  const lacksReference = row.state === 'SUSPENSE' && row.reason === 'NO_MATCH'
  if (!lacksReference || !isSameBooking) return [replaceDeposit(op, row, merged)]
  const placed = await attributeAgain(op, merged)
  const hasNewReason = placed.row.state === 'SUSPENSE' && placed.row.reason !== row.reason
  const events = hasNewReason ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(placed.row))] : []
  return [...placed.writes, replaceDeposit(op, row, placed.row), ...events]
}

/** Merges two reports. If they differ, the first one wins. The payer's messages from both are kept. */
function mergeReports(first: DepositDetails, second: DepositDetails): DepositDetails {
  const texts = new Map(
    [...(first.texts ?? []), ...(second.texts ?? [])].map((one) => [`${one.where} ${one.text}`, one]),
  )
  const all = [...texts.values()]
  return {
    ...second,
    ...first,
    ...(all.length === 0 ? {} : { texts: all, ...present({ references: findReferences(all) }) }),
  }
}
