import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { toPlainJson } from '../../base/json/plain-json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { DepositEvidence } from '../../money/evidence/evidence.ts'
import { findRailEvent, recordOnce } from '../../money/rail-events/rail-events.ts'
import { deriveDepositId, deriveLineReportId, getReportedLine } from '../../money/rails/rail-ids.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { explainEntry } from '../../operation/reconciliations/explain-entry.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { RAIL_EVENT_INITIAL, RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import type { BankFileWorker } from './rail.ts'
import type { Line } from './statement-lines.ts'
import type { BookedEntry, Hold } from './understand-line.ts'
import { selectWaitingCredits } from './waiting-store.ts'

/** A line with its entries, or with the reason why it waits for manual review. */
export interface UnderstoodLine {
  readonly line: Line
  readonly entries: readonly BookedEntry[]
  readonly hold?: Hold
}

/** Records that a line waits for manual review, with all details from the bank. */
export function holdLine(
  op: Op,
  rail: string,
  line: Line,
  { reason, ...subject }: Hold,
): Promise<readonly Write[]> {
  const { name, amount, currency, entry, details } = line
  // An advice may already have recorded the line under this name.
  const report = { amount, currency, entry, details, ...subject }
  return recordOnce(op, rail, toBankEvent(deriveLineReportId(name), 'file.booking', report), reason)
}

/** Ends a line's wait for review. Empty if it is not waiting, or if only an operator can end the wait. */
export async function endHold(op: Op, rail: string, name: string): Promise<readonly Write[]> {
  const waiting = await findRailEvent(op, rail, deriveLineReportId(name))
  if (waiting?.state !== RAIL_EVENT_INITIAL || waiting.reason === 'REVERSAL') return []
  const { id, type } = waiting.body
  // The bank's details are no longer needed for a review.
  const change = { reason: null, body: { id, type } }
  return [transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, waiting, 'apply', change).write]
}

/**
 * Ends the wait of the statement line about this deposit, because the file that counts it has now reported
 * it. The line has the deposit's name, or the same bank reference and amount.
 */
export async function endHoldOfDeposit(
  op: Op,
  rail: string,
  { id, amount, deposit: { depositId: bankDepositId, entryReference } }: DepositEvidence,
): Promise<readonly Write[]> {
  const matches =
    entryReference === undefined ? [] : await selectWaitingCredits(op, rail, entryReference, amount)
  const names = [id, ...(matches.length === 1 ? matches : []).map(getReportedLine)]
  for (const name of names) {
    const ended = await endHold(op, rail, name)
    if (ended.length === 0) continue
    const itemId = deriveDepositId(rail, bankDepositId)
    return [...ended, ...(await explainEntry(op, rail, [{ entryId: name, kind: 'DEPOSIT', itemId, amount }]))]
  }
  return []
}

/** Builds the report of a record in a bank's file. */
export function toBankEvent(id: string, type: string, data: object) {
  return { id, type, data: toPlainJson(data) }
}

/** Reports once that a record in a bank's file waits for manual review. */
export function holdRecord(
  worker: BankFileWorker,
  event: ReturnType<typeof toBankEvent>,
  reason: RailEventReason,
): Promise<void> {
  return decide(worker, (op) => recordOnce(op, worker.rail.name, event, reason))
}
