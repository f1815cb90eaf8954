import type { StatementEntry } from '@countersign/contract/connectors/events'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { present } from '@countersign/contract/core/objects'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import { depositId } from '../../money/rails/rail-ids.ts'
import { idOfKind } from '../../storage/engine/ids.ts'
import type { QueuedPaymentRow, ReversalRow } from '../../storage/rows/bank-file.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { confirmDeposits, isSumOfOthers } from './confirm-deposits.ts'
import { type DepositOfBank, depositOfLine } from './deposit-of-line.ts'
import { type Failure, failureOf } from './failure-reasons.ts'
import { messageNamesIn } from './file-names.ts'
import { selectFileByMessage } from './file-store.ts'
import { BAI2_ISSUER, meaningOfTypeCode } from './formats/bai2-type-codes.ts'
import type { ProprietaryCode } from './formats/camt-details.ts'
import type { BankTransaction } from './formats/camt-transaction.ts'
import { meaningOfSwiftType, SWIFT_ISSUER } from './formats/mt-940-type-codes.ts'
import { aboutReversal, findReversalOfLine } from './named-reversals.ts'
import { paymentReferencesIn, uuidOfInstruction } from './queue.ts'
import { type BankFilesRail, CARRIED } from './rail.ts'
import type { Reading } from './reading.ts'
import { fileIdsOf, type Line, nextName } from './statement-lines.ts'
import {
  selectBankPayment,
  selectByEntryReference,
  selectByReference,
  selectPaymentsToBook,
} from './store.ts'

/**
 * The meaning of a line: statement entries whose amounts add up to the line's, or the reason why it waits for
 * a person.
 */
export type Understood = { readonly entries: readonly BookedEntry[] } | { readonly hold: Hold }

export interface Hold {
  readonly reason: RailEventReason
  /** The file of ours that the line names, if its amount differs from that file's. */
  readonly file?: string
  /** The payment and its reversal that the line names. */
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

/** The id of a line's entry. It stays the same if the line is repeated. */
export function entryIdOf({ name }: Line, entry: BookedEntry | undefined): string {
  return entry?.part === undefined ? name : `${name}/${entry.part}`
}

function waits(reason: RailEventReason): Understood {
  return { hold: { reason } }
}

/** Determines the meaning of a line. It only reads records; nothing takes effect yet. */
export async function understandLine(reading: Reading, line: Line): Promise<Understood> {
  if (line.currency !== CARRIED[reading.rail.entry.format.type]) return waits('OTHER_ACCOUNT')
  const charge = chargeOf(reading.rail, line)
  if (charge) return { entries: [{ kind: charge, amount: line.amount }] }
  const reversal = await findReversalOfLine(reading.op, reading.rail, line)
  const ours = await paymentsOfLine(reading, line, reversal !== undefined)
  if (ours) return { entries: ours }
  if (reversal) return understandReversal(reading, reversal)
  const ofFile = await paymentsOfFile(reading, line)
  if (ofFile) return ofFile
  if (isBack(line)) return waits(line.amount < 0n ? 'UNKNOWN_DEPOSIT' : 'UNKNOWN_PAYMENT')
  return line.amount < 0n ? waits('UNKNOWN_PAYMENT') : moneyIn(reading, line)
}

/**
 * A line that names a reversal waits for a person, and is never a deposit. A file that counts no deposits
 * adds nothing to the line of the statement.
 */
function understandReversal({ rail, head }: Reading, reversal: ReversalRow): Understood {
  if (head.kind !== 'STATEMENT' && head.kind !== COUNTS[rail.depositsFrom]) return { entries: [] }
  return { hold: { reason: 'REVERSAL', ...aboutReversal(reversal) } }
}

/**
 * Recognizes charges and interest: by the bank's own codes in the rails file, or else by ISO 20022, BAI2 or
 * SWIFT codes.
 */
function chargeOf({ entry: { bankCodes = [] } }: BankFilesRail, { entry }: Line) {
  const codes = [entry.transactionCode, entry.proprietaryCode?.code, entry.gvc].filter(
    (code) => typeof code === 'string',
  )
  const own = bankCodes.find(({ code }) => codes.includes(code))
  if (own) return own.kind
  const meaning = entry.proprietaryCode && meaningOf(entry.proprietaryCode)
  if (meaning === 'FEE' || meaning === 'INTEREST') return meaning
  if (codes.some((code) => /-INTR$/.test(code))) return 'INTEREST'
  return codes.some((code) => /-(?:CHRG|FEES|COMM|COME|CHAR)$/.test(code)) ? 'FEE' : undefined
}

/** The meaning of a code in its issuer's table. */
function meaningOf({ code, issuer }: ProprietaryCode) {
  if (issuer === BAI2_ISSUER) return meaningOfTypeCode(code)
  return issuer === SWIFT_ISSUER ? meaningOfSwiftType(code) : undefined
}

/** True if the bank reports returned money or reverses one of its bookings. */
function isBack({ entry, details }: Pick<Line, 'entry' | 'details'>): boolean {
  return entry.isReversal || entry.isReturn || details.some(({ isReturn }) => isReturn)
}

/** Our payments that a line books one by one. Undefined if it names none. */
async function paymentsOfLine(
  reading: Reading,
  line: Line,
  isOfReversal: boolean,
): Promise<BookedEntry[] | undefined> {
  const find = (detail: BankTransaction) => paymentNamed(reading, line, detail, isOfReversal)
  if (line.only) {
    const payment = await find(line.only)
    return payment && entriesOf(payment, line)
  }
  const named = await Promise.all(line.details.map(find))
  const found = named.filter((one) => one !== undefined)
  const sum = found.reduce((total, { amount }) => total + amount, 0n)
  if (found.length === 0 || found.length < named.length || sum !== sizeOf(line.amount)) return undefined
  return found.map((payment) => ({
    ...entryFor(payment, line),
    amount: line.amount < 0n ? -payment.amount : payment.amount,
    part: payment.reference,
  }))
}

/**
 * Finds the payment that a detail names. Payers can write anything in the text of incoming money, and a
 * payee knows the end-to-end id and may repeat it, so that id indicates a return only if the bank says so too.
 * @param isOfReversal if a structured id of the line names a reversal, the text counts for nothing
 */
async function paymentNamed(
  { op, rail }: Reading,
  { amount, entry }: Line,
  detail: BankTransaction,
  isOfReversal: boolean,
): Promise<QueuedPaymentRow | undefined> {
  const uuid = uuidOfInstruction(detail.instructionId)
  const byId = uuid && (await selectBankPayment(op, idOfKind('RailPayment', uuid)))
  if (byId && byId.rail === rail.name) return byId
  const texts = amount < 0n && !isOfReversal ? detail.references.map(({ text }) => text) : []
  const references = [detail.endToEndId ?? '', ...texts].flatMap(paymentReferencesIn)
  const found = references.length === 0 ? [] : await selectByReference(op, rail.name, references)
  const [only] = found.length === 1 ? found : []
  const isOfPayer = amount > 0n && only?.direction === 'OUT' && !isBack({ entry, details: [detail] })
  return isOfPayer ? undefined : only
}

/**
 * The entries of a line that books one payment. An amount deducted by the bank is a fee if the bank states it
 * exactly. Any other difference stays with the payment, for a person to review.
 */
function entriesOf(payment: QueuedPaymentRow, line: Line): BookedEntry[] {
  const whole = line.amount < 0n ? -payment.amount : payment.amount
  const entry = entryFor(payment, line)
  const fee = line.amount - whole
  const isCharged = fee < 0n && [line.entry, line.only].some((one) => one?.charges?.amount === fee)
  if (!isCharged) return [entry]
  return [
    { ...entry, amount: whole },
    { kind: 'FEE', amount: fee, part: 'fee' },
  ]
}

function entryFor({ payment_id: id, direction }: QueuedPaymentRow, { amount, details }: Line): BookedEntry {
  const isOut = amount < 0n
  const isReturn = isOut === (direction === 'PULL')
  const kinds = { OUT: ['PAYMENT', 'PAYMENT_RETURN'], PULL: ['PULL', 'PULL_RETURN'] } as const
  const kind = kinds[direction][isReturn ? 1 : 0]
  const reason = details.find(({ returnReason }) => returnReason !== null)?.returnReason ?? null
  return { kind, id, amount, ...(isReturn ? { failure: failureOf(reason) } : {}) }
}

/** The payments of one of our files that the bank has booked as a single sum, without the failed ones. */
async function paymentsOfFile({ op, rail }: Reading, line: Line): Promise<Understood | undefined> {
  if (!line.isWholeEntry) return undefined
  const names = fileNamesIn(line)
  const files = await Promise.all(names.map((name) => selectFileByMessage(op, rail.name, name)))
  const file = files.find((one) => one !== undefined)
  if (!file) return line.entry.batch && line.amount < 0n ? waits('UNKNOWN_PAYMENT') : undefined
  const booked = await findBookedPayments(op, file.id, line.amount)
  if (booked?.length === 0) return undefined
  return booked ? { entries: booked } : { hold: { reason: 'OTHER_AMOUNT', file: file.message_name } }
}

/**
 * The payments of a file that the bank has booked as this sum. Undefined if the payments that have not failed
 * add up to a different sum.
 */
export async function findBookedPayments(op: Op, fileId: string, amount: bigint) {
  const [direction, kind] = amount < 0n ? (['OUT', 'PAYMENT'] as const) : (['PULL', 'PULL'] as const)
  const payments = (await selectPaymentsToBook(op, fileId)).filter((one) => one.direction === direction)
  const sum = payments.reduce((total, one) => total + one.amount, 0n)
  if (payments.length > 0 && sum !== sizeOf(amount)) return undefined
  // The first entry has the name of the line.
  return payments.map(({ payment_id: id, amount: size, place }, index) => ({
    ...{ kind, id, amount: amount < 0n ? -size : size, part: index === 0 ? undefined : String(place) },
  }))
}

/** The names of our files in a line, from the fields in which banks put them. */
function fileNamesIn(line: Line): string[] {
  const { amount, entry, details } = line
  // Texts on incoming money are written by the payer.
  const texts = amount < 0n ? details.flatMap((one) => one.references.map((said) => said.text)) : []
  return [...new Set([...fileIdsOf(line), ...[entry.text ?? '', ...texts].flatMap(messageNamesIn)])]
}

/** The kind of statement that counts deposits, by the rail's setting. */
const COUNTS = { STATEMENTS: 'STATEMENT', ADVICES: 'ADVICE', ACH_FILES: undefined } as const

/** Handles incoming money. On each rail, one kind of file counts it and the others confirm it. */
async function moneyIn(reading: Reading, line: Line): Promise<Understood> {
  const { rail, head } = reading
  if (head.kind === COUNTS[rail.depositsFrom]) return newDeposit(reading, line)
  if (head.kind !== 'STATEMENT') return { entries: [] }
  const known = await confirmDeposits(reading, line)
  if (known === 'taken') return depositOfNobody(reading, line)
  if (known.length > 0) return { entries: toDepositEntries(known) }
  // Only the end of the day proves that no other file will report it.
  if (!reading.isWholeDay) return waits('UNKNOWN_DEPOSIT')
  // It may be the sum of money that was already counted in parts.
  if (await isSumOfOthers(reading, line)) return waits('OTHER_AMOUNT')
  return newDeposit(reading, line)
}

function toDepositEntries(known: readonly DepositRow[]): BookedEntry[] {
  return known.map(({ rail_reference: depositId, amount }, index) => ({
    ...{ kind: 'DEPOSIT', depositId, amount },
    ...(index === 0 ? {} : { part: String(index) }),
  }))
}

/**
 * Handles a line whose deposit was confirmed by another line with the same amount: one of the two is new
 * money, and it is unknown which. It is counted in suspense, because it names no payer.
 */
async function depositOfNobody(reading: Reading, { only: _, ...line }: Line): Promise<Understood> {
  const { op, rail } = reading
  let { name } = line
  while (await findDepositRow(op, depositId(rail.name, name))) name = nextName(name)
  const entry = { ...line.entry, servicerReference: null }
  return newDeposit(reading, { ...line, name, entry, details: [], isIncomplete: true })
}

async function newDeposit(reading: Reading, line: Line): Promise<Understood> {
  const deposit = depositOfLine(reading.rail, reading.head, line)
  if (line.isWholeEntry && (await hasNameOfAnother(reading, deposit))) return waits('SAME_NAME')
  return { entries: [{ kind: 'DEPOSIT', depositId: deposit.depositId, amount: line.amount, deposit }] }
}

/**
 * True if the bank reported different money with the same reference on the same day. A reference that it uses
 * for entries of several days, or for several entries of a file, identifies nothing.
 */
async function hasNameOfAnother({ op, rail, shared }: Reading, deposit: DepositOfBank): Promise<boolean> {
  const { entryReference, depositId, receivedAt } = deposit
  if (entryReference === undefined || shared.has(entryReference)) return false
  const found = await selectByEntryReference(op, rail.name, entryReference)
  const [only] = found
  if (!only || found.length > 1 || only.received_at.toISOString() !== receivedAt) return false
  const { from, confirmedBy = depositId } = only.details
  const toldBy = from === deposit.from ? only.rail_reference : confirmedBy
  return toldBy !== depositId
}

function sizeOf(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** The bank's text about a line. */
export function textOfLine({ entry, details }: Line): { readonly text?: string } {
  const statedTexts = details.flatMap((one) => [one.remittanceInformation, one.text])
  const text = [...statedTexts, details.length === 0 ? entry.text : null].filter(Boolean).join(' ')
  return present({ text: toReadableLine(text) })
}
