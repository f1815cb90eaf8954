import { hash } from 'node:crypto'
import type { BankBalance, BankRecord, StatementHead } from './formats/camt.ts'
import type { BankEntry } from './formats/camt-entry.ts'
import type { BankParty, BankTransaction } from './formats/camt-transaction.ts'

type Unread = Extract<BankRecord, { type: 'unread' }>

/** A complete statement or advice. */
export interface BankStatement {
  readonly head: StatementHead
  readonly balances: readonly BankBalance[]
  readonly entries: readonly EntryWithDetails[]
  /** Entries and other parts that could not be read. */
  readonly unread: readonly Unread[]
  /** Explains how its balances and entries contradict each other. Null if they do not. */
  readonly contradiction: string | null
}

export interface EntryWithDetails {
  readonly entry: BankEntry
  readonly details: readonly BankTransaction[]
  /** True if some of its details could not be read. */
  readonly isIncomplete: boolean
}

/** A booked amount with the bank's details. Each line takes effect as a unit. */
export interface Line {
  /** Identifies the same money in every file that describes it in the same way. */
  readonly name: string
  /** The booked amount, signed, in smallest units. Positive for incoming money. */
  readonly amount: bigint
  readonly currency: string
  readonly entry: BankEntry
  readonly details: readonly BankTransaction[]
  /** True if some of its details could not be read. */
  readonly isIncomplete: boolean
  /**
   * The only detail of the line. Absent without details, or if several details do not add up to the entry.
   */
  readonly only?: BankTransaction
  /** True if the line covers its whole entry. */
  readonly isWholeEntry: boolean
}

/** Lists the structured ids of a line that may name one of our files. */
export function listFileIds({ entry: { batch, reference }, details }: Line): string[] {
  return [
    ...[batch?.messageId, batch?.paymentInformationId, reference],
    ...details.flatMap((one) => [one.messageId, one.paymentInformationId]),
  ].flatMap((one) => one || [])
}

/** Collects a file's records until its statements are complete. Pages of the same statement are combined. */
export class StatementGatherer {
  #entries: EntryWithDetails[] = []
  #details: BankTransaction[] = []
  #unread: Unread[] = []
  #open: BankStatement | undefined

  /**
   * Adds a record. Returns the previous statement if it is now complete, because no further page can follow.
   */
  take(record: BankRecord): BankStatement | undefined {
    if (record.type === 'transaction') {
      this.#details.push(record.transaction)
      return undefined
    }
    if (record.type === 'unread') {
      this.#unread.push(record)
      return undefined
    }
    if (record.type === 'entry') {
      this.#entries.push({ entry: record.entry, details: this.#details, isIncomplete: record.unread > 0 })
      this.#details = []
      return undefined
    }
    const page: BankStatement = {
      head: record.statement,
      balances: record.balances,
      entries: this.#entries,
      unread: this.#unread.filter(({ entry }) => !this.#hasEntry(entry)),
      contradiction: record.contradiction,
    }
    this.#entries = []
    this.#unread = []
    return this.#add(page)
  }

  /** Returns the statement completed by the end of the file. */
  end(): BankStatement | undefined {
    const last = this.#open
    this.#open = undefined
    return last
  }

  /** An entry counts even if one of its details cannot be read. */
  #hasEntry(place: number | null): boolean {
    return this.#entries.some(({ entry }) => entry.place === place)
  }

  #add(page: BankStatement): BankStatement | undefined {
    const before = this.#open
    if (before && isNextPage(before, page)) {
      this.#open = {
        head: page.head,
        balances: [...before.balances, ...page.balances],
        entries: [...before.entries, ...page.entries],
        unread: [...before.unread, ...page.unread],
        contradiction: before.contradiction ?? page.contradiction,
      }
      return undefined
    }
    this.#open = page
    return before
  }
}

function isNextPage({ head: current }: BankStatement, { head: next }: BankStatement): boolean {
  return (
    current.kind === next.kind &&
    current.id === next.id &&
    current.account === next.account &&
    current.currency === next.currency &&
    current.page !== null &&
    next.page !== null &&
    next.page.number === current.page.number + 1
  )
}

/**
 * Splits a statement into lines. Details become separate lines only if they add up exactly to their entry.
 */
export function toLines({ head, entries }: BankStatement): Line[] {
  const occurrences = new Map<string, number>()
  return entries.flatMap(splitEntry).map((line) => {
    const digest = digestLine(head, line)
    const earlier = occurrences.get(digest) ?? 0
    occurrences.set(digest, earlier + 1)
    return { ...line, name: toLineName(line.entry, digest, earlier) }
  })
}

function splitEntry({ entry, details, isIncomplete }: EntryWithDetails): Omit<Line, 'name'>[] {
  if (entry.status !== 'BOOK' || entry.amount === 0n) return []
  const { amount, currency } = entry
  const whole = { amount, currency, entry, details, isIncomplete, isWholeEntry: true }
  const [first] = details
  if (!first || isIncomplete) return [whole]
  if (details.length === 1) return [{ ...whole, only: first }]
  const amounts = details.map((one) => (one.currency === currency ? one.amount : null))
  const sum = amounts.reduce<bigint>((total, one) => total + (one ?? 0n), 0n)
  if (sum !== amount || amounts.includes(null)) return [whole]
  return details.flatMap((one, index) => {
    const part = amounts[index] ?? 0n
    return part === 0n ? [] : [{ ...whole, amount: part, details: [one], only: one, isWholeEntry: false }]
  })
}

const DIGEST_CHARACTERS = 32

/**
 * A line's name consists of its day, a digest of its content, and its number among identical lines. Positions
 * are not used, because they restart in each file.
 */
function toLineName({ bookedOn, valueOn }: BankEntry, digest: string, earlier: number): string {
  return `${bookedOn ?? valueOn ?? ''} ${digest}${earlier === 0 ? '' : ` ${earlier + 1}`}`.trim()
}

/** The name of a further line with the same content, if the balances prove that it is different money. */
export function toNextName(name: string): string {
  const [, base = name, number = '1'] = /^(.*[0-9a-f]{32})(?: (\d+))?$/.exec(name) ?? []
  return `${base} ${Number(number) + 1}`
}

function digestLine(
  { account }: StatementHead,
  { amount, currency, entry, details }: Omit<Line, 'name'>,
): string {
  const identity = [
    account,
    entry.bookedOn,
    entry.valueOn,
    String(amount),
    currency,
    entry.isReversal,
    entry.servicerReference,
    entry.transactionCode,
    details.map((one) => [
      one.endToEndId,
      one.instructionId,
      one.servicerReference,
      pickPartyFields(one.debtor),
      pickPartyFields(one.creditor),
      one.remittanceInformation,
      one.returnReason,
    ]),
  ]
  return hash('sha256', JSON.stringify(identity)).slice(0, DIGEST_CHARACTERS)
}

/**
 * The fields of a party that count in a line's name. Never change their order: a line with a new name counts
 * again.
 */
function pickPartyFields(party: BankParty | null | undefined) {
  return party && { name: party.name, account: party.account, bic: party.bic }
}

/** Finds the bank references that several entries share, which therefore identify none of them. */
export function findSharedReferences({ entries }: BankStatement): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { entry } of entries) {
    const reference = entry.servicerReference
    if (reference === null) continue
    if (seen.has(reference)) shared.add(reference)
    seen.add(reference)
  }
  return shared
}

/**
 * Finds the opening and closing balance. Undefined without them, because the statement then covers no whole
 * day.
 */
export function findBalances({ head, balances, entries }: BankStatement): Balances | undefined {
  const opening = balances.find(({ type }) => OPENING.has(type))
  const closing = balances.findLast(({ type }) => CLOSING.has(type))
  const known = closing ?? opening
  if (!known || (opening && closing && opening.currency !== closing.currency)) return undefined
  const booked = entries.reduce((sum, { entry }) => sum + (entry.status === 'BOOK' ? entry.amount : 0n), 0n)
  // A page of a statement may have only one of the two balances.
  const from = opening && opening !== closing ? opening.amount : undefined
  const to = closing && closing !== opening ? closing.amount : undefined
  const isKnown = from !== undefined && to !== undefined
  if (!isKnown && (head.page === null || from === to)) return undefined
  return {
    date: known.date,
    currency: known.currency,
    opening: from ?? (to ?? 0n) - booked,
    closing: to ?? (from ?? 0n) + booked,
    booked,
  }
}

export interface Balances {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly currency: string
  readonly opening: bigint
  readonly closing: bigint
  /** The sum of the booked entries. */
  readonly booked: bigint
}

/** Interim balances (`ITBD`) delimit pages and parts of a day. */
const OPENING: ReadonlySet<string> = new Set(['OPBD', 'PRCD', 'ITBD'])
const CLOSING: ReadonlySet<string> = new Set(['CLBD', 'ITBD'])
