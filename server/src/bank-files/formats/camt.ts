import { type BankEntry, directed, entryOf, moneyOf } from './camt-entry.ts'
import { type BankTransaction, transactionOf } from './camt-transaction.ts'
import { shown } from './decimal-amounts.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { allBelow, below, readXmlRecords, textBelow, type XmlElement, type XmlRecord } from './xml-records.ts'

/** What happened on an account, by its bank: statements (camt.053) and advices (camt.054), in versions .08 and .02. */

const KINDS = { STATEMENT: 'BkToCstmrStmt/Stmt', ADVICE: 'BkToCstmrDbtCdtNtfctn/Ntfctn' } as const
type Kind = keyof typeof KINDS

const RECORDS = Object.values(KINDS).flatMap((path) => [path, `${path}/Ntry`, `${path}/Ntry/NtryDtls/TxDtls`])

export const CAMT_NAMESPACES = ['053.001.08', '054.001.08', '053.001.02', '054.001.02'].map(
  (version) => `urn:iso:std:iso:20022:tech:xsd:camt.${version}`,
)

/** The head of a statement or an advice. */
export interface StatementHead {
  readonly kind: Kind
  readonly id: string
  /** The bank's number of it, which counts on by one. */
  readonly number: string | null
  /** IBAN, or the bank's own number. */
  readonly account: string | null
  readonly currency: string | null
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

/** What comes out of a file, in its order: each transaction of an entry, then the entry, at the end its statement. */
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
      /** How many transactions were given before it. With none, the entry itself is all that is known. */
      readonly transactions: number
      /** Their sum; null where one is without an amount or in another currency. */
      readonly transactionsTotal: bigint | null
    }
  | {
      readonly type: 'statement'
      readonly statement: StatementHead
      readonly balances: readonly BankBalance[]
      readonly entries: number
      /** The sum of the entries that are booked, where all are in the currency of the account. */
      readonly booked: bigint
    }

/**
 * Reads a file of statements or advices, in flat memory, however many entries it has and however many transactions one entry
 * has. Throws UnreadableFile, also where the booked entries of a statement do not lead from its opening to its closing balance;
 * use it with `readTwice`.
 */
export async function* readCamt(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BankRecord> {
  const reading = new Reading()
  let statements = 0
  const paths = { namespaces: CAMT_NAMESPACES, records: RECORDS }
  for await (const found of readXmlRecords(bytes, paths, (record) => reading.take(record))) {
    if (found.type === 'statement') statements += 1
    yield found
  }
  if (statements === 0) throw new UnreadableFile('has no statement and no advice')
}

/** What is counted while an entry and a statement are under way. */
class Reading {
  #head: StatementHead | undefined
  #entries = 0
  #booked = 0n
  #entry: BankEntry | undefined
  #transactions = 0
  #transactionsTotal: bigint | null = 0n

  take({ path, element, within }: XmlRecord): BankRecord {
    const kind: Kind = path.startsWith(KINDS.STATEMENT) ? 'STATEMENT' : 'ADVICE'
    if (path === KINDS[kind]) return this.#statement(kind, element)
    // The document, the message, the statement, and for a transaction its entry.
    const statement = this.#headOf(kind, within[2]!)
    if (path.endsWith('/TxDtls')) return this.#transaction(statement, element, within[3]!)
    return this.#finishEntry(statement, element)
  }

  #headOf(kind: Kind, statement: XmlElement): StatementHead {
    this.#head ??= headOf(kind, statement)
    return this.#head
  }

  #transaction(statement: StatementHead, element: XmlElement, within: XmlElement): BankRecord {
    this.#entry ??= entryOf(within, this.#entries)
    const entry = this.#entry
    const transaction = transactionOf(element, entry, this.#transactions)
    this.#transactions += 1
    const isSummed = transaction.amount !== null && transaction.currency === entry.currency
    this.#transactionsTotal =
      isSummed && this.#transactionsTotal !== null ? this.#transactionsTotal + transaction.amount! : null
    return { type: 'transaction', statement, entry, transaction }
  }

  #finishEntry(statement: StatementHead, element: XmlElement): BankRecord {
    const entry = entryOf(element, this.#entries)
    const record: BankRecord = {
      type: 'entry',
      statement,
      entry,
      transactions: this.#transactions,
      transactionsTotal: this.#transactionsTotal,
    }
    this.#entries += 1
    if (entry.status === 'BOOK') this.#booked += entry.amount
    this.#entry = undefined
    this.#transactions = 0
    this.#transactionsTotal = 0n
    return record
  }

  #statement(kind: Kind, element: XmlElement): BankRecord {
    const statement = this.#headOf(kind, element)
    const balances = allBelow(element, 'Bal').map(balanceOf)
    const booked = this.#booked
    if (isWhole(element)) checkBalances(statement, balances, booked)
    const entries = this.#entries
    this.#head = undefined
    this.#entries = 0
    this.#booked = 0n
    return { type: 'statement', statement, balances, entries, booked }
  }
}

function headOf(kind: Kind, element: XmlElement): StatementHead {
  const id = textBelow(element, 'Id')
  if (id === undefined) throw new UnreadableFile('has a statement without an id')
  return {
    kind,
    id,
    number: textBelow(element, 'ElctrncSeqNb', 'LglSeqNb') ?? null,
    account: textBelow(element, 'Acct/Id/IBAN', 'Acct/Id/Othr/Id') ?? null,
    currency: textBelow(element, 'Acct/Ccy') ?? null,
  }
}

function balanceOf(element: XmlElement): BankBalance {
  const type = textBelow(element, 'Tp/CdOrPrtry/Cd', 'Tp/CdOrPrtry/Prtry')
  const date = textBelow(element, 'Dt/Dt', 'Dt/DtTm')?.slice(0, 10)
  if (type === undefined || date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date))
    throw new UnreadableFile('has a balance without its type or date')
  const { amount, currency } = moneyOf(below(element, 'Amt'), 'a balance')
  return { type, amount: directed(element, amount, 'a balance'), currency, date }
}

/** A statement of several pages has its balances on the first and the last one. */
function isWhole(statement: XmlElement): boolean {
  const page = textBelow(statement, 'StmtPgntn/PgNb')
  return page === undefined || (Number(page) === 1 && textBelow(statement, 'StmtPgntn/LastPgInd') !== 'false')
}

function checkBalances({ id }: StatementHead, balances: readonly BankBalance[], booked: bigint): void {
  const opening = balances.find(({ type }) => type === 'OPBD') ?? balances.find(({ type }) => type === 'PRCD')
  const closing = balances.findLast(({ type }) => type === 'CLBD')
  if (!opening || !closing || opening.currency !== closing.currency) return
  if (opening.amount + booked !== closing.amount)
    throw new UnreadableFile(
      `has the statement ${shown(id)}, whose opening balance ${opening.amount} and entries ${booked} are not its closing balance ${closing.amount}`,
    )
}
