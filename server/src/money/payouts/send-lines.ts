import { PAYOUT_BATCH_TRANSITIONS, PAYOUT_LINE_TRANSITIONS } from '@countersign/contract/states/payout-states'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { PayoutBatchRow, PayoutLineRow } from '../../storage/rows/payout.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { scheduleNameCheck } from '../external-accounts/new-account.ts'
import { Velocity } from '../rails/velocity.ts'
import { checkAvailable } from '../transfers/transfer-out.ts'
import { beginTransfer, type TransferDraft } from '../transfers/transfers.ts'
import { draftPayout, type Fault, findPayee, Payers, toFault } from './judge-line.ts'
import { batchView, scheduleNextRun } from './payout-batches.ts'
import { selectNextLines } from './store.ts'

/**
 * Lines per run. Other payments of the platform may have to wait for the write set that contains all their
 * payments.
 */
const LINES_PER_RUN = 100

/** A line with its drafted payment or its fault. */
interface DraftedLine {
  readonly line: PayoutLineRow
  readonly outcome: TransferDraft | Fault
}

/**
 * Pays the next lines of a batch in order. Each payment is in one write set with its line and the checkpoint,
 * so no line is paid twice. Guards: batch and lines are unchanged, and the accounts can spend the amounts.
 */
export async function sendNextLines(op: Op, batch: PayoutBatchRow): Promise<readonly Write[]> {
  const lines = await selectNextLines(op, batch.id, 'READY', batch.next_line, LINES_PER_RUN)
  const newPayeeLines = lines.filter(({ account_id }) => account_id === null)
  if (newPayeeLines.length > 0) return addPayees(op, batch, newPayeeLines)
  const payers = new Payers(op)
  const drafted = await Promise.all(lines.map((line) => draftLine(op, payers, line)))
  const results = await applyLimits(op, applyBalances(drafted, await findAvailable(payers, drafted)))
  const writes = results.flatMap(({ line, outcome }) =>
    'code' in outcome ? [failLine(op, line, outcome)] : sendLine(op, line, outcome),
  )
  const failures = results.filter(({ outcome }) => 'code' in outcome).length
  const isLast = lines.length < LINES_PER_RUN
  const change = {
    sent: batch.sent + results.length - failures,
    failed: batch.failed + failures,
    next_line: (lines.at(-1)?.line ?? batch.next_line) + 1,
    ...(isLast ? { completed_at: op.now } : {}),
  }
  const after = moveBatch(op, batch, isLast ? 'complete' : [], change)
  return [
    after.write,
    ...writes,
    isLast ? event(op, 'PAYOUT_BATCH.COMPLETED', batch.id, batchView(after.row)) : scheduleNextRun(op, batch),
  ]
}

/** Guard: the checkpoint is unchanged. */
function moveBatch(op: Op, batch: PayoutBatchRow, by: 'complete' | [], change: Partial<PayoutBatchRow>) {
  const guard = { next_line: batch.next_line, failed: batch.failed }
  return transition(op, 'payout_batches', PAYOUT_BATCH_TRANSITIONS, batch, by, change, guard)
}

async function draftLine(op: Op, payers: Payers, line: PayoutLineRow): Promise<DraftedLine> {
  try {
    const { account } = await findPayee(op, line)
    return { line, outcome: await draftPayout(op, payers, line, account) }
  } catch (error) {
    return { line, outcome: toFault(error) }
  }
}

/** The amounts that the paying accounts can spend before this run. */
async function findAvailable(payers: Payers, drafted: readonly DraftedLine[]): Promise<Map<string, bigint>> {
  const available = new Map<string, bigint>()
  for (const { outcome } of drafted)
    if (!('code' in outcome) && !available.has(outcome.account.id)) {
      const { id, posted, held } = await payers.find(outcome.account.currency)
      available.set(id, posted - held)
    }
  return available
}

/** Turns payments beyond the available balances into faults. */
function applyBalances(drafted: readonly DraftedLine[], available: Map<string, bigint>): DraftedLine[] {
  return drafted.map(({ line, outcome }) => {
    if ('code' in outcome) return { line, outcome }
    const { account } = outcome
    const remaining = available.get(account.id) ?? 0n
    const amount = line.amount ?? 0n
    try {
      checkAvailable(account, remaining, amount)
    } catch (error) {
      return { line, outcome: toFault(error) }
    }
    available.set(account.id, remaining - amount)
    return { line, outcome }
  })
}

/** A drafted payment, and the writes that count it against the limits of its payee. */
interface CountedDraft {
  readonly draft: TransferDraft
  readonly velocityWrites: readonly Write[]
}

/** Turns payments beyond a limit into faults. Earlier lines of the same run count toward the limit. */
async function applyLimits(
  op: Op,
  drafted: readonly DraftedLine[],
): Promise<{ readonly line: PayoutLineRow; readonly outcome: CountedDraft | Fault }[]> {
  const velocity = new Velocity(op)
  const results: { readonly line: PayoutLineRow; readonly outcome: CountedDraft | Fault }[] = []
  for (const { line, outcome } of drafted)
    try {
      const payment =
        'code' in outcome
          ? outcome
          : { draft: outcome, velocityWrites: await velocity.admit(outcome.transaction) }
      results.push({ line, outcome: payment })
    } catch (error) {
      results.push({ line, outcome: toFault(error) })
    }
  return results
}

function sendLine(op: Op, line: PayoutLineRow, { draft, velocityWrites }: CountedDraft): readonly Write[] {
  const { transaction, writes } = beginTransfer(op, draft, velocityWrites)
  const change = { transaction_id: transaction.id, rail: transaction.details.rail ?? SANDBOX_RAIL }
  const after = transition(op, 'payout_lines', PAYOUT_LINE_TRANSITIONS, line, 'send', change)
  return [...writes, after.write]
}

function failLine(op: Op, line: PayoutLineRow, fault: Fault): Write {
  return transition(op, 'payout_lines', PAYOUT_LINE_TRANSITIONS, line, 'fail', fault).write
}

/**
 * Stores the payees that lines describe, before these lines are paid. Lines with the same payee share one
 * account.
 */
async function addPayees(
  op: Op,
  batch: PayoutBatchRow,
  lines: readonly PayoutLineRow[],
): Promise<readonly Write[]> {
  const added = new Map<string, ExternalAccountRow>()
  const writes: Write[] = []
  let failures = 0
  for (const line of lines)
    try {
      const { account, isStored } = await findPayee(op, line)
      const existing = isStored ? account : added.get(account.fingerprint)
      if (!existing) {
        added.set(account.fingerprint, account)
        writes.push(insert('external_accounts', account), ...scheduleNameCheck(op, account))
      }
      const guard = { state: line.state, account_id: null }
      const change = { account_id: (existing ?? account).id, updated_at: op.now }
      writes.push(update('payout_lines', line.id, guard, change))
    } catch (error) {
      failures += 1
      writes.push(failLine(op, line, toFault(error)))
    }
  return [
    moveBatch(op, batch, [], { failed: batch.failed + failures }).write,
    ...writes,
    scheduleNextRun(op, batch),
  ]
}
