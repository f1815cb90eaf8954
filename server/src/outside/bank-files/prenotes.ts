import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { Op } from '../../kernel/operation/app.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { refuseAccount } from '../../money/external-accounts/account-changes.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'
import { findCounterparty } from '../../money/rail-events/apply-account-change.ts'
import { applyPaymentEvidence } from '../../money/rail-events/apply-evidence.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import { type BankPaymentRow, isOfKind, type PrenoteRow } from '../../storage/rows/bank-file.ts'
import { findLastSettledDate } from './cut-off-times.ts'
import { type Failure, toAchFailure } from './failure-reasons.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { toBankEvent } from './hold-line.ts'
import { buildPrenote } from './queue.ts'
import { selectRefusedPayments, selectWithoutPrenote } from './queue-store.ts'
import type { BankFileWorker } from './rail.ts'
import { selectQueued } from './store.ts'

/**
 * ACH prenotes: an entry without an amount precedes the first payment to an account. The payment waits until
 * the prenote can no longer be returned. A prenote is a row of `bank_payments`, so files, trace numbers and
 * returns work as they do for payments.
 */

const PAGE = 200
/** Nacha allows the first payment from the third banking day after the prenote's settlement. */
const WAIT_DAYS = 3

/**
 * The latest effective date whose prenotes have passed their waiting period. Undefined if the rail sends no
 * prenotes.
 */
export function findProvenDate(entry: BankFilesRailValue, now: Date): string | undefined {
  const { format } = entry
  return format.type === 'ACH' && format.sendsPrenotes
    ? findLastSettledDate(entry, now, WAIT_DAYS)
    : undefined
}

/** Queues one prenote for each account that needs one before its waiting payments. */
export async function orderPrenotes(worker: BankFileWorker, until: Date): Promise<void> {
  const { name: rail, entry } = worker.rail
  if (findProvenDate(entry, until) === undefined) return
  for (let isFull = true; isFull; )
    await decide(worker, async (op) => {
      const waiting = await selectWithoutPrenote(op, { rail, until, limit: PAGE })
      isFull = waiting.length === PAGE
      const firstPayments = new Map(waiting.toReversed().map((payment) => [toAccountKey(payment), payment]))
      return [...firstPayments.values()].map((payment) => insert('bank_payments', buildPrenote(payment)))
    })
}

function toAccountKey({ direction, details }: Pick<BankPaymentRow, 'direction' | 'details'>): string {
  const { account, routingNumber, accountKind } = details
  return JSON.stringify([direction, routingNumber, account, accountKind])
}

/** The writes that mark a prenote as failed. The payments that wait for it then fail too. */
export function endPrenote(
  op: Op,
  { id, details }: PrenoteRow,
  failure: { readonly code: string; readonly message: string },
): readonly Write[] {
  if (details.failure) return []
  const { code, message } = failure
  const prenoteFailure = { code, message: `The prenote failed. ${message}`, at: op.now.toISOString() }
  return [update('bank_payments', id, { details }, { details: { ...details, failure: prenoteFailure } })]
}

/**
 * Applies the return of a prenote once. Its account becomes INACTIVE, and the payments that wait for it fail.
 */
export function applyPrenoteReturn(
  worker: BankFileWorker,
  { id: prenoteId }: PrenoteRow,
  record: Extract<AchRecord, { type: 'return' }>,
  id: string,
): Promise<void> {
  const { name } = worker.rail
  const failure = toAchFailure(record.reason, record.information)
  return decide(worker, async (op) => {
    const prenote = await selectQueued(op, prenoteId)
    if (!prenote || !isOfKind(prenote, 'PRENOTE') || (await findRailEvent(op, name, id))) return []
    const data = { ...record, id: prenote.payment_id }
    return [
      ...endPrenote(op, prenote, failure),
      ...(await refusePayee(op, prenote, failure)),
      ...recordReport(op, name, toBankEvent(id, 'prenote.returned', data), undefined),
    ]
  })
}

/** Refuses the payee's account. Empty if its details have changed since the prenote. */
async function refusePayee(op: Op, prenote: PrenoteRow, { message }: Failure): Promise<readonly Write[]> {
  const payment = await findRailPayment(op, prenote.direction, prenote.payment_id)
  const accountId = payment && (await findCounterparty(op, payment))?.accountId
  if (!accountId?.startsWith('ExternalAccount:')) return []
  const account = await findExternalAccountEvenIfDeleted(op, accountId)
  if (!account || !isAccount([account.identifier], prenote.details.account)) return []
  return refuseAccount(op, accountId, message)
}

/** Fails the payments that wait for a failed prenote. */
export async function failRefusedPayments(worker: BankFileWorker): Promise<void> {
  const { rail } = worker
  if (rail.entry.format.type !== 'ACH') return
  for (let isFull = true; isFull; ) {
    const refused = await selectRefusedPayments(await createRailOp(worker), rail.name, PAGE)
    isFull = refused.length === PAGE
    for (const { payment_id, direction, failure } of refused)
      await decide(worker, async (op) => {
        const row = await findRailPayment(op, direction, payment_id)
        if (!row || !failure) return []
        const { code, message } = failure
        return (await applyPaymentEvidence(op, row, 'fail', { failure: { code, message } })).writes
      })
  }
}
