import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { MandateEvidence, PaymentEvidence } from '../../money/evidence/evidence.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { createRailOp } from '../../money/rails/rail-worker.ts'
import type { QueuedPaymentRow } from '../../storage/rows/bank-file.ts'
import { applyOnce } from './apply-line.ts'
import { readBacsReason } from './bacs-reasons.ts'
import { findBankingDayBefore } from './cut-off-times.ts'
import type { BacsAccount, BacsAdvice, BacsRecord, BacsReturn } from './formats/bacs-reports.ts'
import { holdRecord, toBankEvent } from './hold-line.ts'
import { findPaymentReferences } from './queue.ts'
import type { BankFileWorker } from './rail.ts'
import { selectByReference, selectCollections } from './store.ts'

type ReadableRecord = Exclude<BacsRecord, { type: 'unread' }>

/** Applies a record of a report exactly once. `id` identifies it within its file. */
export async function applyBacs(worker: BankFileWorker, record: ReadableRecord, id: string): Promise<void> {
  const { rail } = worker
  const hold = (reason: RailEventReason) => holdRecord(worker, toBankEvent(id, 'file.bacs', record), reason)
  switch (record.type) {
    case 'head':
      return
    case 'notice':
      return record.isRejected ? hold('BANK_WAITS') : undefined
    case 'return': {
      const payment = await findPayment(worker, record)
      if (!payment) return hold('UNKNOWN_PAYMENT')
      if (record.other && !hasAccount(payment, record.other)) return hold('OTHER_ACCOUNT')
      return applyOnce(worker, toReturnEvidence(record, payment, id, (await createRailOp(worker)).now))
    }
    case 'advice': {
      const { format } = rail.entry
      if (format.type !== 'BACS' || format.serviceUserNumber !== record.serviceUserNumber)
        return hold('OTHER_ACCOUNT')
      return applyOnce(worker, toMandateEvidence(record, id, (await createRailOp(worker)).now))
    }
  }
}

/** Finds the returned payment: a credit by our reference, a collection by its mandate's reference and day. */
async function findPayment(
  worker: BankFileWorker,
  record: BacsReturn,
): Promise<QueuedPaymentRow | undefined> {
  const { rail } = worker
  const op = await createRailOp(worker)
  if (record.direction === 'OUT') {
    const references = findPaymentReferences(record.reference)
    const found = references.length === 0 ? [] : await selectByReference(op, rail.name, references)
    return found.length === 1 && found[0]?.direction === 'OUT' ? found[0] : undefined
  }
  if (record.processedOn === null) return undefined
  // Some reports state the entry day, which is the day after processing.
  for (const day of [record.processedOn, findBankingDayBefore(rail.entry, record.processedOn)]) {
    const found = await selectCollections(op, rail.name, record.reference, day)
    if (found.length > 0) return found.length === 1 ? found[0] : findOnlyMatch(found, record.amount)
  }
  return undefined
}

/**
 * Finds the only payment with this amount. Undefined if several have it, because any of them may be returned.
 */
function findOnlyMatch(found: readonly QueuedPaymentRow[], amount: bigint): QueuedPaymentRow | undefined {
  const [only, ...others] = found.filter((payment) => payment.amount === amount)
  return others.length === 0 ? only : undefined
}

function hasAccount({ details }: QueuedPaymentRow, { sortCode, account }: BacsAccount): boolean {
  return isAccount([details.account], account) && isAccount([details.routingNumber ?? ''], sortCode)
}

function toReturnEvidence(
  { account, amount, currency, report, code, text }: BacsReturn,
  { direction, payment_id }: QueuedPaymentRow,
  id: string,
  now: Date,
): PaymentEvidence {
  const { name, message } = readBacsReason(report, code, text)
  return {
    ...{ id, source: 'BACS_FILE', account, amount, currency, occurredAt: now.toISOString() },
    kind: 'payment',
    event: 'return',
    subject: { direction, id: payment_id },
    failure: {
      code: COUNTERPARTY_REASONS.has(name) ? 'COUNTERPARTY_POST_TX_FAILED' : 'QUOTE_EXECUTION_FAILED',
      message,
    },
  }
}

/** Reasons that concern the account at the other bank. */
const COUNTERPARTY_REASONS: ReadonlySet<string> = new Set([
  'ARUCS-0',
  'ARUCS-2',
  'ARUCS-3',
  'ARUCS-5',
  'ARUCS-B',
])
/** Reasons after which a mandate continues with new account details. */
const AMENDING_REASONS: ReadonlySet<string> = new Set(['ADDACS-3', 'ADDACS-C', 'ADDACS-E', 'AUDDIS-C'])
/** Reasons that end a mandate, unless the report contains its new account details. */
const ENDING_REASONS: ReadonlySet<string> = new Set([
  'ADDACS-0',
  'ADDACS-1',
  'ADDACS-2',
  'ADDACS-3',
  'ADDACS-B',
])

function toMandateEvidence(
  { report, reference, code, debtor, changed }: BacsAdvice,
  id: string,
  now: Date,
): MandateEvidence {
  const name = `${report}-${code}`
  const isChange = AMENDING_REASONS.has(name) && Object.keys(changed).length > 0
  const isEnd = report === 'AUDDIS' || ENDING_REASONS.has(name)
  return {
    ...{ id, source: 'BACS_FILE', account: null, amount: null, currency: 'GBP' },
    occurredAt: now.toISOString(),
    kind: 'mandate',
    subject: reference,
    debtor,
    effect: isChange ? 'amend' : name === 'ADDACS-R' ? 'reinstate' : isEnd ? 'end' : 'ask',
    proposed: changed,
    code: name,
    message: readBacsReason(report, code).message,
  }
}
