import type { Op } from '../../kernel/operation/app.ts'
import { confirmDeposit } from '../../money/deposits/confirm-deposit.ts'
import { isPaymentEntry, PAYMENT_ENTRIES } from '../../money/evidence/entry-kinds.ts'
import type { Evidence } from '../../money/evidence/evidence.ts'
import { applyEvidence } from '../../money/rail-events/apply-evidence.ts'
import { toRecordedEvent } from '../../money/rail-events/evidence-of-event.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { findReportedByStatement, isSameBooking } from './confirm-deposits.ts'
import { toReceivedAt } from './deposit-of-line.ts'
import { endHoldOfDeposit, holdLine, type UnderstoodLine } from './hold-line.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import type { Reading } from './reading.ts'
import type { Line } from './statement-lines.ts'
import { type BookedEntry, toEntryId } from './understand-line.ts'

/** Applies a line of an advice, or of a statement without balances, exactly once. */
export async function applyLine(
  worker: BankFileWorker,
  reading: Reading,
  { line, entries, hold }: UnderstoodLine,
): Promise<void> {
  if (hold !== undefined) return decide(worker, (op) => holdLine(op, worker.rail.name, line, hold))
  for (const entry of entries) {
    const evidence = toEvidence(reading, line, entry)
    if (evidence) await applyOnce(worker, evidence)
  }
}

/** Applies a report from a file and records it, unless it is already recorded. */
export async function applyOnce(worker: BankFileWorker, evidence: Evidence): Promise<void> {
  const { rail } = worker
  const { name } = rail
  await decide(worker, async (op) => {
    if (await findRailEvent(op, name, evidence.id)) return []
    const confirmation = await confirmCountedDeposit(op, rail, evidence)
    if (confirmation)
      return [...confirmation, ...recordReport(op, name, toRecordedEvent(evidence), undefined)]
    const applied = await applyEvidence(op, name, evidence)
    const { writes, reason } = applied
    const endedHolds =
      evidence.kind === 'deposit' && reason === undefined ? await endHoldOfDeposit(op, name, evidence) : []
    return [...writes, ...endedHolds, ...recordReport(op, name, toRecordedEvent(evidence), reason, applied)]
  })
}

/** Confirms a deposit if this file should have counted it, but a statement already has. */
async function confirmCountedDeposit(
  op: Op,
  rail: BankFilesRail,
  evidence: Evidence,
): Promise<readonly Write[] | undefined> {
  if (evidence.kind !== 'deposit' || rail.depositsFrom === 'STATEMENTS') return undefined
  const { id, deposit } = evidence
  const row = await findReportedByStatement({ op, rail }, deposit)
  return row && confirmDeposit(op, row, { id, deposit, isSameBooking: isSameBooking(row, deposit) })
}

function toEvidence({ head }: Reading, line: Line, entry: BookedEntry): Evidence | undefined {
  const { kind, amount, deposit, failure } = entry
  const isMoneyOut = isPaymentEntry(kind) && PAYMENT_ENTRIES[kind].isMoneyOut
  const claim = {
    id: toEntryId(line, entry),
    source: head.kind === 'ADVICE' ? 'ADVICE' : 'STATEMENT',
    account: head.account,
    amount: isMoneyOut ? -amount : amount,
    currency: line.currency,
    occurredAt: toReceivedAt(line),
  } as const
  if (kind === 'DEPOSIT') return deposit && { ...claim, kind: 'deposit', deposit }
  if (!isPaymentEntry(kind) || entry.id === undefined) return undefined
  const { direction, event } = PAYMENT_ENTRIES[kind]
  return {
    ...claim,
    kind: 'payment',
    event,
    subject: { direction, id: entry.id },
    line: line.name,
    ...(failure && { failure }),
  }
}
