import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositDetails, DepositRow } from '../../storage/rows/rail.ts'
import {
  depositView,
  detailsOf,
  findReferences,
  placeAgain,
  replaceDeposit,
  type SaidDeposit,
} from './deposits.ts'

/** A second report of a deposit. */
export interface Confirmation {
  /** The name of the report. */
  readonly id: string
  readonly deposit: SaidDeposit
  /** True if the deposit and the report are the same booking for certain, and not only the same amount a few days apart. */
  readonly isSameBooking: boolean
}

/**
 * Records a second report of a deposit, with its additional details. A deposit that waits in suspense because
 * it lacks a reference is attributed again as if it came in now. Guard: nothing else has changed the deposit.
 */
export async function confirmDeposit(
  op: Op,
  row: DepositRow,
  { id, deposit, isSameBooking }: Confirmation,
): Promise<readonly Write[]> {
  const known = { ...row, details: { ...mergeReports(row.details, detailsOf(deposit)), confirmedBy: id } }
  const wantsReference = row.state === 'SUSPENSE' && row.reason === 'NO_MATCH'
  if (!wantsReference || !isSameBooking) return [replaceDeposit(op, row, known)]
  const placed = await placeAgain(op, known)
  const isNews = placed.row.state === 'SUSPENSE' && placed.row.reason !== row.reason
  const events = isNews ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(placed.row))] : []
  return [...placed.writes, replaceDeposit(op, row, placed.row), ...events]
}

/** Both reports as one. If they differ, the first one counts. The payer's messages of both are kept. */
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
