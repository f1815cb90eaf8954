import { hash } from 'node:crypto'
import type { ReceivedDeposit } from '@countersign/contract/connectors/events'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { idOfKind } from '../db/engine/ids.ts'
import type { BankFileRow, BankPaymentRow } from '../db/schema/bank-file-tables.ts'
import type { RailPaymentEvent } from '../db/schema/states.ts'
import { readable } from '../formats/readable.ts'
import type { Op } from '../op/app.ts'
import type { Report } from '../rail-events/apply.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import type { BankRecord } from './formats/camt.ts'
import { decimalsOf } from './formats/decimal-amounts.ts'
import type { BankStatus } from './formats/pain-002.ts'
import { uuidOfInstruction } from './queue.ts'
import { accountOf, type BankFilesRail } from './rail.ts'
import { achFailure, type Failure, isoFailure, isReturnOfPayment } from './reasons.ts'
import { selectBankPayment, selectByReference, selectByTrace, selectFileByMessage } from './store.ts'

/** What a record of a bank's file says, in the words of reports. */
export type Understood =
  /** Something of a payment, or money that came in. */
  | { readonly what: 'report'; readonly report: Report }
  /** The same of all payments of a file of ours. */
  | {
      readonly what: 'file'
      readonly file: BankFileRow
      readonly by: RailPaymentEvent
      readonly failure?: Failure
      readonly status: string
    }
  /** Nothing that changes anything: not booked yet, or told by other files. */
  | { readonly what: 'nothing' }
  /** Nothing that we can place: a person has to look. */
  | { readonly what: 'waits'; readonly reason: RailEventReason }

export interface Source {
  readonly op: Op
  readonly rail: BankFilesRail
  /** The id of the report that it makes. */
  readonly id: string
}

const NOTHING: Understood = { what: 'nothing' }
const UNKNOWN_PAYMENT: Understood = { what: 'waits', reason: 'UNKNOWN_PAYMENT' }

/** Statuses of ISO 20022 that say how far a payment is. Those that are in neither say that it is on its way. */
const STATUS_EVENTS: Readonly<Record<string, RailPaymentEvent>> = {
  ACSC: 'deliver',
  ACCC: 'deliver',
  RJCT: 'fail',
  CANC: 'cancel',
  ...Object.fromEntries(
    ['ACCP', 'ACTC', 'ACSP', 'ACWC', 'ACWP', 'ACFC', 'RCVD', 'PDNG'].map((one) => [one, 'accept']),
  ),
}

/** A status of our file, or of a payment in it. */
export async function ofStatus(source: Source, status: BankStatus): Promise<Understood> {
  const { op, rail } = source
  if (status.status === null || status.status === 'PART') return NOTHING
  const by = STATUS_EVENTS[status.status]
  if (!by) return { what: 'waits', reason: 'UNREADABLE' }
  const failure = by === 'fail' ? isoFailure(status.reasons[0] ?? null) : undefined
  if (status.level === 'PAYMENT') {
    const payment = await paymentOf(source, status.instructionId, status.endToEndId, status.amount)
    return typeof payment === 'string'
      ? { what: 'waits', reason: payment }
      : told(source, payment, by, failure)
  }
  const file = await selectFileByMessage(op, rail.name, status.originalMessageId)
  if (!file) return UNKNOWN_PAYMENT
  return { what: 'file', file, by, status: status.status, ...(failure ? { failure } : {}) }
}

/** A transaction of a statement or an advice, or an entry that has none. */
export async function ofBooking(
  source: Source,
  record: Extract<BankRecord, { type: 'transaction' | 'entry' }>,
): Promise<Understood> {
  const { entry, statement } = record
  if (entry.status !== 'BOOK' || (record.type === 'entry' && record.transactions > 0)) return NOTHING
  if (record.type === 'entry') return ofBareEntry(source, record)
  const { transaction } = record
  const amount = transaction.amount ?? (record.entry.batch ? undefined : entry.amount)
  if (amount === undefined || (transaction.currency ?? entry.currency) !== entry.currency)
    return { what: 'waits', reason: 'UNREADABLE' }
  const isBack = transaction.returnReason !== null || entry.isReversal
  if (amount > 0n && !isBack) return deposit(source, record, amount)
  // Money of ours that came back, or that went.
  if (amount < 0n && isBack) return { what: 'waits', reason: 'UNKNOWN_DEPOSIT' }
  const size = amount < 0n ? -amount : amount
  const payment = await paymentOf(source, transaction.instructionId, transaction.endToEndId, size)
  if (typeof payment === 'string') return isCharge(record) ? NOTHING : { what: 'waits', reason: payment }
  if (statement.currency !== null && payment.currency !== entry.currency)
    return { what: 'waits', reason: 'OTHER_AMOUNT' }
  return isBack
    ? told(source, payment, 'return', isoFailure(transaction.returnReason))
    : told(source, payment, 'deliver', undefined)
}

/** An entry alone: the sum of a file of ours, money that came in, a charge, or something for a person. */
async function ofBareEntry(
  source: Source,
  record: Extract<BankRecord, { type: 'entry' }>,
): Promise<Understood> {
  const { entry } = record
  const messageName = entry.batch?.messageId ?? entry.batch?.paymentInformationId
  if (messageName && entry.amount < 0n) {
    const file = await selectFileByMessage(source.op, source.rail.name, messageName)
    if (!file) return UNKNOWN_PAYMENT
    // Of another sum, nobody knows which of its payments were left out.
    if (file.total !== -entry.amount) return { what: 'waits', reason: 'OTHER_AMOUNT' }
    return { what: 'file', file, by: 'deliver', status: 'BOOK' }
  }
  if (isCharge(record)) return NOTHING
  if (entry.amount > 0n && !entry.isReversal) return deposit(source, record, entry.amount)
  return UNKNOWN_PAYMENT
}

/** Charges and interest by the code of the bank's entry: reconciliation has them, and nobody waits for them. */
export function isCharge({
  entry,
}: {
  readonly entry: { readonly transactionCode: string | null }
}): boolean {
  return /-(?:CHRG|FEES|COMM|INTR|COME|CHAR)$/.test(entry.transactionCode ?? '')
}

/** Money that came in. One kind of file counts it; the bank's own name of it is the same in every file. */
function deposit(
  { rail, id }: Source,
  record: Extract<BankRecord, { type: 'transaction' | 'entry' }>,
  amount: bigint,
): Understood {
  const { statement, entry } = record
  const { depositsFrom = 'STATEMENTS', format } = rail.entry
  if ((statement.kind === 'STATEMENT') !== (depositsFrom === 'STATEMENTS')) return NOTHING
  const transaction = record.type === 'transaction' ? record.transaction : undefined
  const sender = transaction && {
    ...given('name', transaction.debtor.name),
    ...given('accountIdentifier', transaction.debtor.account),
    ...given('bankIdentifier', transaction.debtor.bic),
  }
  const data: ReceivedDeposit = {
    depositId: nameOf(record, amount),
    depositAccountId: accountOf(format),
    amount: moneyOf(amount, entry.currency),
    ...given('remittanceInformation', transaction?.remittanceInformation ?? entry.text),
    ...(sender && Object.keys(sender).length > 0 ? { sender } : {}),
    ...given('endToEndId', transaction?.endToEndId),
    receivedAt: `${entry.bookedOn ?? entry.valueOn ?? '1970-01-01'}T00:00:00.000Z`,
  }
  return { what: 'report', report: { id, type: 'deposit.received', occurredAt: data.receivedAt, data } }
}

/**
 * The bank's own name of money that came in. Its reference of the entry is the same in a statement that comes again, corrected
 * and under another id, so that the money is counted once; what else is said of it keeps apart what a bank gives one reference.
 * Without a reference it is its place in this statement.
 */
function nameOf(record: Extract<BankRecord, { type: 'transaction' | 'entry' }>, amount: bigint): string {
  const { statement, entry } = record
  const transaction = record.type === 'transaction' ? record.transaction : undefined
  const place = transaction?.place ?? 0
  const reference = transaction?.servicerReference ?? entry.servicerReference
  if (!reference || NO_REFERENCE.has(reference)) return `${statement.id} ${entry.place}.${place}`
  const { endToEndId, debtor, remittanceInformation } = transaction ?? {}
  const said = [
    place,
    String(amount),
    entry.currency,
    endToEndId,
    debtor?.account,
    debtor?.name,
    remittanceInformation,
  ]
  const digest = hash('sha256', JSON.stringify(said)).slice(0, DIGEST_CHARACTERS)
  return `${entry.bookedOn ?? entry.valueOn ?? ''} ${reference.slice(0, REFERENCE_CHARACTERS_MAX)} ${digest}`
}

/** What banks write where they have no reference. */
const NO_REFERENCE: ReadonlySet<string> = new Set(['NOTPROVIDED', 'NONREF'])
const REFERENCE_CHARACTERS_MAX = 100
const DIGEST_CHARACTERS = 16

/** A record of an ACH file. */
export async function ofAch(source: Source, record: AchRecord): Promise<Understood> {
  const { op, rail } = source
  const { entry } = record
  if (record.type === 'entry') return achDeposit(source, record)
  const payment = await selectByTrace(op, rail.name, BigInt(record.originalTrace.slice(8)))
  if (!payment || payment.reference !== entry.individualId) return UNKNOWN_PAYMENT
  if (record.type === 'change') return { what: 'waits', reason: 'CHANGE_OF_ACCOUNT' }
  if (payment.amount !== entry.amount) return { what: 'waits', reason: 'OTHER_AMOUNT' }
  if (!isReturnOfPayment(record.reason)) return { what: 'waits', reason: 'UNREADABLE' }
  return told(source, payment, 'return', achFailure(record.reason, record.information))
}

function achDeposit(
  { rail, id, op }: Source,
  { entry, text }: Extract<AchRecord, { type: 'entry' }>,
): Understood {
  // Tests of an account have no amount; debits of others are for a person.
  if (entry.amount === 0n) return NOTHING
  if (Number(entry.transactionCode[1]) >= 5) return UNKNOWN_PAYMENT
  const data: ReceivedDeposit = {
    depositId: `${entry.effectiveDate} ${entry.trace}`,
    depositAccountId: accountOf(rail.entry.format),
    amount: moneyOf(entry.amount, 'USD'),
    ...given('remittanceInformation', [text, entry.individualId].filter(Boolean).join(' ') || null),
    ...(entry.companyName ? { sender: { name: entry.companyName } } : {}),
    rail: 'ACH',
    traceNumber: entry.trace,
    receivedAt: op.now.toISOString(),
  }
  return { what: 'report', report: { id, type: 'deposit.received', occurredAt: data.receivedAt, data } }
}

/** The payment that a bank names, by our id, else by the reference, and of this amount; or why there is none. */
async function paymentOf(
  { op, rail }: Source,
  instructionId: string | null,
  endToEndId: string | null,
  amount: bigint | null,
): Promise<BankPaymentRow | RailEventReason> {
  const uuid = uuidOfInstruction(instructionId)
  const named = uuid && (await selectBankPayment(op, idOfKind('RailPayment', uuid)))
  const found =
    named && named.rail === rail.name
      ? [named]
      : endToEndId
        ? await selectByReference(op, rail.name, endToEndId)
        : []
  const [only] = found
  if (!only || found.length > 1) return 'UNKNOWN_PAYMENT'
  return amount === null || amount === only.amount ? only : 'OTHER_AMOUNT'
}

function told(
  { id, op }: Source,
  payment: BankPaymentRow,
  by: RailPaymentEvent,
  failure: Failure | undefined,
): Understood {
  const kind = payment.direction === 'OUT' ? 'payment' : 'pull'
  const word = {
    accept: 'accepted',
    deliver: 'delivered',
    fail: 'failed',
    return: 'returned',
    cancel: 'cancelled',
  }[by]
  const data = { id: payment.payment_id, ...(failure ? { failure } : {}) }
  // The words of both kinds are those of the union.
  const report = { id, type: `${kind}.${word}`, occurredAt: op.now.toISOString(), data } as Report
  return { what: 'report', report }
}

const TEXT_CHARACTERS_MAX = 255

function moneyOf(amount: bigint, currency: string): ReceivedDeposit['amount'] {
  return { value: String(amount), currency, decimals: decimalsOf(currency) ?? 0 } as ReceivedDeposit['amount']
}

/** A member where there is a text that people can read, cut to what a report takes. */
function given<Name extends string>(
  name: Name,
  text: string | null | undefined,
): { readonly [K in Name]?: string } {
  const line = readable(text ?? undefined, TEXT_CHARACTERS_MAX)
  return line === undefined ? {} : ({ [name]: line } as { [K in Name]?: string })
}
