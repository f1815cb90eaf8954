import { hash } from 'node:crypto'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { keysOf, present } from '@countersign/contract/core/objects'
import { toPlainJson } from '../../base/json/plain-json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Evidence } from '../../money/evidence/evidence.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { createRailOp } from '../../money/rails/rail-worker.ts'
import type { AccountValues } from '../../storage/rows/account-change.ts'
import { type BankPaymentRow, isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import { applyOnce } from './apply-line.ts'
import { noteOtherAccount } from './apply-statement.ts'
import { toMoney, toShortText } from './deposit-of-line.ts'
import { isReturnOfPayment, toAchFailure } from './failure-reasons.ts'
import type { AchEntry } from './formats/ach-entry.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { holdRecord, toBankEvent } from './hold-line.ts'
import { findNamedReversal, toReversalIds } from './named-reversals.ts'
import { applyPrenoteReturn } from './prenotes.ts'
import { type BankFilesRail, type BankFileWorker, getAccountNumber } from './rail.ts'
import { applyReversalReturn } from './reversals.ts'
import { selectByTrace } from './store.ts'

type EntryRecord = Extract<AchRecord, { type: 'entry' }>
type ReturnOrChange = Extract<AchRecord, { type: 'return' | 'change' }>
/** A record that waits for manual review, and the payment it concerns. */
interface HeldRecord {
  readonly hold: RailEventReason
  readonly payment?: BankPaymentRow
}
type ReadableRecord = Exclude<AchRecord, { type: 'unread' }>

/** Applies the entries of one NACHA file, in order. */
export class AchFile {
  readonly #worker: BankFileWorker
  /** Counts identical entries in this file: each one is a separate payment. */
  readonly #occurrences = new Map<string, number>()

  constructor(worker: BankFileWorker) {
    this.#worker = worker
  }

  /** Applies a record exactly once. `id` identifies it within the file. */
  async apply(record: ReadableRecord, id: string): Promise<void> {
    // An archive may contain several files.
    if (record.type === 'head') return this.#occurrences.clear()
    if (record.type === 'entry') return this.#applyEntry(record, id)
    const payment = await this.#findPayment(record)
    if (payment && isOfKind(payment, 'PRENOTE') && isReturnOfPrenote(record))
      return applyPrenoteReturn(this.#worker, payment, record, id)
    if (payment && isOfKind(payment, 'REVERSAL') && record.type === 'return')
      return applyReversalReturn(this.#worker, payment, record, id)
    const found = await this.#understandReturn(record, payment, id)
    return 'hold' in found ? this.#hold(record, id, found.hold, found.payment) : this.#applyOnce(found)
  }

  async #applyEntry(record: EntryRecord, id: string): Promise<void> {
    const { rail } = this.#worker
    const { entry } = record
    // Prenotes, which only verify an account, have no amount.
    if (entry.amount === 0n) return
    if (!isAccount(rail.accountNumbers, entry.account))
      return noteOtherAccount(this.#worker, entry.account, 'USD')
    const op = await createRailOp(this.#worker)
    const countsDeposits = rail.depositsFrom === 'ACH_FILES'
    const reversal = countsDeposits && (await findReversalOfEntry(op, rail, record))
    if (reversal) return this.#holdReversal(record, reversal)
    // Debits by other originators wait for manual review.
    if (Number(entry.transactionCode[1]) >= 5) return this.#hold(record, id, 'UNKNOWN_PAYMENT')
    // Another kind of file may count the deposits instead.
    if (countsDeposits)
      await this.#applyOnce(toDepositEvidence(rail, record, this.#buildName(record), op.now))
  }

  /** Uses the name that the entry would have as a deposit, so that it can never become one as well. */
  #holdReversal(record: EntryRecord, reversal: ReversalRow): Promise<void> {
    const data = { ...record, ...toReversalIds(reversal) }
    return holdRecord(this.#worker, toBankEvent(this.#buildName(record), 'file.ach', data), 'REVERSAL')
  }

  #buildName({ entry, text }: EntryRecord): string {
    // Batch numbers restart in each file, and the ACH operator fills in the settlement day.
    const { batchNumber: _, settlementDate: __, destination: ___, ...content } = entry
    const digest = hash('sha256', JSON.stringify(toPlainJson([content, text]))).slice(0, DIGEST_CHARACTERS)
    const occurrence = (this.#occurrences.get(digest) ?? 0) + 1
    this.#occurrences.set(digest, occurrence)
    return `${entry.effectiveDate} ${entry.trace} ${digest}${occurrence === 1 ? '' : ` ${occurrence}`}`
  }

  async #findPayment({ entry, originalTrace }: ReturnOrChange): Promise<BankPaymentRow | undefined> {
    const trace = BigInt(originalTrace.slice(ROUTING_CHARACTERS))
    const found = await selectByTrace(await createRailOp(this.#worker), this.#worker.rail.name, trace)
    return found.find((row) => isReturnOf(row, entry))
  }

  async #understandReturn(
    record: ReturnOrChange,
    payment: BankPaymentRow | undefined,
    id: string,
  ): Promise<Evidence | HeldRecord> {
    const { entry } = record
    const op = await createRailOp(this.#worker)
    if (!payment) return { hold: 'UNKNOWN_PAYMENT' }
    if (record.type === 'change')
      return toChangeEvidence(record, payment, { id, occurredAt: op.now.toISOString() })
    if (!isReturnOfPayment(record.reason)) return { hold: 'UNREADABLE' }
    if (!isOfKind(payment, 'PAYMENT')) return { hold: 'OTHER_AMOUNT' }
    return {
      id,
      source: 'ACH_FILE',
      account: null,
      kind: 'payment',
      event: 'return',
      subject: { direction: payment.direction, id: payment.payment_id },
      amount: entry.amount,
      currency: 'USD',
      occurredAt: op.now.toISOString(),
      failure: toAchFailure(record.reason, record.information),
    }
  }

  #applyOnce(evidence: Evidence): Promise<void> {
    return applyOnce(this.#worker, evidence)
  }

  #hold(
    record: EntryRecord | ReturnOrChange,
    id: string,
    reason: RailEventReason,
    payment?: BankPaymentRow,
  ): Promise<void> {
    const doubted = reason === 'CHANGE_OF_ACCOUNT' && payment ? toDoubtedAccount(payment) : {}
    const data = { ...record, ...(payment && { id: payment.payment_id, ...doubted }) }
    return holdRecord(this.#worker, toBankEvent(id, 'file.ach', data), reason)
  }
}

/** Finds the reversal that an entry names by its reference, or by its trace number and amount. */
function findReversalOfEntry(
  op: Op,
  rail: BankFilesRail,
  { entry }: EntryRecord,
): Promise<ReversalRow | undefined> {
  const { individualId, trace, amount } = entry
  const isIncoming = Number(entry.transactionCode[1]) < 5
  const traces = [individualId, trace]
  return findNamedReversal(op, rail, { endToEndIds: [individualId], traces, amount, isIncoming })
}

/** Codes `C61` to `C69` refuse a notification of change that we sent, and we never send one. */
const REFUSED_CHANGE = /^C6\d$/

/**
 * Reads the proposed change from a notification of change. It must repeat the account and bank of our entry
 * and have no amount. A notification that corrects nothing about the account, such as C09, waits for
 * manual review.
 */
function toChangeEvidence(
  record: Extract<AchRecord, { type: 'change' }>,
  payment: BankPaymentRow,
  head: Pick<Evidence, 'id' | 'occurredAt'>,
): Evidence | HeldRecord {
  const { entry, reason, originalReceivingBank: bank } = record
  const { direction, payment_id: id, details } = payment
  if (REFUSED_CHANGE.test(reason)) return { hold: 'UNREADABLE' }
  const hasSameAccount =
    isAccount([details.account], entry.account) && details.routingNumber?.startsWith(bank)
  if (entry.amount !== 0n || !hasSameAccount) return { hold: 'UNKNOWN_PAYMENT' }
  const proposed = readProposal(record)
  if (!proposed) return { hold: 'CHANGE_OF_ACCOUNT', payment }
  return {
    ...head,
    source: 'ACH_FILE',
    account: null,
    kind: 'account',
    subject: { direction, id },
    amount: null,
    currency: 'USD',
    sentTo: entry.account,
    proposed,
    code: reason,
    ...toDoubtedAccount(payment),
  }
}

/** The account type, by the first digit of a transaction code. */
const ACCOUNT_KINDS: Readonly<Record<string, string>> = { 2: 'CHECKING', 3: 'SAVINGS' }

/**
 * The corrected values by field. Undefined if the notification corrects nothing, or corrects a value that our
 * accounts do not have.
 */
function readProposal({ parts }: Extract<AchRecord, { type: 'change' }>): AccountValues | undefined {
  const { account, routingNumber, name, transactionCode, ...others } = parts
  const bankAccountType = transactionCode && ACCOUNT_KINDS[transactionCode.charAt(0)]
  const hasOtherType = transactionCode !== undefined && bankAccountType === undefined
  const proposed = present({ accountNumber: account, routingNumber, holderName: name, bankAccountType })
  return hasOtherType || keysOf(others).length > 0 || keysOf(proposed).length === 0 ? undefined : proposed
}

/** Marks the account of a payment as in doubt: it receives no payments until an operator has reviewed it. */
function toDoubtedAccount({ details: { account, routingNumber } }: BankPaymentRow) {
  return { doubted: { account, routingNumber } }
}

function isReturnOfPrenote(record: ReturnOrChange): record is Extract<AchRecord, { type: 'return' }> {
  return record.type === 'return' && record.entry.amount === 0n && isReturnOfPayment(record.reason)
}

const DIGEST_CHARACTERS = 32
const ROUTING_CHARACTERS = 8

/**
 * True if a return with this payment's trace number belongs to it: the reference must match, or the amount if
 * there is no reference.
 */
function isReturnOf({ reference, amount }: BankPaymentRow, entry: AchEntry): boolean {
  return entry.individualId === '' ? entry.amount === amount : entry.individualId === reference
}

function toDepositEvidence(
  rail: BankFilesRail,
  { entry, text, references }: EntryRecord,
  name: string,
  now: Date,
): Evidence {
  const receivedAt = toReceivedAt(entry, now)
  return {
    id: name,
    source: 'ACH_FILE',
    account: entry.account,
    kind: 'deposit',
    amount: entry.amount,
    currency: 'USD',
    occurredAt: receivedAt,
    deposit: {
      depositId: name,
      depositAccountId: getAccountNumber(rail.entry.format),
      amount: toMoney(entry.amount, 'USD'),
      receivedAt,
      from: 'ACH_FILE',
      texts: references,
      rail: 'ACH',
      traceNumber: entry.trace,
      ...present({
        remittanceInformation: toShortText([text, entry.individualId].filter(Boolean).join(' ')),
        sender: entry.companyName ? { name: entry.companyName } : undefined,
      }),
    },
  }
}

/** The effective date of an entry (`YYMMDD`), or else the current time. */
function toReceivedAt({ effectiveDate }: AchEntry, now: Date): string {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(effectiveDate) ?? []
  const time = new Date(`20${year}-${month}-${day}T00:00:00.000Z`)
  return (Number.isNaN(time.getTime()) ? now : time).toISOString()
}
