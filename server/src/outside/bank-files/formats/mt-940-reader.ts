import { isValidIBAN } from 'ibantools'
import { readMtBalance } from '../../../base/formats/mt-940.ts'
import type { BankBalance, BankRecord, StatementHead } from './camt.ts'
import { BookedSums } from './camt-sums.ts'
import { findDecimals, parseUnits, quoteForMessage } from './decimal-amounts.ts'
import { parseEntry } from './mt-940-entry.ts'
import { type MtField, readMtParts } from './mt-940-fields.ts'
import { MtTotals } from './mt-940-totals.ts'
import { UnreadableFile, UnreadablePart } from './unreadable-file.ts'

/** Reads files with SWIFT statements (MT940) and interim reports (MT942). */

/**
 * Reads a file one entry at a time. Throws UnreadableFile if a message is incomplete or has fields in the
 * wrong order, because its entries could then belong to a different account. Use it with `readTwice`.
 */
export async function* readMt940(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BankRecord> {
  const parser = new Mt940Parser()
  for await (const part of readMtParts(bytes))
    yield* part.type === 'end' ? parser.endMessage() : parser.take(part)
  yield* parser.endFile()
}

/** A message that has begun with a field 20. */
interface OpenMessage {
  readonly line: number
  readonly message: string | undefined
  readonly reference: string
  account: string | undefined
  number: string | null
  page: number | null
  /** Determined by a statement's opening balance, or by a report's floor limit. */
  kind: 'STATEMENT' | 'REPORT' | undefined
  currency: string | null
  createdAt: string | null
  opening: BankBalance | undefined
  closing: BankBalance | undefined
  /** Available balances, which are only informative. */
  readonly available: BankBalance[]
  readonly booked: BookedSums
  readonly totals: MtTotals
  entries: number
  unread: number
}

class Mt940Parser {
  #message: OpenMessage | undefined
  #messages = 0
  /** A field 61, which may be followed by more fields 86. */
  #line: { readonly field: MtField; readonly information: MtField[] } | undefined

  take(field: MtField): readonly BankRecord[] {
    try {
      return this.#take(field)
    } catch (error) {
      if (error instanceof UnreadablePart) this.#refuse(field, error.message)
      throw error
    }
  }

  endFile(): readonly BankRecord[] {
    const records = this.endMessage()
    if (this.#messages === 0) throw new UnreadableFile('has no message')
    return records
  }

  endMessage(): readonly BankRecord[] {
    const message = this.#message
    if (!message) return []
    const records = [...this.#endLine(), this.#end(message)]
    this.#message = undefined
    return records
  }

  #take(field: MtField): readonly BankRecord[] {
    const { tag } = field
    if (tag === '20') {
      const records = this.endMessage()
      this.#begin(field)
      return records
    }
    const message = this.#message
    if (!message) throw new UnreadablePart('is outside of a message')
    if (tag === '86') {
      // Information after the closing balance concerns the whole statement.
      if (!message.closing) this.#line?.information.push(field)
      return []
    }
    const records = this.#endLine()
    if (tag === '61') this.#beginLine(field, message)
    else readHead(field, message)
    return records
  }

  #begin(field: MtField): void {
    const { line, message } = field
    if (message !== undefined && message !== '940' && message !== '942')
      throw new UnreadableFile(`line ${line}: is an MT${message}; supported messages are MT940 and MT942`)
    this.#messages += 1
    this.#message = {
      ...{ line, message, reference: readFirstLine(field), account: undefined, number: null, page: null },
      ...{ kind: message === '942' ? 'REPORT' : undefined, currency: null, createdAt: null },
      ...{ opening: undefined, closing: undefined, available: [], booked: new BookedSums() },
      ...{ totals: new MtTotals(), entries: 0, unread: 0 },
    }
  }

  #beginLine(field: MtField, { account, kind, closing }: OpenMessage): void {
    if (account === undefined) throw new UnreadablePart('comes before its account (25)')
    if (kind === undefined) throw new UnreadablePart('comes before its opening balance (60)')
    if (closing) throw new UnreadablePart('comes after its closing balance (62)')
    this.#line = { field, information: [] }
  }

  #endLine(): readonly BankRecord[] {
    const [message, line] = [this.#message, this.#line]
    this.#line = undefined
    if (!message || !line) return []
    const place = message.entries
    message.entries += 1
    const statement = toHead(message, null)
    const found = parseEntry(line.field, line.information, message.currency ?? '', place)
    if ('unread' in found) {
      const { amount, currency } = found.unread
      message.unread += 1
      const money =
        amount === null || currency === null
          ? { reason: found.unread.reason }
          : { read: { amount, currency } }
      message.booked.addUnread('BOOK', money)
      message.totals.add(amount)
      return [{ type: 'unread', statement, entry: place, ...found.unread }]
    }
    const { entry, transaction } = found.read
    message.booked.add(entry)
    message.totals.add(entry.amount)
    const entryRecord = {
      type: 'entry',
      ...{ statement, entry, unread: 0, transactions: transaction ? 1 : 0 },
      transactionsTotal: transaction ? entry.amount : 0n,
    } as const
    return [
      ...(transaction ? [{ type: 'transaction', statement, entry, transaction } as const] : []),
      entryRecord,
    ]
  }

  #end(message: OpenMessage): BankRecord {
    const { line, kind, opening, closing, available, booked, totals, entries, unread, currency } = message
    const incomplete = (missing: string) => new UnreadableFile(`line ${line}: the message has no ${missing}`)
    if (message.account === undefined) throw incomplete('account (25)')
    if (kind === undefined) throw incomplete('opening balance (60)')
    const balances = [opening, closing].filter((one) => one !== undefined)
    if (kind === 'REPORT') {
      const contradiction = totals.contradiction()
      const sum = booked.sumIn(currency ?? undefined)
      const statement = toHead(message, null)
      return { type: 'statement', statement, balances: [], entries, booked: sum, unread, contradiction }
    }
    if (!opening || !closing) throw incomplete('closing balance (62)')
    const ends = [
      { ...opening, type: 'OPBD' },
      { ...closing, type: 'CLBD' },
    ]
    return {
      ...{ type: 'statement', statement: toHead(message, findPage(message)), entries, unread },
      balances: [...balances, ...available],
      booked: booked.sumIn(opening.currency),
      contradiction: booked.contradictionTo(ends) ?? totals.contradiction(),
    }
  }

  #refuse({ line, tag }: MtField, reason: string): never {
    throw new UnreadableFile(`line ${line}: field ${tag} ${reason}`)
  }
}

/** Reads a field that is neither an entry nor information about one. Unknown fields are skipped. */
function readHead(field: MtField, message: OpenMessage): void {
  const { tag } = field
  if (tag === '25' || tag === '25P') beginAccount(field, message)
  else if (tag === '28' || tag === '28C') readNumber(field, message)
  else if (tag === '34F') readFloor(field, message)
  else if (tag === '13' || tag === '13D') message.createdAt = readFirstLine(field)
  else if (/^60[FM]$/.test(tag)) readOpening(field, message)
  else if (/^62[FM]$/.test(tag)) readClosing(field, message)
  else if (tag === '64' || tag === '65') readAvailable(field, message)
  else if (tag === '90D' || tag === '90C') readTotal(field, message)
}

function beginAccount(field: MtField, message: OpenMessage): void {
  if (message.account !== undefined) throw new UnreadablePart('occurs twice in its message')
  const account = parseAccount(field)
  if (!/[A-Za-z0-9]/.test(account)) throw new UnreadablePart(`has the account ${quoteForMessage(account)}`)
  message.account = account
}

const ACCOUNT_CHARACTERS_MAX = 50

/**
 * Parses the account number, without the currency that some banks append and the BIC that others prepend. A
 * German bank code is kept, followed by the account number in ten digits.
 */
function parseAccount(field: MtField): string {
  const written = (field.lines[0] ?? '').trim().slice(0, ACCOUNT_CHARACTERS_MAX)
  const [, germanBankCode, number = ''] = /^(\d{8})\/(\d{1,10})(?:[A-Z]{3})?$/.exec(written) ?? []
  if (germanBankCode !== undefined) return `${germanBankCode}/${number.padStart(10, '0')}`
  const parts = written.split('/').filter((part) => part.trim() !== '')
  const [first = '', ...others] = parts
  const last = others.at(-1) ?? ''
  const withoutCurrency = /^[A-Z]{3}$/.test(last) && parts.length > 1 ? parts.slice(0, -1) : parts
  const isBic = withoutCurrency.length > 1 && /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(first)
  const account = (isBic ? withoutCurrency.slice(1) : withoutCurrency).join('/').trim()
  const shortened = account.replace(/\s*[A-Z]{3}$/, '')
  const isNumber = isValidIBAN(shortened.replaceAll(' ', '')) || /^[\d. -]+$/.test(shortened)
  return shortened !== account && isNumber ? shortened : account
}

function readNumber(field: MtField, message: OpenMessage): void {
  const [, number, page] = /^(\d{1,10})(?:\/(\d{1,5}))?/.exec(readFirstLine(field)) ?? []
  message.number = number?.replace(/^0+(?=.)/, '') ?? null
  message.page = page === undefined ? null : Number(page)
}

function readFloor(field: MtField, message: OpenMessage): void {
  const [currency] = /^[A-Z]{3}/.exec(readFirstLine(field)) ?? []
  // Only interim reports have a floor limit.
  message.kind = 'REPORT'
  message.currency ??= currency ?? null
}

function readOpening(field: MtField, message: OpenMessage): void {
  if (message.opening) throw new UnreadablePart('occurs twice in its message')
  if (message.entries > 0) throw new UnreadablePart('comes after an entry')
  const opening = parseBalance(field, field.tag === '60F' ? 'OPBD' : 'ITBD')
  message.opening = opening
  message.currency = opening.currency
  message.kind ??= 'STATEMENT'
}

function readClosing(field: MtField, message: OpenMessage): void {
  if (message.closing) throw new UnreadablePart('occurs twice in its message')
  const closing = parseBalance(field, field.tag === '62F' ? 'CLBD' : 'ITBD')
  if (message.opening && closing.currency !== message.opening.currency)
    throw new UnreadablePart(
      `is in ${closing.currency}, but the opening balance is in ${message.opening.currency}`,
    )
  message.closing = closing
}

function parseBalance(field: MtField, type: string): BankBalance {
  const balance = readMtBalance(readFirstLine(field))
  if (balance?.date === undefined || findDecimals(balance.currency) === undefined)
    throw new UnreadablePart(`has the balance ${quoteForMessage(readFirstLine(field))}`)
  const { isDebit, date, currency, figure } = balance
  const size = parseUnits(figure, currency)
  return { type, amount: isDebit ? -size : size, currency, date }
}

/** Reads an available balance. Skips an unreadable one, because nothing depends on it. */
function readAvailable(field: MtField, message: OpenMessage): void {
  try {
    message.available.push(parseBalance(field, field.tag === '64' ? 'CLAV' : 'FWAV'))
  } catch (error) {
    if (!(error instanceof UnreadablePart)) throw error
  }
}

/** Reads the number and the sum of all debits or credits: `12EUR1250,00`. */
function readTotal(field: MtField, message: OpenMessage): void {
  const [, count, currency = '', figure = ''] =
    /^(\d{1,5})([A-Z]{3})(\d{1,18}(?:,\d*)?)$/.exec(readFirstLine(field)) ?? []
  if (count === undefined) throw new UnreadablePart(`has the total ${quoteForMessage(readFirstLine(field))}`)
  message.currency ??= currency
  const amount = parseUnits(figure.replace(',', '.'), currency)
  message.totals.state(field.tag, { count: Number(count), amount })
}

/** Finds the page. A statement with several pages has intermediate balances between them. */
function findPage({ page, opening, closing }: OpenMessage): StatementHead['page'] {
  const isSinglePage = opening?.type === 'OPBD' && closing?.type === 'CLBD'
  return isSinglePage || page === null ? null : { number: page, isLast: closing?.type === 'CLBD' }
}

/** Builds the header of a message, whose page is known only at the end. */
function toHead(message: OpenMessage, page: StatementHead['page']): StatementHead {
  const { kind = 'REPORT', reference, account = null, number, currency, createdAt } = message
  return {
    kind,
    id: `${account} ${number ?? reference}`,
    ...{ number, account, currency, page, createdAt },
    ...{ period: null, copyDuplicate: null },
  }
}

function readFirstLine(field: MtField): string {
  return (field.lines[0] ?? '').trim()
}
