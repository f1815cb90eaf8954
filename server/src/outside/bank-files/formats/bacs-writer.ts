import { BACS_TEXT_CHARACTERS, toBacsName } from './bacs-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'

/**
 * Writes payments and mandate instructions as a Bacs Standard 18 file for one processing day, with labels of
 * 80 characters and records of 100.
 */

/**
 * Transaction codes:
 * - `99`: a credit
 * - `01`, `17`, `19`: a mandate's first, later and last collection
 * - `0N`, `0C`: a new and a canceled mandate (AUDDIS)
 */
export type BacsCode = '99' | '01' | '17' | '19' | '0N' | '0C'

/** The Bacs service user, at its bank. */
export interface BacsOriginator {
  readonly serviceUserNumber: string
  /** Only the first 18 characters are written. */
  readonly name: string
  readonly sortCode: string
  readonly accountNumber: string
}

export interface BacsItem {
  readonly code: BacsCode
  readonly sortCode: string
  readonly account: string
  /** In pence. Zero for `0N` and `0C`. */
  readonly amount: bigint
  /** At most 18 characters, shown to both sides. For a debit, the mandate's reference. */
  readonly reference: string
  readonly name: string
}

export interface BacsFile {
  readonly originator: BacsOriginator
  /** `YYYY-MM-DD`. */
  readonly madeOn: string
  readonly processedOn: string
  /** The file's number, starting at 1. */
  readonly number: bigint
  /** The name of the file on our statement, at most 18 characters. */
  readonly narrative: string
}

/** The largest amount of a record in pence, and therefore the largest sum of a file. */
export const BACS_AMOUNT_MAX = 99_999_999_999n
const SERIALS_MAX = 999_999n
const FILE_NUMBERS = 1_000n
const RETENTION_DAYS = 7
const LABEL_CHARACTERS = 80
const LINE_END = '\r\n'
const PIECE_CHARACTERS = 64 * 1024
const RECORD_FORMAT = `F0200000100${' '.repeat(35)}00`

/**
 * Writes a file in chunks and in constant memory. A contra record balances the items that move money. Throws
 * UnwritablePayment for content that a record cannot carry, and RangeError for a sum that exceeds the contra
 * record.
 */
export async function* writeBacs(file: BacsFile, items: AsyncIterable<BacsItem>): AsyncGenerator<string> {
  const totals = new Totals()
  const headers = buildHeaders(file)
  let piece = ''
  const add = (line: string) => {
    piece += `${line}${LINE_END}`
  }
  for (const line of headers) add(line)
  for await (const item of items) {
    totals.add(item.code, item.amount)
    add(writeBacsRecord(item, file.originator))
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  const contra = totals.findContra()
  if (contra) {
    totals.add(contra.code, contra.amount)
    add(writeContraRecord(file, contra))
  }
  for (const label of headers.slice(1, 3)) add(label.replace('HDR', 'EOF'))
  add(totals.formatLabel())
  yield piece
}

/** Writes the record of one item. Throws UnwritablePayment; an item that passes here fits into any file. */
export function writeBacsRecord(item: BacsItem, originator: BacsOriginator): string {
  const { code, sortCode, account, amount, reference } = item
  if (!/^\d{6}$/.test(sortCode)) throw new UnwritablePayment('the sort code must have 6 digits')
  if (!/^\d{8}$/.test(account)) throw new UnwritablePayment('the account number must have 8 digits')
  if (isInstruction(code) ? amount !== 0n : amount < 1n || amount > BACS_AMOUNT_MAX)
    throw new UnwritablePayment('the amount must be between 0.01 and 999999999.99 GBP', 'amount')
  if (!/^[A-Z0-9](?:[A-Z0-9.&/ -]{0,16}[A-Z0-9.&/-])?$/.test(reference))
    throw new UnwritablePayment('the reference must have 1 to 18 characters of the Bacs character set')
  const name = toBacsName(item.name, "the account holder's name")
  return formatRecord(item, originator, {
    originatorText: toBacsName(originator.name, "the originator's name"),
    reference,
    name,
  })
}

function isInstruction(code: BacsCode): boolean {
  return code === '0N' || code === '0C'
}

function writeContraRecord({ originator, narrative }: BacsFile, { code, amount }: Contra): string {
  if (amount > BACS_AMOUNT_MAX) throw new RangeError(`The sum ${amount} does not fit into a contra record`)
  const { sortCode, accountNumber: account, name } = originator
  return formatRecord({ code, sortCode, account, amount }, originator, {
    originatorText: narrative,
    reference: 'CONTRA',
    name: toBacsName(name, "the originator's name"),
  })
}

interface RecordTexts {
  readonly originatorText: string
  readonly reference: string
  readonly name: string
}

function formatRecord(
  { code, sortCode, account, amount }: Pick<BacsItem, 'code' | 'sortCode' | 'account' | 'amount'>,
  originator: BacsOriginator,
  texts: RecordTexts,
): string {
  const [from, reference, to] = [texts.originatorText, texts.reference, texts.name].map((text) =>
    text.padEnd(BACS_TEXT_CHARACTERS),
  )
  const ours = `${originator.sortCode}${originator.accountNumber}`
  return `${sortCode}${account}0${code}${ours}    ${padDigits(amount, 11)}${from}${reference}${to}`
}

/** Builds the labels VOL1, HDR1, HDR2 and UHL1. */
function buildHeaders({ originator, madeOn, processedOn, number }: BacsFile): readonly string[] {
  const { serviceUserNumber: user } = originator
  // A serial number must not be zero.
  const serial = padDigits(((number - 1n) % SERIALS_MAX) + 1n, 6)
  const dates = `${formatJulian(madeOn)}${formatJulian(processedOn, RETENTION_DAYS)}`
  return [
    `VOL1${serial}${' '.repeat(31)}${user}${' '.repeat(32)}1`,
    padLabel(`HDR1A${user}S   ${user}${serial}00010001${' '.repeat(6)}${dates} 000000`),
    padLabel(`HDR2${RECORD_FORMAT}`),
    // 999999 stands for Bacs, and 00 for pounds.
    padLabel(
      `UHL1${formatJulian(processedOn)}999999    000000001 DAILY  ${padDigits(number % FILE_NUMBERS, 3)}`,
    ),
  ]
}

function padLabel(text: string): string {
  return text.padEnd(LABEL_CHARACTERS)
}

function padDigits(number: bigint, width: number): string {
  return String(number).padStart(width, '0')
}

/** Formats a date as ` YYDDD`, with the day of the year. */
function formatJulian(date: string, plusDays = 0): string {
  const day = Date.parse(`${date}T00:00:00Z`) / DAY_MS + plusDays
  const year = new Date(day * DAY_MS).getUTCFullYear()
  const dayOfYear = day - Date.UTC(year, 0, 1) / DAY_MS + 1
  return ` ${String(year).slice(2)}${String(dayOfYear).padStart(3, '0')}`
}

const DAY_MS = 86_400_000

interface Contra {
  readonly code: '17' | '99'
  readonly amount: bigint
}

/** The sums and counts of a file. */
class Totals {
  #debits = 0n
  #credits = 0n
  #debitCount = 0n
  #creditCount = 0n
  #instructions = 0n

  add(code: BacsCode, amount: bigint): void {
    if (isInstruction(code)) this.#instructions += 1n
    else if (code === '99') {
      this.#credits += amount
      this.#creditCount += 1n
    } else {
      this.#debits += amount
      this.#debitCount += 1n
    }
  }

  /** Finds the contra record that balances the credits or the debits. A file contains only one of the two. */
  findContra(): Contra | undefined {
    if (this.#debitCount > 0n && this.#creditCount > 0n)
      throw new RangeError('A Bacs file must not contain both credits and debits')
    if (this.#creditCount > 0n) return { code: '17', amount: this.#credits }
    return this.#debitCount > 0n ? { code: '99', amount: this.#debits } : undefined
  }

  formatLabel(): string {
    const sums = `${padDigits(this.#debits, 13)}${padDigits(this.#credits, 13)}`
    const counts = `${padDigits(this.#debitCount, 7)}${padDigits(this.#creditCount, 7)}`
    const instructions = this.#instructions > 0n ? `${' '.repeat(8)}${padDigits(this.#instructions, 7)}` : ''
    return padLabel(`UTL1${sums}${counts}${instructions}`)
  }
}
