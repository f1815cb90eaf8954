import type { StatementEntry } from '@countersign/contract/connectors/events'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { present } from '@countersign/contract/core/objects'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import { deriveDepositId } from '../../money/rails/rail-ids.ts'
import { buildId } from '../../storage/engine/ids.ts'
import type { QueuedPaymentRow, ReversalRow } from '../../storage/rows/bank-file.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { confirmDeposits, isSumOfOthers } from './confirm-deposits.ts'
import { type BankDeposit, toBankDeposit } from './deposit-of-line.ts'
import { type Failure, toFailure } from './failure-reasons.ts'
import { findMessageNames } from './file-names.ts'
import { selectFileByMessage } from './file-store.ts'
import { BAI2_ISSUER, findTypeCodeMeaning } from './formats/bai2-type-codes.ts'
import type { ProprietaryCode } from './formats/camt-details.ts'
import type { BankTransaction } from './formats/camt-transaction.ts'
import { findSwiftTypeMeaning, SWIFT_ISSUER } from './formats/mt-940-type-codes.ts'
import { findReversalOfLine, toReversalIds } from './named-reversals.ts'
import { findPaymentReferences, parseInstructionId } from './queue.ts'
import { type BankFilesRail, CARRIED } from './rail.ts'
import type { Reading } from './reading.ts'
import { type Line, listFileIds, toNextName } from './statement-lines.ts'
import {
  selectBankPayment,
  selectByEntryReference,
  selectByReference,
  selectPaymentsToBook,
} from './store.ts'

/** The meaning of a line: entries that add up to its amount, or the reason why it waits for manual review. */
export type LineMeaning = { readonly entries: readonly BookedEntry[] } | { readonly hold: Hold }

export interface Hold {
  readonly reason: RailEventReason
  /** The file of ours that the line names, if their amounts differ. */
  readonly file?: string
  /** The payment of the reversal that the line names. */
  readonly id?: string
  readonly reversalId?: string
}

export type BookedEntry = Pick<StatementEntry, 'kind' | 'id' | 'depositId' | 'deposit'> & {
  /** Signed, in smallest units. */
  readonly amount: bigint
  /** Distinguishes several entries of the same line. */
  readonly part?: string | undefined
  readonly failure?: Failure
}

/** The id of a line's entry, which stays the same if the line is repeated. */
export function toEntryId({ name }: Line, entry: BookedEntry | undefined): string {
  return entry?.part === undefined ? name : `${name}/${entry.part}`
}

function toHeldLine(reason: RailEventReason): LineMeaning {
  return { hold: { reason } }
}

/** Determines the meaning of a line. It only reads records; nothing takes effect yet. */
export async function understandLine(reading: Reading, line: Line): Promise<LineMeaning> {
  if (line.currency !== CARRIED[reading.rail.entry.format.type]) return toHeldLine('OTHER_ACCOUNT')
  const charge = findCharge(reading.rail, line)
  if (charge) return { entries: [{ kind: charge, amount: line.amount }] }
  const reversal = await findReversalOfLine(reading.op, reading.rail, line)
  const payments = await findPaymentsOfLine(reading, line, reversal !== undefined)
  if (payments) return { entries: payments }
  if (reversal) return understandReversal(reading, reversal)
  const fileSum = await findPaymentsOfFile(reading, line)
  if (fileSum) return fileSum
  if (isReturned(line)) return toHeldLine(line.amount < 0n ? 'UNKNOWN_DEPOSIT' : 'UNKNOWN_PAYMENT')
  return line.amount < 0n ? toHeldLine('UNKNOWN_PAYMENT') : understandCredit(reading, line)
}

/**
 * A line that names a reversal waits for manual review, and is never a deposit. An advice that counts no
 * deposits adds nothing to the statement line.
 */
function understandReversal({ rail, head }: Reading, reversal: ReversalRow): LineMeaning {
  if (head.kind !== 'STATEMENT' && head.kind !== COUNTING_KINDS[rail.depositsFrom]) return { entries: [] }
  return { hold: { reason: 'REVERSAL', ...toReversalIds(reversal) } }
}

/**
 * Recognizes charges and interest by the bank codes in the rails file, or otherwise by ISO 20022, BAI2 or
 * SWIFT codes.
 */
function findCharge({ entry: { bankCodes = [] } }: BankFilesRail, { entry }: Line) {
  const codes = [entry.transactionCode, entry.proprietaryCode?.code, entry.gvc].filter(
    (code) => typeof code === 'string',
  )
  const configured = bankCodes.find(({ code }) => codes.includes(code))
  if (configured) return configured.kind
  const meaning = entry.proprietaryCode && findMeaning(entry.proprietaryCode)
  if (meaning === 'FEE' || meaning === 'INTEREST') return meaning
  if (codes.some((code) => /-INTR$/.test(code))) return 'INTEREST'
  return codes.some((code) => /-(?:CHRG|FEES|COMM|COME|CHAR)$/.test(code)) ? 'FEE' : undefined
}

/** The meaning of a code in its issuer's table. */
function findMeaning({ code, issuer }: ProprietaryCode) {
  if (issuer === BAI2_ISSUER) return findTypeCodeMeaning(code)
  return issuer === SWIFT_ISSUER ? findSwiftTypeMeaning(code) : undefined
}

/** True if the bank reports returned money or reverses one of its bookings. */
function isReturned({ entry, details }: Pick<Line, 'entry' | 'details'>): boolean {
  return entry.isReversal || entry.isReturn || details.some(({ isReturn }) => isReturn)
}

/** Finds our payments that a line books individually. Undefined if the line names no payment. */
async function findPaymentsOfLine(
  reading: Reading,
  line: Line,
  namesReversal: boolean,
): Promise<BookedEntry[] | undefined> {
  const find = (detail: BankTransaction) => findNamedPayment(reading, line, detail, namesReversal)
  if (line.only) {
    const payment = await find(line.only)
    return payment && toEntries(payment, line)
  }
  const matches = await Promise.all(line.details.map(find))
  const found = matches.filter((payment) => payment !== undefined)
  const sum = found.reduce((total, { amount }) => total + amount, 0n)
  if (found.length === 0 || found.length < matches.length || sum !== toUnsigned(line.amount)) return undefined
  return found.map((payment) => ({
    ...toEntry(payment, line),
    amount: line.amount < 0n ? -payment.amount : payment.amount,
    part: payment.reference,
  }))
}

/**
 * Finds the payment that a detail names. Payers can write anything in the text of incoming money. A payee
 * knows the end-to-end id and may repeat it, so it indicates a return only if the bank's codes do too.
 * @param namesReversal if true, the text is ignored, because a structured id of the line names a reversal
 */
async function findNamedPayment(
  { op, rail }: Reading,
  { amount, entry }: Line,
  detail: BankTransaction,
  namesReversal: boolean,
): Promise<QueuedPaymentRow | undefined> {
  const uuid = parseInstructionId(detail.instructionId)
  const rowWithId = uuid && (await selectBankPayment(op, buildId('RailPayment', uuid)))
  if (rowWithId && rowWithId.rail === rail.name) return rowWithId
  const texts = amount < 0n && !namesReversal ? detail.references.map(({ text }) => text) : []
  const references = [detail.endToEndId ?? '', ...texts].flatMap(findPaymentReferences)
  const found = references.length === 0 ? [] : await selectByReference(op, rail.name, references)
  const [only] = found.length === 1 ? found : []
  const isFromPayer = amount > 0n && only?.direction === 'OUT' && !isReturned({ entry, details: [detail] })
  return isFromPayer ? undefined : only
}

/**
 * Builds the entries of a line that books one payment. A deducted amount is a fee if the bank states exactly
 * that charge. Any other difference stays with the payment for manual review.
 */
function toEntries(payment: QueuedPaymentRow, line: Line): BookedEntry[] {
  const whole = line.amount < 0n ? -payment.amount : payment.amount
  const entry = toEntry(payment, line)
  const fee = line.amount - whole
  const isCharged = fee < 0n && [line.entry, line.only].some((one) => one?.charges?.amount === fee)
  if (!isCharged) return [entry]
  return [
    { ...entry, amount: whole },
    { kind: 'FEE', amount: fee, part: 'fee' },
  ]
}

function toEntry({ payment_id: id, direction }: QueuedPaymentRow, { amount, details }: Line): BookedEntry {
  const isOutgoing = amount < 0n
  const isReturn = isOutgoing === (direction === 'PULL')
  const kinds = { OUT: ['PAYMENT', 'PAYMENT_RETURN'], PULL: ['PULL', 'PULL_RETURN'] } as const
  const kind = kinds[direction][isReturn ? 1 : 0]
  const reason = details.find(({ returnReason }) => returnReason !== null)?.returnReason ?? null
  return { kind, id, amount, ...(isReturn ? { failure: toFailure(reason) } : {}) }
}

/** Finds the payments of one of our files that the bank has booked as a single sum, without failed ones. */
async function findPaymentsOfFile({ op, rail }: Reading, line: Line): Promise<LineMeaning | undefined> {
  if (!line.isWholeEntry) return undefined
  const names = findFileNames(line)
  const files = await Promise.all(names.map((name) => selectFileByMessage(op, rail.name, name)))
  const file = files.find((one) => one !== undefined)
  if (!file) return line.entry.batch && line.amount < 0n ? toHeldLine('UNKNOWN_PAYMENT') : undefined
  const booked = await findBookedPayments(op, file.id, line.amount)
  if (booked?.length === 0) return undefined
  return booked ? { entries: booked } : { hold: { reason: 'OTHER_AMOUNT', file: file.message_name } }
}

/**
 * Finds the payments in a sum booked for a file. Undefined if the payments that have not failed add up to
 * another sum.
 */
export async function findBookedPayments(op: Op, fileId: string, amount: bigint) {
  const [direction, kind] = amount < 0n ? (['OUT', 'PAYMENT'] as const) : (['PULL', 'PULL'] as const)
  const payments = (await selectPaymentsToBook(op, fileId)).filter(
    (payment) => payment.direction === direction,
  )
  const sum = payments.reduce((total, payment) => total + payment.amount, 0n)
  if (payments.length > 0 && sum !== toUnsigned(amount)) return undefined
  // The first entry has the name of the line.
  return payments.map(({ payment_id: id, amount: size, place }, index) => ({
    ...{ kind, id, amount: amount < 0n ? -size : size, part: index === 0 ? undefined : String(place) },
  }))
}

/** Finds the names of our files in the fields in which banks put them. */
function findFileNames(line: Line): string[] {
  const { amount, entry, details } = line
  // The payer writes the text of incoming money.
  const texts = amount < 0n ? details.flatMap((one) => one.references.map(({ text }) => text)) : []
  return [...new Set([...listFileIds(line), ...[entry.text ?? '', ...texts].flatMap(findMessageNames)])]
}

/** The kind of statement that counts deposits, by the rail's setting. */
const COUNTING_KINDS = { STATEMENTS: 'STATEMENT', ADVICES: 'ADVICE', ACH_FILES: undefined } as const

/** Handles incoming money. On each rail, one kind of file counts it and the others confirm it. */
async function understandCredit(reading: Reading, line: Line): Promise<LineMeaning> {
  const { rail, head } = reading
  if (head.kind === COUNTING_KINDS[rail.depositsFrom]) return countDeposit(reading, line)
  if (head.kind !== 'STATEMENT') return { entries: [] }
  const known = await confirmDeposits(reading, line)
  if (known === 'taken') return countInSuspense(reading, line)
  if (known.length > 0) return { entries: toDepositEntries(known) }
  // Only a whole day proves that no other file will report this money.
  if (!reading.isWholeDay) return toHeldLine('UNKNOWN_DEPOSIT')
  // The line may be the sum of deposits that were already counted.
  if (await isSumOfOthers(reading, line)) return toHeldLine('OTHER_AMOUNT')
  return countDeposit(reading, line)
}

function toDepositEntries(known: readonly DepositRow[]): BookedEntry[] {
  return known.map(({ rail_reference: depositId, amount }, index) => ({
    ...{ kind: 'DEPOSIT', depositId, amount },
    ...(index === 0 ? {} : { part: String(index) }),
  }))
}

/**
 * Counts a line in suspense, without a payer, because another line with the same amount has confirmed its
 * deposit. One of the two is new money, and it is unknown which.
 */
async function countInSuspense(reading: Reading, { only: _, ...line }: Line): Promise<LineMeaning> {
  const { op, rail } = reading
  let { name } = line
  while (await findDepositRow(op, deriveDepositId(rail.name, name))) name = toNextName(name)
  const entry = { ...line.entry, servicerReference: null }
  return countDeposit(reading, { ...line, name, entry, details: [], isIncomplete: true })
}

async function countDeposit(reading: Reading, line: Line): Promise<LineMeaning> {
  const deposit = toBankDeposit(reading.rail, reading.head, line)
  if (line.isWholeEntry && (await isNameTaken(reading, deposit))) return toHeldLine('SAME_NAME')
  return { entries: [{ kind: 'DEPOSIT', depositId: deposit.depositId, amount: line.amount, deposit }] }
}

/**
 * True if the bank reported other money with the same reference on the same day. A reference that it uses on
 * several days, or for several entries of a file, identifies nothing.
 */
async function isNameTaken({ op, rail, shared }: Reading, deposit: BankDeposit): Promise<boolean> {
  const { entryReference, depositId, receivedAt } = deposit
  if (entryReference === undefined || shared.has(entryReference)) return false
  const found = await selectByEntryReference(op, rail.name, entryReference)
  const [only] = found
  if (!only || found.length > 1 || only.received_at.toISOString() !== receivedAt) return false
  const { from, confirmedBy = depositId } = only.details
  const reportedAs = from === deposit.from ? only.rail_reference : confirmedBy
  return reportedAs !== depositId
}

function toUnsigned(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** The bank's text about a line. */
export function formatLineText({ entry, details }: Line): { readonly text?: string } {
  const statedTexts = details.flatMap((one) => [one.remittanceInformation, one.text])
  const text = [...statedTexts, details.length === 0 ? entry.text : null].filter(Boolean).join(' ')
  return present({ text: toReadableLine(text) })
}
