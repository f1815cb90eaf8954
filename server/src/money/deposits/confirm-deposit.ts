import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositDetails, DepositRow } from '../../storage/rows/rail.ts'
import {
  attributeAgain,
  depositView,
  findReferences,
  type ReportedDeposit,
  replaceDeposit,
  toDepositDetails,
} from './deposits.ts'

/** A second report about a known deposit. */
export interface Confirmation {
  /** The id of the report. */
  readonly id: string
  readonly deposit: ReportedDeposit
  /**
   * True if report and deposit are certainly the same booking. Otherwise they only have the same amount a few
   * days apart.
   */
  readonly isSameBooking: boolean
}

/**
 * Merges a second report into a deposit. If the deposit is in suspense because it has no reference, it is
 * attributed again as if it had just arrived. Guard: the deposit is unchanged.
 */
export async function confirmDeposit(
  op: Op,
  row: DepositRow,
  { id, deposit, isSameBooking }: Confirmation,
): Promise<readonly Write[]> {
  const merged = {
    ...row,
    details: { ...mergeReports(row.details, toDepositDetails(deposit)), confirmedBy: id },
  }
  const lacksReference = row.state === 'SUSPENSE' && row.reason === 'NO_MATCH'
  if (!lacksReference || !isSameBooking) return [replaceDeposit(op, row, merged)]
  const attributed = await attributeAgain(op, merged)
  const hasNewReason = attributed.row.state === 'SUSPENSE' && attributed.row.reason !== row.reason
  const events = hasNewReason ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(attributed.row))] : []
  return [...attributed.writes, replaceDeposit(op, row, attributed.row), ...events]
}

/**
 * Merges two reports. If they differ, the first report wins. The payer's messages from both reports are
 * stored.
 */
function mergeReports(first: DepositDetails, second: DepositDetails): DepositDetails {
  const texts = new Map(
    [...(first.texts ?? []), ...(second.texts ?? [])].map((entry) => [`${entry.where} ${entry.text}`, entry]),
  )
  const mergedTexts = [...texts.values()]
  return {
    ...second,
    ...first,
    ...(mergedTexts.length === 0
      ? {}
      : { texts: mergedTexts, ...present({ references: findReferences(mergedTexts) }) }),
  }
}
