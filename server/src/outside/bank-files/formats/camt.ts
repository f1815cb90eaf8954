import { requireValue } from '../../../base/formats/require-value.ts'
import { applyDirection, isTrue, parseMoney } from './camt-details.ts'
import { addText, type BankEntry, parseEntry, toCalendarDate } from './camt-entry.ts'
import { BookedSums } from './camt-sums.ts'
import { addEntryText, type BankTransaction, parseTransaction } from './camt-transaction.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { formatRaw, RAW_CHARACTERS_MAX, readPart, toUnreadPart, type UnreadPart } from './unread-part.ts'
import { UnreadablePart } from './unreadable-file.ts'
import {
  type DocumentReader,
  findElement,
  findText,
  listElements,
  type XmlElement,
  type XmlRecord,
} from './xml-records.ts'

/**
 * Reads messages about an account: statements (camt.053), intraday reports (camt.052) and advices (camt.054).
 */

const KINDS = {
  STATEMENT: 'BkToCstmrStmt/Stmt',
  REPORT: 'BkToCstmrAcctRpt/Rpt',
  ADVICE: 'BkToCstmrDbtCdtNtfctn/Ntfctn',
} as const
const ALL_KINDS = ['STATEMENT', 'REPORT', 'ADVICE'] as const
/** A report covers an unfinished day, so it never counts as money. */
export type StatementKind = (typeof ALL_KINDS)[number]

const RECORDS: ReadonlySet<string> = new Set(
  Object.values(KINDS).flatMap((path) => [path, `${path}/Ntry`, `${path}/Ntry/NtryDtls/TxDtls`]),
)

/** The header of a statement, a report or an advice. */
export interface StatementHead {
  readonly kind: StatementKind
  readonly id: string
  /** The bank's sequence number. */
  readonly number: string | null
  /** An IBAN or the bank's own account number. */
  readonly account: string | null
  readonly currency: string | null
  /** Null if the bank does not use pages. All pages of a statement have the same id. */
  readonly page: { readonly number: number; readonly isLast: boolean } | null
  /** ISO 8601, with or without a time zone. */
  readonly period: { readonly from: string; readonly to: string } | null
  readonly createdAt: string | null
  /** `COPY`, `DUPL` or `CODU` (both) if the message is a repeat. */
  readonly copyDuplicate: string | null
}

export interface BankBalance {
  /** `OPBD`, `CLBD`, `CLAV` … */
  readonly type: string
  /** Signed, in smallest units. */
  readonly amount: bigint
  readonly currency: string
  /** `YYYY-MM-DD`. */
  readonly date: string
}

/** The records of a file in order: the transactions of an entry, the entry, and finally the statement. */
export type BankRecord =
  | {
      readonly type: 'transaction'
      readonly statement: StatementHead
      readonly entry: BankEntry
      readonly transaction: BankTransaction
    }
  | {
      readonly type: 'entry'
      readonly statement: StatementHead
      readonly entry: BankEntry
      /** The number of its transactions. If 0, only the entry itself is known. */
      readonly transactions: number
      /** The sum of its transactions. Null if one has no amount, has another currency, or cannot be read. */
      readonly transactionsTotal: bigint | null
      /** The number of its transactions that cannot be read. */
      readonly unread: number
    }
  | {
      readonly type: 'statement'
      readonly statement: StatementHead
      readonly balances: readonly BankBalance[]
      /** The number of its entries, including unreadable ones. */
      readonly entries: number
      /** The sum of the readable booked entries in the account's currency. */
      readonly booked: bigint
      /** The number of its parts that cannot be read. */
      readonly unread: number
      /** Explains how its balances and entries contradict each other. Null if they do not. */
      readonly contradiction: string | null
    }
  | ({
      readonly type: 'unread'
      /** Null if not even the header of its statement is readable. */
      readonly statement: StatementHead | null
      /** The position of its entry. Null if it belongs to no entry. */
      readonly entry: number | null
    } & UnreadPart)

type Entry = { readonly read: BankEntry } | { readonly reason: string }

/** Reads one document in constant memory, regardless of the number of entries and transactions. */
export class CamtReader implements DocumentReader<BankRecord> {
  readonly records = RECORDS
  #head: { readonly read: StatementHead } | { readonly reason: string } | undefined
  #statements = 0
  #entries = 0
  #booked = new BookedSums()
  #unread = 0
  #entry: Entry | undefined
  /** The first transaction of an entry, held back until it is known whether it is the only one. */
  #held: BankTransaction | undefined
  #details = 0
  #transactions = 0
  #transactionsTotal: bigint | null = 0n
  #unreadTransactions = 0
  /** The raw transactions of an unreadable entry. */
  #rawDetails = ''

  take({ path, element, within }: XmlRecord): readonly BankRecord[] {
    const kind = requireValue(
      ALL_KINDS.find((one) => path.startsWith(KINDS[one])),
      'kind of a record',
    )
    // `within` is the document, the message, the statement and, for a transaction, its entry.
    const [, message, head, entry] = within
    const statement = path === KINDS[kind] ? element : requireValue(head, 'statement around a record')
    this.#readHead(kind, statement, message)
    if (path === KINDS[kind]) return this.#endStatement(element)
    if (path.endsWith('/TxDtls'))
      return this.#readTransaction(element, requireValue(entry, 'entry around a transaction'))
    return this.#finishEntry(element)
  }

  takeForeign({ path, element, within }: XmlRecord): readonly BankRecord[] {
    const [, message, statement] = within
    const kind = ALL_KINDS.find((one) => path.startsWith(`${KINDS[one]}/`))
    // Elements outside a message, such as the document's signature, book nothing.
    if (!message) return []
    if (kind && statement) {
      this.#readHead(kind, statement, message)
      this.#unread += 1
      // The element may be an entry, so the sum is no longer known.
      this.#booked.hasUnknown = true
    }
    const reason = `has an element of another namespace, ${quoteForMessage(element.name)}`
    return [this.#toUnread(toUnreadPart(path, reason, formatRaw(element)), null)]
  }

  end(): readonly BankRecord[] {
    if (this.#statements > 0) return []
    return [this.#toUnread(toUnreadPart('document', 'has no statement, no report and no advice', ''), null)]
  }

  #readHead(kind: StatementKind, statement: XmlElement, message: XmlElement | undefined): void {
    this.#head ??= readPart(() => parseHead(kind, statement, message))
  }

  #readTransaction(element: XmlElement, within: XmlElement): BankRecord[] {
    this.#entry ??= readPart(() => parseEntry(within, this.#entries))
    const { statement, entry } = { statement: this.#findHead(), entry: this.#entry }
    this.#details += 1
    // The entry is unreadable and waits completely.
    if (!statement || !('read' in entry)) {
      this.#rawDetails = (this.#rawDetails + formatRaw(element)).slice(0, RAW_CHARACTERS_MAX)
      return []
    }
    const place = this.#details - 1
    const part = readPart(() => parseTransaction(element, entry.read, place))
    const before = this.#release(statement, entry.read)
    if (!('read' in part)) {
      this.#unread += 1
      this.#unreadTransactions += 1
      this.#transactionsTotal = null
      const label = `transaction ${place + 1} of entry ${entry.read.place + 1}`
      return [
        ...before,
        this.#toUnread(toUnreadPart(label, part.reason, formatRaw(element)), entry.read.place),
      ]
    }
    this.#count(part.read, entry.read)
    if (this.#details > 1)
      return [...before, { type: 'transaction', statement, entry: entry.read, transaction: part.read }]
    this.#held = part.read
    return before
  }

  #count({ amount, currency }: BankTransaction, entry: BankEntry): void {
    this.#transactions += 1
    const isSummed = amount !== null && currency === entry.currency
    this.#transactionsTotal =
      isSummed && this.#transactionsTotal !== null ? this.#transactionsTotal + amount : null
  }

  /** Releases the first transaction of an entry, which was held back. */
  #release(statement: StatementHead, entry: BankEntry, isOnly = false): BankRecord[] {
    const held = this.#held
    this.#held = undefined
    if (!held) return []
    const transaction = isOnly ? addEntryText(held, entry) : held
    return [{ type: 'transaction', statement, entry, transaction }]
  }

  #finishEntry(element: XmlElement): readonly BankRecord[] {
    const records = this.#endEntry(this.#parseWholeEntry(element), element)
    this.#entries += 1
    this.#entry = undefined
    this.#held = undefined
    this.#details = 0
    this.#transactions = 0
    this.#transactionsTotal = 0n
    this.#unreadTransactions = 0
    this.#rawDetails = ''
    return records
  }

  /** An error after an entry's transactions does not withdraw them. */
  #parseWholeEntry(element: XmlElement): Entry {
    const whole = readPart(() => parseEntry(element, this.#entries))
    if ('read' in whole || !this.#entry || !('read' in this.#entry)) return whole
    return { read: addText(this.#entry.read, element) }
  }

  #endEntry(entry: Entry, element: XmlElement): readonly BankRecord[] {
    const statement = this.#findHead()
    // A statement without a readable header waits completely.
    if (!statement) return []
    if (!('read' in entry)) return [this.#unreadEntry(entry.reason, element)]
    this.#booked.add(entry.read)
    // The transactions came before fields on which they depend, so they are unread.
    const isLate = this.#entry !== undefined && !('read' in this.#entry)
    return [
      ...this.#release(statement, entry.read, this.#details === 1),
      {
        type: 'entry',
        statement,
        entry: entry.read,
        transactions: this.#transactions,
        transactionsTotal: isLate ? null : this.#transactionsTotal,
        unread: isLate ? this.#details : this.#unreadTransactions,
      },
    ]
  }

  #unreadEntry(reason: string, element: XmlElement): BankRecord {
    this.#unread += 1
    const label = `entry ${this.#entries + 1}`
    const money = readPart(() => {
      const { amount, currency } = parseMoney(findElement(element, 'Amt'), label)
      return { amount: applyDirection(element, amount, label), currency }
    })
    this.#booked.addUnread(findText(element, 'Sts/Cd', 'Sts/Prtry', 'Sts'), money)
    const part = toUnreadPart(
      label,
      reason,
      formatRaw(element) + this.#rawDetails,
      'read' in money ? money.read : undefined,
    )
    return this.#toUnread(part, this.#entries)
  }

  #endStatement(element: XmlElement): readonly BankRecord[] {
    const head = requireValue(this.#head, 'head of a statement')
    this.#statements += 1
    const records = 'read' in head ? this.#finishStatement(head.read, element) : []
    if (!('read' in head))
      records.push(
        this.#toUnread(toUnreadPart(`statement ${this.#statements}`, head.reason, formatRaw(element)), null),
      )
    this.#head = undefined
    this.#entries = 0
    this.#booked = new BookedSums()
    this.#unread = 0
    return records
  }

  #finishStatement(statement: StatementHead, element: XmlElement): BankRecord[] {
    const records: BankRecord[] = []
    const balances: BankBalance[] = []
    for (const [index, one] of listElements(element, 'Bal').entries()) {
      const balance = readPart(() => parseBalance(one))
      if ('read' in balance) balances.push(balance.read)
      else {
        this.#unread += 1
        records.push(
          this.#toUnread(toUnreadPart(`balance ${index + 1}`, balance.reason, formatRaw(one)), null),
        )
      }
    }
    const contradiction = isSinglePage(statement) ? this.#booked.contradictionTo(balances) : null
    const booked = this.#booked.sumIn(statement.currency ?? balances[0]?.currency)
    records.push({
      type: 'statement',
      statement,
      balances,
      entries: this.#entries,
      booked,
      unread: this.#unread,
      contradiction,
    })
    return records
  }

  #findHead(): StatementHead | undefined {
    return this.#head && 'read' in this.#head ? this.#head.read : undefined
  }

  #toUnread(part: UnreadPart, entry: number | null): BankRecord {
    return { type: 'unread', statement: this.#findHead() ?? null, entry, ...part }
  }
}

function parseHead(kind: StatementKind, element: XmlElement, message: XmlElement | undefined): StatementHead {
  const id = findText(element, 'Id')
  if (id === undefined) throw new UnreadablePart('has a statement without an id')
  const period = [findText(element, 'FrToDt/FrDtTm'), findText(element, 'FrToDt/ToDtTm')] as const
  return {
    kind,
    id,
    number: findText(element, 'ElctrncSeqNb', 'LglSeqNb') ?? null,
    account: findText(element, 'Acct/Id/IBAN', 'Acct/Id/Othr/Id') ?? null,
    currency: findText(element, 'Acct/Ccy') ?? null,
    page: parsePage(element, message),
    period: period[0] && period[1] ? { from: period[0], to: period[1] } : null,
    createdAt: findText(element, 'CreDtTm') ?? findText(message, 'GrpHdr/CreDtTm') ?? null,
    copyDuplicate: findText(element, 'CpyDplctInd') ?? null,
  }
}

/** From version .03 on, statements have pages; before that, messages have them. */
function parsePage(element: XmlElement, message: XmlElement | undefined): StatementHead['page'] {
  const pagination = ['StmtPgntn', 'RptPgntn', 'NtfctnPgntn'].map((name) => findElement(element, name))
  const page = pagination.find((one) => one !== undefined) ?? findElement(message, 'GrpHdr/MsgPgntn')
  const number = findText(page, 'PgNb')
  if (number === undefined || !/^\d{1,5}$/.test(number)) return null
  const isLast = findText(page, 'LastPgInd')
  return { number: Number(number), isLast: isLast === undefined || isTrue(isLast) }
}

function parseBalance(element: XmlElement): BankBalance {
  const type = findText(element, 'Tp/CdOrPrtry/Cd', 'Tp/CdOrPrtry/Prtry')
  const date = toCalendarDate(findText(element, 'Dt/Dt', 'Dt/DtTm') ?? '')
  if (type === undefined || date === undefined)
    throw new UnreadablePart('has a balance without its type or date')
  const { amount, currency } = parseMoney(findElement(element, 'Amt'), 'a balance')
  return { type, amount: applyDirection(element, amount, 'a balance'), currency, date }
}

/** A statement of several pages has its balances on the first and last pages. */
function isSinglePage({ page }: StatementHead): boolean {
  return page === null || (page.number === 1 && page.isLast)
}
