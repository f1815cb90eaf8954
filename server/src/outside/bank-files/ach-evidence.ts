import { hash } from 'node:crypto'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { keysOf, present } from '@countersign/contract/core/objects'
import { plainJson } from '../../base/json/plain-json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Evidence } from '../../money/evidence/evidence.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { opOf } from '../../money/rails/rail-worker.ts'
import type { AccountValues } from '../../storage/rows/account-change.ts'
import { type BankPaymentRow, isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import { applyOnce } from './apply-line.ts'
import { noteOtherAccount } from './apply-statement.ts'
import { moneyOf, textOf } from './deposit-of-line.ts'
import { achFailure, isReturnOfPayment } from './failure-reasons.ts'
import type { AchEntry } from './formats/ach-entry.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { bankEvent, holdRecord } from './hold-line.ts'
import { aboutReversal, findNamedReversal } from './named-reversals.ts'
import { applyPrenoteReturn } from './prenotes.ts'
import { accountOf, type BankFilesRail, type BankFileWorker } from './rail.ts'
import { applyReversalReturn } from './reversals.ts'
import { selectByTrace } from './store.ts'

type Booked = Extract<AchRecord, { type: 'entry' }>
type Returned = Extract<AchRecord, { type: 'return' | 'change' }>
/** A record that has to wait for a person, and the payment that it is about. */
interface Held {
  readonly hold: RailEventReason
  readonly payment?: BankPaymentRow
}
type Understandable = Exclude<AchRecord, { type: 'unread' }>

/** Applies the entries of one NACHA file, in order. */
export class AchFile {
  readonly #worker: BankFileWorker
  /** Counts entries with identical content in this file, because they are different payments. */
  readonly #occurrences = new Map<string, number>()

  constructor(worker: BankFileWorker) {
    this.#worker = worker
  }

  /** Applies a record, once even if repeated. `id` identifies it within the file. */
  async apply(record: Understandable, id: string): Promise<void> {
    // An archive may contain several files.
    if (record.type === 'head') return this.#occurrences.clear()
    if (record.type === 'entry') return this.#applyEntry(record, id)
    const payment = await this.#paymentOf(record)
    if (payment && isOfKind(payment, 'PRENOTE') && isReturnOfPrenote(record))
      return applyPrenoteReturn(this.#worker, payment, record, id)
    if (payment && isOfKind(payment, 'REVERSAL') && record.type === 'return')
      return applyReversalReturn(this.#worker, payment, record, id)
    const found = await this.#ofReturn(record, payment, id)
    return 'hold' in found ? this.#hold(record, id, found.hold, found.payment) : this.#applyOnce(found)
  }

  async #applyEntry(record: Booked, id: string): Promise<void> {
    const { rail } = this.#worker
    const { entry } = record
    // Entries that only verify an account have no amount.
    if (entry.amount === 0n) return
    if (!isAccount(rail.accountNumbers, entry.account))
      return noteOtherAccount(this.#worker, entry.account, 'USD')
    const op = await opOf(this.#worker)
    const counts = rail.depositsFrom === 'ACH_FILES'
    const reversal = counts && (await findReversalOfEntry(op, rail, record))
    if (reversal) return this.#holdReversal(record, reversal)
    // Debits originated by others wait for a person.
    if (Number(entry.transactionCode[1]) >= 5) return this.#hold(record, id, 'UNKNOWN_PAYMENT')
    // If a different kind of file counts deposits, this one adds nothing.
    if (counts) await this.#applyOnce(depositOf(rail, record, this.#nameOf(record), op.now))
  }

  /** Under the name that the entry would have as a deposit, so that it is never both. */
  #holdReversal(record: Booked, reversal: ReversalRow): Promise<void> {
    const data = { ...record, ...aboutReversal(reversal) }
    return holdRecord(this.#worker, bankEvent(this.#nameOf(record), 'file.ach', data), 'REVERSAL')
  }

  #nameOf({ entry, text }: Booked): string {
    // Batch numbers restart in each file, and the ACH operator fills in the settlement day.
    const { batchNumber: _, settlementDate: __, destination: ___, ...said } = entry
    const digest = hash('sha256', JSON.stringify(plainJson([said, text]))).slice(0, DIGEST_CHARACTERS)
    const nth = (this.#occurrences.get(digest) ?? 0) + 1
    this.#occurrences.set(digest, nth)
    return `${entry.effectiveDate} ${entry.trace} ${digest}${nth === 1 ? '' : ` ${nth}`}`
  }

  async #paymentOf({ entry, originalTrace }: Returned): Promise<BankPaymentRow | undefined> {
    const trace = BigInt(originalTrace.slice(ROUTING_CHARACTERS))
    const found = await selectByTrace(await opOf(this.#worker), this.#worker.rail.name, trace)
    return found.find((one) => isOf(one, entry))
  }

  async #ofReturn(
    record: Returned,
    payment: BankPaymentRow | undefined,
    id: string,
  ): Promise<Evidence | Held> {
    const { entry } = record
    const op = await opOf(this.#worker)
    if (!payment) return { hold: 'UNKNOWN_PAYMENT' }
    if (record.type === 'change') return changeOf(record, payment, { id, occurredAt: op.now.toISOString() })
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
      failure: achFailure(record.reason, record.information),
    }
  }

  #applyOnce(evidence: Evidence): Promise<void> {
    return applyOnce(this.#worker, evidence)
  }

  #hold(
    record: Booked | Returned,
    id: string,
    reason: RailEventReason,
    payment?: BankPaymentRow,
  ): Promise<void> {
    const doubt = reason === 'CHANGE_OF_ACCOUNT' && payment ? doubtOf(payment) : {}
    const data = { ...record, ...(payment && { id: payment.payment_id, ...doubt }) }
    return holdRecord(this.#worker, bankEvent(id, 'file.ach', data), reason)
  }
}

/** The reversal that an entry names by its reference, or by its trace number and amount. */
function findReversalOfEntry(
  op: Op,
  rail: BankFilesRail,
  { entry }: Booked,
): Promise<ReversalRow | undefined> {
  const { individualId, trace, amount } = entry
  const isIncoming = Number(entry.transactionCode[1]) < 5
  const traces = [individualId, trace]
  return findNamedReversal(op, rail, { endToEndIds: [individualId], traces, amount, isIncoming })
}

/** Codes `C61` to `C69` refuse a notification of change. We never send one. */
const REFUSED_CHANGE = /^C6\d$/

/**
 * The change proposed by a notification of change. It names the account and the bank as our entry stated
 * them, and moves no money. A notification that corrects nothing about the account, such as C09, waits for a
 * person.
 */
function changeOf(
  record: Extract<AchRecord, { type: 'change' }>,
  payment: BankPaymentRow,
  head: Pick<Evidence, 'id' | 'occurredAt'>,
): Evidence | Held {
  const { entry, reason, originalReceivingBank: bank } = record
  const { direction, payment_id: id, details } = payment
  if (REFUSED_CHANGE.test(reason)) return { hold: 'UNREADABLE' }
  const isOfEntry = isAccount([details.account], entry.account) && details.routingNumber?.startsWith(bank)
  if (entry.amount !== 0n || !isOfEntry) return { hold: 'UNKNOWN_PAYMENT' }
  const proposed = proposedBy(record)
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
    ...doubtOf(payment),
  }
}

/** The account type, by the first digit of a transaction code. */
const ACCOUNT_KINDS: Readonly<Record<string, string>> = { 2: 'CHECKING', 3: 'SAVINGS' }

/**
 * The corrected values by field. Undefined if the notification corrects nothing, or a value that our accounts
 * do not have.
 */
function proposedBy({ parts }: Extract<AchRecord, { type: 'change' }>): AccountValues | undefined {
  const { account, routingNumber, name, transactionCode, ...others } = parts
  const bankAccountType = transactionCode && ACCOUNT_KINDS[transactionCode.charAt(0)]
  const isOther = transactionCode !== undefined && bankAccountType === undefined
  const proposed = present({ accountNumber: account, routingNumber, holderName: name, bankAccountType })
  return isOther || keysOf(others).length > 0 || keysOf(proposed).length === 0 ? undefined : proposed
}

/**
 * The payment that a notification of change is about, and its account, which receives no payments until a
 * person has reviewed it.
 */
function doubtOf({ details: { account, routingNumber } }: BankPaymentRow) {
  return { doubted: { account, routingNumber } }
}

function isReturnOfPrenote(record: Returned): record is Extract<AchRecord, { type: 'return' }> {
  return record.type === 'return' && record.entry.amount === 0n && isReturnOfPayment(record.reason)
}

const DIGEST_CHARACTERS = 32
const ROUTING_CHARACTERS = 8

/**
 * True if a return belongs to this payment, which was found by trace number: the reference must match, or
 * without a reference the amount.
 */
function isOf({ reference, amount }: BankPaymentRow, entry: AchEntry): boolean {
  return entry.individualId === '' ? entry.amount === amount : entry.individualId === reference
}

function depositOf(
  rail: BankFilesRail,
  { entry, text, references }: Booked,
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
      depositAccountId: accountOf(rail.entry.format),
      amount: moneyOf(entry.amount, 'USD'),
      receivedAt,
      from: 'ACH_FILE',
      texts: references,
      rail: 'ACH',
      traceNumber: entry.trace,
      ...present({
        remittanceInformation: textOf([text, entry.individualId].filter(Boolean).join(' ')),
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
