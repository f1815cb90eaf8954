import { type CorrectedParts, splitCorrection } from './ach-corrections.ts'
import { isCredit, readNumber, readRecord, type Values } from './ach-records.ts'
import { type BankReference, toReferences } from './camt-details.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { UnreadablePart } from './unreadable-file.ts'

/** The header of a file. */
export interface AchHead {
  /** The routing number of the bank or the id of the customer that receives the file. */
  readonly destination: string
  readonly origin: string
  /** `YYMMDD`. */
  readonly createdOn: string
  /** `HHMM`, or empty. */
  readonly createdAt: string
  /** Distinguishes the files of a day. */
  readonly modifier: string
  readonly destinationName: string
  readonly originName: string
  readonly reference: string
}

export interface AchEntry {
  readonly entryClass: string
  readonly companyName: string
  readonly companyId: string
  readonly description: string
  /** `YYMMDD`, or empty. */
  readonly effectiveDate: string
  /** The day of the year on which the operator settled the entry, as three digits. Empty if unknown. */
  readonly settlementDate: string
  readonly batchNumber: string
  /** The destination in the file header. */
  readonly destination: string
  /** The routing number of the bank that sent the batch, without the check digit. */
  readonly originatingBank: string
  /** The routing number of the receiver's bank, nine digits. */
  readonly receivingBank: string
  readonly transactionCode: string
  /** The receiver's account number. */
  readonly account: string
  /** In cents. */
  readonly amount: bigint
  readonly individualId: string
  readonly name: string
  readonly trace: string
}

export type AchReturnKind =
  /** The receiver's bank returned a payment. */
  | 'RETURN'
  /** The sender's bank rejects a return (R61, R67 to R70). */
  | 'DISHONORED'
  /** The receiver's bank contests the rejection of its return, or corrects the return (R71 to R77). */
  | 'CONTESTED'

export interface AchReturn {
  readonly kind: AchReturnKind
  /** `R01` … */
  readonly reason: string
  /** The 15 digits of the trace number that we sent. */
  readonly originalTrace: string
  /** The first eight digits of the routing number that received the payment. */
  readonly originalReceivingBank: string
  /** `YYMMDD` for R14 and R15. */
  readonly dateOfDeath: string | null
  readonly information: string | null
  /** For a rejected or contested return: the trace number and reason (`R03`) of the original return. */
  readonly returnTrace: string | null
  readonly returnReason: string | null
  /** For a contested return: the trace number and reason of the rejection. */
  readonly dishonoredTrace: string | null
  readonly dishonoredReason: string | null
}

export interface AchChange {
  /** `C01` …. `C61` to `C69` refuse a notification that we sent. */
  readonly reason: string
  readonly originalTrace: string
  readonly originalReceivingBank: string
  /** The corrected data as the bank wrote it. */
  readonly corrected: string
  /** The corrected fields, depending on the reason. */
  readonly parts: CorrectedParts
}

export interface AchPayment {
  /** The text of all addenda, joined unchanged. */
  readonly text: string | null
  /**
   * Every string that may contain a reference: the id, each addenda record, and all addenda joined with and
   * without spaces.
   */
  readonly references: readonly BankReference[]
}

/** Entry classes that put the number of addenda before the name. */
const NUMBERED_NAMES: ReadonlySet<string> = new Set(['CTX', 'CTP', 'ENR', 'TRX', 'ATX'])

export function parseHead(line: string): AchHead {
  const values = readRecord('fileHeader', line)
  return {
    destination: values.destination.trim(),
    origin: values.origin.trim(),
    createdOn: values.date.trim(),
    createdAt: values.time.trim(),
    modifier: values.modifier,
    destinationName: values.destinationName.trim(),
    originName: values.originName.trim(),
    reference: values.reference.trim(),
  }
}

export function parseEntry(
  head: AchHead | undefined,
  batch: Values<'batchHeader'>,
  values: Values<'entry'>,
): AchEntry {
  const amount = readNumber(values.amount)
  if (amount === undefined) throw new UnreadablePart(`has the amount ${quoteForMessage(values.amount)}`)
  if (!/^\d\d$/.test(values.transactionCode))
    throw new UnreadablePart(`has the transaction code ${quoteForMessage(values.transactionCode)}`)
  if (!/^\d{8}$/.test(values.receivingBank))
    throw new UnreadablePart(`has the routing number ${quoteForMessage(values.receivingBank)}`)
  const isNumbered = NUMBERED_NAMES.has(batch.entryClass)
  return {
    entryClass: batch.entryClass,
    companyName: batch.companyName.trim(),
    companyId: batch.companyId.trim(),
    description: batch.description.trim(),
    effectiveDate: batch.effectiveDate.trim(),
    settlementDate: batch.settlementDate.trim(),
    batchNumber: batch.batchNumber.trim(),
    destination: head?.destination ?? '',
    originatingBank: batch.originatingBank.trim(),
    receivingBank: `${values.receivingBank}${values.checkDigit}`,
    transactionCode: values.transactionCode,
    account: values.account.trim(),
    amount,
    individualId: values.individualId.trim(),
    name: (isNumbered ? values.name.slice(4, 20) : values.name).trimEnd(),
    trace: values.trace.trim(),
  }
}

/** Applies the sign to an amount, as seen from the receiver's account. */
export function applySign(transactionCode: string, amount: bigint): bigint {
  return isCredit(transactionCode) ? amount : -amount
}

export function parsePayment(entry: AchEntry, addenda: readonly string[]): AchPayment {
  const texts = addenda
    .filter((line) => readAddendaType(line) === '05')
    .map((line) => readRecord('addenda', line).text)
    .filter((text) => text !== '')
  const joined = texts.length > 1 ? [texts.join(' '), texts.join('')] : []
  return {
    text: texts.join('') || null,
    references: toReferences([
      ['individualId', entry.individualId],
      ...[...texts, ...joined].map((text) => ['addenda', text] as const),
    ]),
  }
}

export function parseReturn(line: string): AchReturn {
  const { reason, originalTrace, dateOfDeath, originalReceivingBank, information } = readRecord(
    'returnAddenda',
    line,
  )
  if (!/^R\d\d$/.test(reason)) throw new UnreadablePart(`has the return reason ${quoteForMessage(reason)}`)
  requireTrace(originalTrace)
  const kind = classifyReturn(reason)
  const head = { kind, reason, originalTrace, originalReceivingBank: originalReceivingBank.trim() }
  if (kind === 'RETURN')
    return {
      ...head,
      ...NO_EARLIER_RETURN,
      dateOfDeath: /^\d{6}$/.test(dateOfDeath) && Number(dateOfDeath) > 0 ? dateOfDeath : null,
      information: information.trim() || null,
    }
  return { ...head, dateOfDeath: null, ...parseEarlierReturn(kind, line) }
}

const NO_EARLIER_RETURN = {
  returnTrace: null,
  returnReason: null,
  dishonoredTrace: null,
  dishonoredReason: null,
} as const

function parseEarlierReturn(
  kind: AchReturnKind,
  line: string,
): Omit<AchReturn, 'kind' | 'reason' | 'originalTrace' | 'originalReceivingBank' | 'dateOfDeath'> {
  if (kind === 'DISHONORED') {
    const { returnTrace, returnReason, information } = readRecord('dishonoredAddenda', line)
    return {
      ...NO_EARLIER_RETURN,
      returnTrace: returnTrace.trim() || null,
      returnReason: parseReason(returnReason),
      information: information.trim() || null,
    }
  }
  const { returnTrace, returnReason, dishonoredTrace, dishonoredReason } = readRecord(
    'contestedAddenda',
    line,
  )
  return {
    returnTrace: returnTrace.trim() || null,
    returnReason: parseReason(returnReason),
    dishonoredTrace: dishonoredTrace.trim() || null,
    dishonoredReason: parseReason(dishonoredReason),
    information: null,
  }
}

function parseReason(digits: string): string | null {
  return /^\d\d$/.test(digits) ? `R${digits}` : null
}

function classifyReturn(reason: string): AchReturnKind {
  if (/^R(?:6\d|70)$/.test(reason)) return 'DISHONORED'
  return /^R7[1-7]$/.test(reason) ? 'CONTESTED' : 'RETURN'
}

export function parseChange(line: string): AchChange {
  const { reason, originalTrace, originalReceivingBank, corrected } = readRecord('changeAddenda', line)
  if (!/^C\d\d$/.test(reason)) throw new UnreadablePart(`has the change code ${quoteForMessage(reason)}`)
  requireTrace(originalTrace)
  return {
    reason,
    originalTrace,
    originalReceivingBank: originalReceivingBank.trim(),
    corrected,
    parts: splitCorrection(reason, corrected),
  }
}

function requireTrace(trace: string): void {
  if (!/^\d{15}$/.test(trace))
    throw new UnreadablePart(`has the original trace number ${quoteForMessage(trace)}`)
}

export function readAddendaType(line: string): string {
  return line.slice(1, 3)
}
