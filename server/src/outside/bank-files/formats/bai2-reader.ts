import { type Bai2Account, type Bai2Group, parseAccount, parseTransaction } from './bai2-account.ts'
import { Bai2Fields, type Bai2Record, isTime, parseDate } from './bai2-fields.ts'
import { type Bai2Line, readBai2Lines } from './bai2-lines.ts'
import { Bai2Totals } from './bai2-totals.ts'
import type { BankBalance, BankRecord } from './camt.ts'
import { BookedSums } from './camt-sums.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { RAW_CHARACTERS_MAX, toUnreadPart } from './unread-part.ts'
import { UnreadableFile, UnreadablePart } from './unreadable-file.ts'

/** Reads the cash management files of US banks (BAI2): account balances and transactions, in groups. */

const CONTINUATIONS_MAX = 1_000
const CREATED_CHARACTERS_MAX = 100
const VERSION = '2'

/** The reasons why the records of a group are not booked, by group status. */
const UNBOOKED: Readonly<Record<string, string>> = {
  2: 'deletes data that the bank sent before (group status 2)',
  4: 'is a test (group status 4)',
}
const BOOKED: ReadonlySet<string> = new Set(['1', '3'])

/**
 * Reads a file one transaction at a time, for use with `readTwice`. Each account becomes a statement: a
 * complete day if its data is final and it has balances, otherwise an interim report. Throws UnreadableFile
 * if a record is missing or unreadable, or if a control total or count is wrong.
 */
export async function* readBai2(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BankRecord> {
  const parser = new Bai2Parser()
  for await (const record of joinContinuations(readBai2Lines(bytes))) yield* parser.take(record)
  parser.end()
}

/** Joins records with their continuations. */
async function* joinContinuations(lines: AsyncIterable<Bai2Line>): AsyncGenerator<Bai2Record> {
  let open: { readonly code: string; readonly line: number; readonly lines: Bai2Line[] } | undefined
  for await (const line of lines) {
    if (line.code !== '88') {
      if (open) yield open
      open = { code: line.code, line: line.number, lines: [line] }
      continue
    }
    if (!open) throw new UnreadableFile(`line ${line.number}: record 88 continues nothing`)
    if (open.lines.length > CONTINUATIONS_MAX)
      throw new UnreadableFile(
        `line ${line.number}: record ${open.code} has more than ${CONTINUATIONS_MAX} continuations`,
      )
    open.lines.push(line)
  }
  if (open) yield open
}

interface OpenGroup extends Bai2Group {
  readonly totals: Bai2Totals
  readonly line: number
  /** The reason why the group is not booked, if any. */
  readonly unbooked: string | undefined
  raw: string
}

interface OpenAccount extends Bai2Account {
  readonly totals: Bai2Totals
  readonly booked: BookedSums
  readonly sums: { credits: bigint; debits: bigint }
  entries: number
  unread: number
}

type Place = 'outside' | 'file' | 'group' | 'account'

/** The records allowed at each position, and the position that follows. */
const ORDER: Readonly<Record<string, readonly [from: Place, to: Place]>> = {
  '01': ['outside', 'file'],
  '02': ['file', 'group'],
  '03': ['group', 'account'],
  '16': ['account', 'account'],
  '49': ['account', 'group'],
  '98': ['group', 'file'],
  '99': ['file', 'outside'],
}
const PLACES = {
  outside: 'outside of a file',
  file: 'outside of a group',
  group: 'outside of an account',
  account: 'inside an account',
}

class Bai2Parser {
  #place: Place = 'outside'
  #files = 0
  #file = new Bai2Totals()
  #createdAt = ''
  #groups = 0
  #group: OpenGroup | undefined
  #account: OpenAccount | undefined

  take(record: Bai2Record): readonly BankRecord[] {
    const [from, to] = ORDER[record.code] ?? ['outside', 'outside']
    if (this.#place !== from) this.#refuse(record, `is ${PLACES[this.#place]}`)
    this.#place = to
    try {
      this.#addRaw(record)
      return this.#read(record)
    } catch (error) {
      if (error instanceof UnreadablePart) this.#refuse(record, error.message)
      throw error
    }
  }

  end(): void {
    if (this.#files === 0) throw new UnreadableFile('has no record 01')
    if (this.#place !== 'outside') throw new UnreadableFile('ends before its record 99')
  }

  #read(record: Bai2Record): readonly BankRecord[] {
    const { code } = record
    if (code === '16') return this.#readTransaction(record)
    if (code === '49') return this.#endAccount(record)
    if (code === '98') return this.#endGroup(record)
    if (code === '01') this.#beginFile(record)
    else if (code === '02') this.#beginGroup(record)
    else if (code === '03') this.#beginAccount(record)
    else this.#endFile(record)
    return []
  }

  #beginFile(record: Bai2Record): void {
    this.#files += 1
    this.#groups = 0
    this.#file = new Bai2Totals()
    this.#file.records = record.lines.length
    const fields = new Bai2Fields(record)
    const [, , date, time, id] = Array.from({ length: 7 }, () => fields.optional())
    const version = fields.optional()
    if (version !== VERSION)
      throw new UnreadablePart(`has version ${quoteForMessage(version)}; only version 2 is supported`)
    this.#createdAt = `${date} ${time} ${id}`.slice(0, CREATED_CHARACTERS_MAX)
  }

  #beginGroup(record: Bai2Record): void {
    const fields = new Bai2Fields(record)
    fields.optional()
    fields.optional()
    const [status, day, time] = [fields.optional(), fields.optional(), fields.optional()]
    const [currency, modifier] = [fields.optional().toUpperCase() || 'USD', fields.optional()]
    const date = parseDate(day)
    const unbooked = Object.hasOwn(UNBOOKED, status) ? UNBOOKED[status] : undefined
    if (unbooked === undefined && !BOOKED.has(status))
      throw new UnreadablePart(`has the group status ${quoteForMessage(status)}`)
    if (date === undefined) throw new UnreadablePart(`has the as-of date ${quoteForMessage(day)}`)
    if (time !== '' && !isTime(time)) throw new UnreadablePart(`has the as-of time ${quoteForMessage(time)}`)
    if (!/^[1-4]?$/.test(modifier))
      throw new UnreadablePart(`has the as-of date modifier ${quoteForMessage(modifier)}`)
    this.#groups += 1
    const totals = new Bai2Totals()
    totals.records = record.lines.length
    const createdAt = `${this.#createdAt} ${this.#groups}`
    this.#group = {
      date,
      currency,
      modifier,
      createdAt,
      totals,
      unbooked,
      line: record.line,
      raw: formatRaw(record),
    }
  }

  #beginAccount(record: Bai2Record): void {
    const account = parseAccount(record, this.#require(this.#group))
    const totals = new Bai2Totals()
    totals.total = account.total
    totals.records = record.lines.length
    const sums = { credits: 0n, debits: 0n }
    this.#account = { ...account, totals, booked: new BookedSums(), sums, entries: 0, unread: 0 }
  }

  #readTransaction(record: Bai2Record): readonly BankRecord[] {
    const [group, account] = [this.#require(this.#group), this.#require(this.#account)]
    const { size, entry, transaction, unread } = parseTransaction(record, account, group, account.entries)
    account.totals.total += size
    account.totals.records += record.lines.length
    if (size === 0n) return []
    const place = account.entries
    account.entries += 1
    const { head: statement } = account
    if (unread) {
      account.unread += 1
      const { amount, currency } = unread
      if (amount === null || currency === null) account.booked.hasUnknown = true
      else account.booked.addUnread('BOOK', { read: { amount, currency } })
      return this.#skipUnbooked({ type: 'unread', statement, entry: place, ...unread })
    }
    if (!entry) return []
    account.booked.add(entry)
    if (entry.amount > 0n) account.sums.credits += entry.amount
    else account.sums.debits -= entry.amount
    const transactions = transaction ? 1 : 0
    const entryRecord = {
      type: 'entry',
      statement,
      entry,
      transactions,
      transactionsTotal: transaction ? entry.amount : 0n,
      unread: 0,
    } as const
    return this.#skipUnbooked(
      ...(transaction ? [{ type: 'transaction', statement, entry, transaction } as const] : []),
      entryRecord,
    )
  }

  #endAccount(record: Bai2Record): readonly BankRecord[] {
    const account = this.#require(this.#account)
    account.totals.records += record.lines.length
    account.totals.check(new Bai2Fields(record))
    this.#require(this.#group).totals.add(account.totals)
    this.#account = undefined
    const { head: statement, entries, unread, booked, currency } = account
    const balances = completeBalances(account)
    const contradiction = booked.contradictionTo(balances)
    return this.#skipUnbooked({
      ...{ type: 'statement', statement, balances, entries, unread, contradiction },
      booked: booked.sumIn(currency),
    })
  }

  #endGroup(record: Bai2Record): readonly BankRecord[] {
    const group = this.#require(this.#group)
    group.totals.records += record.lines.length
    group.totals.check(new Bai2Fields(record), 'accounts')
    this.#file.add(group.totals)
    this.#group = undefined
    if (group.unbooked === undefined) return []
    const reason = `line ${group.line}: record 02 ${group.unbooked}; its transactions are not booked`
    return [
      {
        type: 'unread',
        statement: null,
        entry: null,
        ...toUnreadPart(`line ${group.line}`, reason, group.raw),
      },
    ]
  }

  #endFile(record: Bai2Record): void {
    this.#file.records += record.lines.length
    this.#file.check(new Bai2Fields(record), 'groups')
  }

  /** Drops the records of groups that are tests or deletions. */
  #skipUnbooked(...records: readonly BankRecord[]): readonly BankRecord[] {
    return this.#group?.unbooked === undefined ? records : []
  }

  /** Keeps the beginning of an unbooked group for a person. */
  #addRaw(record: Bai2Record): void {
    const group = this.#group
    if (group && group.unbooked !== undefined && group.raw.length < RAW_CHARACTERS_MAX)
      group.raw += `\n${formatRaw(record)}`
  }

  /** Asserts that a group or an account is open, as the order of records guarantees. */
  #require<Open>(open: Open | undefined): Open {
    if (open === undefined) throw new Error('A record is outside of its group or account')
    return open
  }

  #refuse({ line, code }: Bai2Record, reason: string): never {
    throw new UnreadableFile(`line ${line}: record ${code} ${reason}`)
  }
}

/**
 * Completes the balances of a day. If a bank omits only the opening balance, it is calculated, provided that
 * the stated totals of credits and debits match all transactions.
 */
function completeBalances({ balances, stated, sums, unread, currency }: OpenAccount): readonly BankBalance[] {
  const [only] = balances
  const areTotalsComplete = unread === 0 && stated?.credits === sums.credits && stated.debits === sums.debits
  if (balances.length !== 1 || only?.type !== 'CLBD' || !areTotalsComplete) return balances
  return [{ type: 'OPBD', amount: only.amount - sums.credits + sums.debits, currency, date: only.date }, only]
}

function formatRaw({ lines }: Bai2Record): string {
  return lines.map(({ code, text }) => `${code},${text}`).join('\n')
}
