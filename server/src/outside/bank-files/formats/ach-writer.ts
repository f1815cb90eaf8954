import { isRoutingNumber } from '../../../base/formats/check-digits.ts'
import { BLOCK_RECORDS, FILLER, writeRecord } from './ach-records.ts'
import { AchTotals } from './ach-totals.ts'
import { toLatin } from './sepa-text.ts'
import { type PaymentPart, UnwritablePayment } from './unreadable-file.ts'

/** Writes US ACH payments as a NACHA file. */

const ADDENDA_CHARACTERS = 80
const ACCOUNT = /^[0-9A-Za-z](?:[0-9A-Za-z -]{0,15}[0-9A-Za-z])?$/
const CENTS_MAX = 9_999_999_999n
/** The largest sum in cents that a single entry can balance. */
export const OFFSET_TOTAL_MAX = CENTS_MAX
const PIECE_CHARACTERS = 64 * 1024

/** True if an account number fits into an ACH entry. */
export function isAchAccount(account: string): boolean {
  return ACCOUNT.test(account)
}

/**
 * Entry classes, by the receiver and by how a debit was authorized.
 * - `PPD`: a person, in writing
 * - `CCD`: a business
 * - `WEB`: a person, online
 * - `TEL`: a person, by telephone
 * `CTX` is not supported, because it carries only EDI data and no free text.
 */
export const ENTRY_CLASSES = ['PPD', 'CCD', 'WEB', 'TEL'] as const
export type EntryClass = (typeof ENTRY_CLASSES)[number]
/** The maximum number of addenda by class. TEL entries have no addenda. */
const ADDENDA_MAX = { PPD: 1, CCD: 1, WEB: 1, TEL: 0 } as const satisfies Record<EntryClass, 0 | 1>
/** The payment type code of WEB and TEL entries, in the discretionary data: a single entry. */
const SINGLE_ENTRY = 'S'

/** The sender of a file: the platform, at its bank. */
export interface AchOriginator {
  /** The routing number and the name of the bank that receives the file. */
  readonly destination: string
  readonly destinationName: string
  /** Ten characters assigned by the bank, often a 1 followed by the tax number. */
  readonly origin: string
  readonly originName: string
  readonly companyName: string
  readonly companyId: string
  /** The first 8 digits of the originating bank's routing number. */
  readonly originatingBank: string
  /** The text on the receiver's statement, at most 10 characters. */
  readonly description: string
}

export interface AchPayment {
  /** The last seven digits of the trace number, to which returns refer. */
  readonly traceSequence: number
  readonly routingNumber: string
  readonly account: string
  readonly accountKind: 'CHECKING' | 'SAVINGS'
  /** In cents. */
  readonly amount: bigint
  /** At most 15 characters. A return repeats it. */
  readonly individualId: string
  readonly name: string
  readonly remittanceInformation?: string
}

/** Payments of the same kind, direction and day. */
export interface AchBatch {
  readonly entryClass: EntryClass
  /** A credit pays the receiver, a debit takes money from the receiver. */
  readonly direction: 'CREDIT' | 'DEBIT'
  /**
   * True for entries without an amount, which ask the receiver's bank to verify the account. Defaults to
   * false.
   */
  readonly isPrenote?: boolean
  /**
   * The description that Nacha prescribes for deposits that verify accounts and for reversals. Defaults to
   * the originator's description.
   */
  readonly description?: 'ACCTVERIFY' | 'REVERSAL' | undefined
  /** `YYYY-MM-DD`, a banking day. */
  readonly effectiveDate: string
  /** Ordered by ascending trace number. */
  readonly payments: AsyncIterable<AchPayment>
  /** The checking account that an additional last entry debits or credits with the sum of the batch. */
  readonly offset?: Pick<AchPayment, 'traceSequence' | 'routingNumber' | 'account'>
}

export interface AchFile {
  readonly originator: AchOriginator
  /** `YYYY-MM-DD` and `HH:MM`, in the bank's time zone. */
  readonly date: string
  readonly time: string
  /** A to Z or 0 to 9. Distinguishes the files of a day. */
  readonly modifier: string
  /** At most 8 characters. */
  readonly reference: string
}

/** The transaction codes of payments and prenotes, by account type and direction. */
const TRANSACTION_CODES = {
  CHECKING: { CREDIT: ['22', '23'], DEBIT: ['27', '28'] },
  SAVINGS: { CREDIT: ['32', '33'], DEBIT: ['37', '38'] },
} as const
const SERVICE_CLASSES = { CREDIT: '220', DEBIT: '225', MIXED: '200' } as const
/** The individual id of an offset entry. */
const OFFSET_ID = 'OFFSET'

/**
 * Writes a file in chunks and in constant memory. The same arguments always give the same bytes. Throws
 * UnwritablePayment for content that an entry cannot carry, and RangeError for totals that do not fit into a
 * control record.
 */
export async function* writeAch(file: AchFile, batches: Iterable<AchBatch>): AsyncGenerator<string> {
  const totals = new AchTotals()
  let [records, batchCount] = [1, 0]
  let piece = `${writeFileHeader(file)}\n`
  for (const batch of batches) {
    batchCount += 1
    const batchTotals = new AchTotals()
    const ends = { ...buildBatchEnds(file.originator, batch), batchNumber: batchCount }
    piece += `${writeBatchHeader(file.originator, batch, ends)}\n`
    let last = -1
    for await (const { direction, payment } of eachEntry(file.originator, batch)) {
      if (payment.traceSequence <= last)
        throw new RangeError(`The trace number ${payment.traceSequence} is not above ${last}`)
      last = payment.traceSequence
      const lines = writeAchEntry({ ...batch, direction }, payment, file.originator.originatingBank)
      const code = findTransactionCode(payment.accountKind, { ...batch, direction })
      batchTotals.add(code, payment.routingNumber.slice(0, 8), payment.amount, lines.length - 1)
      piece += `${lines.join('\n')}\n`
      if (piece.length < PIECE_CHARACTERS) continue
      yield piece
      piece = ''
    }
    piece += `${writeRecord('batchControl', { ...ends, ...toControl(batchTotals) })}\n`
    totals.addAll(batchTotals)
    records += batchTotals.entries + 2
  }
  const blocks = Math.ceil((records + 1) / BLOCK_RECORDS)
  yield `${piece}${writeRecord('fileControl', { batches: batchCount, blocks, ...toControl(totals) })}\n`
  yield `${FILLER}\n`.repeat(blocks * BLOCK_RECORDS - records - 1)
}

interface DirectedPayment {
  readonly direction: AchBatch['direction']
  readonly payment: AchPayment
}

/** Yields the payments of a batch, followed by the entry that balances it. */
async function* eachEntry(
  { companyName: name }: AchOriginator,
  { direction, payments, offset }: AchBatch,
): AsyncGenerator<DirectedPayment> {
  let amount = 0n
  for await (const payment of payments) {
    amount += payment.amount
    yield { direction, payment }
  }
  if (!offset || amount === 0n) return
  const payment = { ...offset, accountKind: 'CHECKING', amount, individualId: OFFSET_ID, name } as const
  yield { direction: direction === 'CREDIT' ? 'DEBIT' : 'CREDIT', payment }
}

type EntryKind = Pick<AchBatch, 'direction' | 'isPrenote'>

function findTransactionCode(
  accountKind: AchPayment['accountKind'],
  { direction, isPrenote = false }: EntryKind,
): string {
  const [payment, prenote] = TRANSACTION_CODES[accountKind][direction]
  return isPrenote ? prenote : payment
}

/**
 * Writes the lines of one payment: its entry and its addenda. Throws UnwritablePayment; a payment that passes
 * here fits into any file. Text beyond one line is cut, because `checkAchText` rejects it before a payment is
 * made.
 */
export function writeAchEntry(
  { entryClass, direction, isPrenote = false }: EntryKind & Pick<AchBatch, 'entryClass'>,
  payment: AchPayment,
  originatingBank: string,
): readonly string[] {
  const { routingNumber, account, amount, individualId, traceSequence } = payment
  if (!isRoutingNumber(routingNumber)) throw new UnwritablePayment('the routing number is not valid')
  if (!isAchAccount(account))
    throw new UnwritablePayment('the account number must have 1 to 17 letters and digits')
  if (isPrenote && amount !== 0n) throw new UnwritablePayment('a prenote must not have an amount', 'amount')
  if (!isPrenote && (amount < 1n || amount > CENTS_MAX))
    throw new UnwritablePayment('the amount must be between 0.01 and 99999999.99 USD', 'amount')
  if (!/^[!-~](?:[ -~]{0,13}[!-~])?$/.test(individualId))
    throw new UnwritablePayment('the reference must have 1 to 15 ASCII characters')
  const text = toAddendaText(payment.remittanceInformation).slice(0, ADDENDA_CHARACTERS)
  const hasAddenda = text !== '' && ADDENDA_MAX[entryClass] > 0
  const sequence = String(traceSequence).padStart(7, '0')
  const entry = writeRecord('entry', {
    transactionCode: findTransactionCode(payment.accountKind, { direction, isPrenote }),
    receivingBank: routingNumber.slice(0, 8),
    checkDigit: routingNumber.slice(8),
    account,
    amount,
    individualId,
    name: toAchName(payment.name, 22, "the receiver's name"),
    discretionary: entryClass === 'WEB' || entryClass === 'TEL' ? SINGLE_ENTRY : '',
    addendaIndicator: hasAddenda ? 1 : 0,
    trace: `${originatingBank}${sequence}`,
  })
  if (!hasAddenda) return [entry]
  return [entry, writeRecord('addenda', { type: '05', text, sequence: 1, entrySequence: sequence })]
}

/** Throws UnwritablePayment for a text that an entry of this class cannot carry in full. */
export function checkAchText(entryClass: EntryClass, text: string | undefined): void {
  const { length } = toAddendaText(text)
  const charactersMax = ADDENDA_MAX[entryClass] * ADDENDA_CHARACTERS
  if (length > charactersMax)
    throw new UnwritablePayment(
      `the remittance information has ${length} characters, but ACH carries at most ${charactersMax} in ${entryClass} entries`,
      'remittanceInformation',
    )
}

/**
 * Finds the entry class of a payment. `debitClass` states how people authorize debits; defaults to in
 * writing.
 */
export function findEntryClass(
  isBusiness: boolean,
  direction: AchBatch['direction'],
  debitClass: 'PPD' | 'WEB' | 'TEL' = 'PPD',
): EntryClass {
  if (isBusiness) return 'CCD'
  return direction === 'DEBIT' ? debitClass : 'PPD'
}

function toAddendaText(text: string | undefined): string {
  return toAchText(text ?? '', 'the remittance information', 'remittanceInformation')
}

/**
 * Converts text to printable ASCII, without diacritics. Throws UnwritablePayment if a letter has no ASCII
 * spelling.
 */
function toAchText(text: string, label: string, part: PaymentPart = 'account'): string {
  const written = toLatin(text, undefined, /^[ -~]$/)
  const lost = [...written.matchAll(/[^ -~]/gu)].find(([character]) =>
    /[\p{Letter}\p{Number}]/u.test(character),
  )
  if (lost)
    throw new UnwritablePayment(`${label} contains the character ${lost[0]}, which ACH cannot carry`, part)
  return written
    .replaceAll(/[^ -~]/gu, '.')
    .replaceAll(/ +/g, ' ')
    .trim()
}

/** Like `toAchText`, for a name, which must contain at least one letter or digit. */
function toAchName(text: string, charactersMax: number, label: string): string {
  const written = toAchText(text, label)
  if (!/[A-Za-z0-9]/.test(written))
    throw new UnwritablePayment(`${label} has no letter or digit that ACH can carry`)
  return written.slice(0, charactersMax)
}

function writeFileHeader({ originator, date, time, modifier, reference }: AchFile): string {
  if (!isRoutingNumber(originator.destination))
    throw new RangeError('The destination is not a routing number')
  return writeRecord('fileHeader', {
    priority: '01',
    destination: ` ${originator.destination}`,
    origin: originator.origin.padStart(10),
    date: toShortDate(date),
    time: time.replace(':', ''),
    modifier,
    recordSize: '094',
    blockingFactor: '10',
    format: '1',
    destinationName: toAchName(originator.destinationName, 23, "the bank's name"),
    originName: toAchName(originator.originName, 23, "the originator's name"),
    reference,
  })
}

/** Builds the fields that the header and the control record of a batch share. */
function buildBatchEnds({ companyId, originatingBank }: AchOriginator, { direction, offset }: AchBatch) {
  const serviceClass = SERVICE_CLASSES[offset ? 'MIXED' : direction]
  return { serviceClass, companyId, originatingBank } as const
}

function writeBatchHeader(
  { companyName, description }: AchOriginator,
  { entryClass, effectiveDate, description: prescribed }: AchBatch,
  ends: ReturnType<typeof buildBatchEnds> & { readonly batchNumber: number },
): string {
  return writeRecord('batchHeader', {
    ...ends,
    companyName: toAchName(companyName, 16, 'the company name'),
    entryClass,
    description: prescribed ?? toAchName(description, 10, 'the description'),
    descriptiveDate: toShortDate(effectiveDate),
    effectiveDate: toShortDate(effectiveDate),
    originatorStatus: '1',
  })
}

function toControl({ entries, hash, debits, credits }: AchTotals) {
  return { entries, hash, debits, credits }
}

/** Converts `YYYY-MM-DD` to `YYMMDD`. */
function toShortDate(date: string): string {
  return date.slice(2).replaceAll('-', '')
}
