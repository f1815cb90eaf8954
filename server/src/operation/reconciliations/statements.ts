import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'
import { parseDigits } from '@countersign/contract/connectors/protocol'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import {
  RECONCILIATION_INITIAL,
  RECONCILIATION_TRANSITIONS,
} from '@countersign/contract/states/reconciliation-states'
import { INT64_MAX, INT64_MIN } from '../../base/json/int64.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { deriveDepositId } from '../../money/rails/rail-ids.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import { extractUuid, NIL_UUID } from '../../storage/engine/ids.ts'
import type { RailStatementEntryRow, RailStatementRow } from '../../storage/rows/reconciliation.ts'
import { computeExpectedCosts } from './costs.ts'
import { classifyPart, type DayPart } from './day-parts.ts'
import { deriveRailStatementId, deriveStatementEntryId, selectEntry, selectStatement } from './store.ts'

/**
 * The writes that record a statement. With a `reason`, they are empty and the statement waits for manual
 * review.
 */
export interface Recorded {
  readonly writes: readonly Write[]
  readonly reason?: RailEventReason
  /** True if the statement's entries are recorded by these writes. */
  readonly isNew?: boolean
}

/**
 * Records a day's statement once with all its entries, and schedules its booking, but books fees and interest
 * immediately, because no event reports them. A further statement of the day must continue its balance;
 * otherwise it is a contradiction and has no effect. Guards: nobody else has recorded the statement or one of
 * its entries.
 */
export async function recordStatement(op: Op, rail: string, stated: ConnectorStatement): Promise<Recorded> {
  const parsed = readStatement(stated)
  if (!parsed) return { writes: [], reason: 'UNREADABLE' }
  const id = deriveRailStatementId(rail, parsed.currency, stated.date)
  const before = await selectStatement(op, id)
  const day = before ?? newDay(op, rail, parsed.currency, stated.date)
  const isFirst = day.state === RECONCILIATION_INITIAL
  const part = isFirst ? 'continues' : await findPart(op, rail, day, { ...parsed, entries: stated.entries })
  // A complete repetition under another id is a second statement of the day.
  const isRenamed = day.entry_count === stated.entries.length && day.rail_reference !== stated.statementId
  if (part === 'contradicts' || (part === 'repeat' && isRenamed))
    return { writes: [], reason: 'CONTRADICTION' }
  if (part === 'repeat') return { writes: [] }
  const entries = await buildEntryRows(op, rail, day, stated.entries.toSorted(byKind))
  const columns = {
    ...addToSums(op, rail, parsed.currency, day, entries),
    rail_reference: day.rail_reference ?? stated.statementId,
    opening: day.opening === null || part === 'precedes' ? parsed.opening : day.opening,
    closing: day.closing === null || part === 'continues' ? parsed.closing : day.closing,
    received_at: op.now,
  }
  const change = isFirst ? 'arrive' : 'extend'
  const guard = isFirst ? {} : { entry_count: day.entry_count }
  const moved = transition(op, 'rail_statements', RECONCILIATION_TRANSITIONS, day, change, columns, guard)
  return {
    isNew: true,
    writes: [
      before ? moved.write : insert('rail_statements', moved.row),
      ...entries.map((entry) => insert('rail_statement_entries', entry)),
      ...entries.flatMap((entry) => bookBankCosts(op, rail, parsed.currency, entry)),
      job(op, 'statement.book', { statementId: id }, op.now),
    ],
  }
}

/** True if an entry with this id is in a statement of the rail. */
export async function isEntryKnown(op: Op, rail: string, entryId: string): Promise<boolean> {
  return (await selectEntry(op, deriveStatementEntryId(rail, entryId))) !== undefined
}

/** Compares a statement with earlier statements of its day. Undefined if it is the first, or unreadable. */
export async function findStatementPart(
  op: Op,
  rail: string,
  stated: ConnectorStatement,
): Promise<DayPart | undefined> {
  const parsed = readStatement(stated)
  const day = parsed && (await selectStatement(op, deriveRailStatementId(rail, parsed.currency, stated.date)))
  if (!parsed || !day || day.state === RECONCILIATION_INITIAL) return undefined
  return findPart(op, rail, day, { ...parsed, entries: stated.entries })
}

async function findPart(
  op: Op,
  rail: string,
  { id, opening, closing, entry_count: count }: RailStatementRow,
  stated: { readonly opening: bigint; readonly closing: bigint; readonly entries: readonly StatementEntry[] },
): Promise<DayPart> {
  const known = await Promise.all(
    stated.entries.map(async ({ entryId, amount }) => {
      const row = await selectEntry(op, deriveStatementEntryId(rail, entryId))
      return row?.statement_id === id && row.amount === parseDigits(amount)
    }),
  )
  return classifyPart(
    // The database guarantees these values for a day whose statement has arrived.
    { opening: opening ?? 0n, closing: closing ?? 0n, count: count ?? 0 },
    { ...stated, count: stated.entries.length, known: known.filter(Boolean).length },
  )
}

/** The sums of a day including these entries. */
function addToSums(
  op: Op,
  rail: string,
  currency: string,
  day: RailStatementRow,
  entries: readonly RailStatementEntryRow[],
) {
  const costs = computeExpectedCosts(op.rails.find(rail), currency, entries)
  return {
    entry_sum: entries.reduce((sum, { amount }) => sum + amount, day.entry_sum ?? 0n),
    entry_count: entries.length + (day.entry_count ?? 0),
    charged: entries.reduce(
      (sum, { kind, amount }) => sum - (kind === 'FEE' ? amount : 0n),
      day.charged ?? 0n,
    ),
    expected_costs: costs === undefined ? day.expected_costs : costs + (day.expected_costs ?? 0n),
  }
}

/** A day whose statement has not arrived yet. */
export function newDay(op: Op, rail: string, currency: KnownCurrency, date: string): RailStatementRow {
  return {
    id: deriveRailStatementId(rail, currency, date),
    platform_id: op.platform.id,
    rail,
    currency,
    date,
    state: RECONCILIATION_INITIAL,
    rail_reference: null,
    opening: null,
    closing: null,
    entry_sum: null,
    entry_count: null,
    charged: null,
    expected_costs: null,
    booked_count: 0,
    balance: null,
    later: null,
    differences: [],
    difference_count: 0,
    movements_since: null,
    received_at: null,
    reconciled_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Parses a statement. Undefined if its currency is unknown or a sum exceeds int64. */
function readStatement({ currency, openingBalance, closingBalance, entries }: ConnectorStatement) {
  const opening = parseDigits(openingBalance)
  const closing = parseDigits(closingBalance)
  const amounts = entries.map(({ amount }) => parseDigits(amount))
  if (!isKnownCurrency(currency) || opening === undefined || closing === undefined) return undefined
  let sum = 0n
  for (const amount of amounts) {
    if (amount === undefined) return undefined
    sum += amount
  }
  return INT64_MIN <= sum && sum <= INT64_MAX ? { currency, opening, closing } : undefined
}

async function buildEntryRows(
  op: Op,
  rail: string,
  { id: statementId, entry_count }: RailStatementRow,
  entries: readonly StatementEntry[],
): Promise<RailStatementEntryRow[]> {
  const found = await Promise.all(
    entries.map(async (entry) => {
      const id = deriveStatementEntryId(rail, entry.entryId)
      return { entry, id, isKnown: (await selectEntry(op, id)) !== undefined }
    }),
  )
  const seen = new Set<string>()
  return found.map(({ entry, id, isKnown }, index) => {
    const place = (entry_count ?? 0) + index + 1
    const isRepeated = isKnown || seen.has(entry.entryId)
    seen.add(entry.entryId)
    const item_id = isRepeated ? null : (findItemId(rail, entry) ?? null)
    return {
      id: isRepeated ? deriveStatementEntryId(rail, entry.entryId, ` ${statementId} ${place}`) : id,
      platform_id: op.platform.id,
      statement_id: statementId,
      place,
      rail_reference: entry.entryId,
      kind: entry.kind,
      amount: parseDigits(entry.amount) ?? 0n,
      item_id,
      reason: isRepeated
        ? 'REPEATED_ENTRY'
        : item_id === null && !isBankCost(entry.kind)
          ? 'UNEXPLAINED'
          : null,
      text: entry.text ?? null,
      deposit: entry.deposit ?? null,
      match_id: null,
      booked_at: new Date(entry.bookedAt),
    }
  })
}

/** Sorts returns and reversals after the entries that they undo, regardless of the bank's order. */
function byKind(a: StatementEntry, b: StatementEntry): number {
  return Number(isReversal(a)) - Number(isReversal(b))
}

function isReversal({ kind }: StatementEntry): boolean {
  return kind === 'PAYMENT_RETURN' || kind === 'PULL_RETURN' || kind === 'DEPOSIT_REVERSAL'
}

/** The payment, pull or deposit that an entry refers to. */
function findItemId(
  rail: string,
  { kind, id, depositId: statedId, deposit }: StatementEntry,
): string | undefined {
  if (isBankCost(kind) || kind === 'OTHER') return undefined
  if (kind === 'DEPOSIT' || kind === 'DEPOSIT_REVERSAL') {
    const railReference = statedId ?? deposit?.depositId
    return railReference === undefined ? undefined : deriveDepositId(rail, railReference)
  }
  const isOurs =
    id !== undefined &&
    /^(?:Transaction|Deposit|Quote|TreasuryMovement):/.test(id) &&
    extractUuid(id) !== NIL_UUID
  return isOurs ? id : undefined
}

/** True for automatically booked entries. */
function isBankCost(kind: StatementEntry['kind']): kind is 'FEE' | 'INTEREST' {
  return kind === 'FEE' || kind === 'INTEREST'
}

/** Books the bank's own fees and interest between the rail's account and the costs account. */
function bookBankCosts(
  op: Op,
  rail: string,
  currency: KnownCurrency,
  { id, kind, amount, reason }: RailStatementEntryRow,
): Write[] {
  if (!isBankCost(kind) || reason !== null) return []
  return post(op, { cause: 'statement', causeId: id }, [
    { system: 'rail', rail, currency, amount: -amount },
    { system: 'costs', currency, amount },
  ])
}
