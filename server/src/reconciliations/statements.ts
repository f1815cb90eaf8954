import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'
import { amountOfDigits } from '@countersign/contract/connectors/protocol'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import {
  RECONCILIATION_INITIAL,
  RECONCILIATION_TRANSITIONS,
} from '@countersign/contract/core/reconciliation-states'
import { insert, type Write } from '../db/commit/writes.ts'
import { NIL_UUID, uuidOf } from '../db/engine/ids.ts'
import type { RailStatementEntryRow, RailStatementRow } from '../db/schema/reconciliation-tables.ts'
import { job } from '../jobs/jobs.ts'
import { INT64_MAX, INT64_MIN } from '../json/int64.ts'
import { post } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import { transition } from '../op/transition.ts'
import { depositId } from '../rails/ids.ts'
import { expectedCosts } from './costs.ts'
import { railStatementId, selectEntry, selectStatement, statementEntryId } from './store.ts'

/** What is written for a statement; with a reason nothing is, and the statement waits for a person. */
export interface Recorded {
  readonly writes: readonly Write[]
  readonly reason?: RailEventReason
}

/**
 * Records the statement of a day with all its entries, once, and makes it due to be booked. Fees and interest are booked here: no
 * event tells of them. A second statement of a day that has one contradicts it. Guards: nobody else has recorded it, or one of
 * its entries.
 */
export async function recordStatement(op: Op, rail: string, said: ConnectorStatement): Promise<Recorded> {
  const read = readStatement(said)
  if (!read) return { writes: [], reason: 'UNREADABLE' }
  const id = railStatementId(rail, read.currency, said.date)
  const before = await selectStatement(op, id)
  if (before && before.state !== RECONCILIATION_INITIAL) {
    const isRepeat = before.rail_reference === said.statementId
    return isRepeat ? { writes: [] } : { writes: [], reason: 'CONTRADICTION' }
  }
  const entries = await entryRows(op, rail, id, said.entries.toSorted(byKind))
  const arrived = {
    rail_reference: said.statementId,
    opening: read.opening,
    closing: read.closing,
    entry_sum: entries.reduce((sum, { amount }) => sum + amount, 0n),
    entry_count: entries.length,
    charged: -entries.reduce((sum, { kind, amount }) => sum + (kind === 'FEE' ? amount : 0n), 0n),
    expected_costs: expectedCosts(op.rails.find(rail), read.currency, entries) ?? null,
    received_at: op.now,
  }
  const day = before ?? newDay(op, rail, read.currency, said.date)
  const moved = transition(op, 'rail_statements', RECONCILIATION_TRANSITIONS, day, 'arrive', arrived)
  return {
    writes: [
      before ? moved.write : insert('rail_statements', moved.row),
      ...entries.map((entry) => insert('rail_statement_entries', entry)),
      ...entries.flatMap((entry) => bookedByItself(op, rail, read.currency, entry)),
      job(op, 'statement.book', { statementId: id }, op.now),
    ],
  }
}

/** A day whose statement has not arrived. */
export function newDay(op: Op, rail: string, currency: KnownCurrency, date: string): RailStatementRow {
  return {
    id: railStatementId(rail, currency, date),
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

/** Undefined where the statement cannot be counted: a currency that is not known, or a sum beyond int64. */
function readStatement({ currency, openingBalance, closingBalance, entries }: ConnectorStatement) {
  const opening = amountOfDigits(openingBalance)
  const closing = amountOfDigits(closingBalance)
  const amounts = entries.map(({ amount }) => amountOfDigits(amount))
  if (!isKnownCurrency(currency) || opening === undefined || closing === undefined) return undefined
  let sum = 0n
  for (const amount of amounts) {
    if (amount === undefined) return undefined
    sum += amount
  }
  return INT64_MIN <= sum && sum <= INT64_MAX ? { currency, opening, closing } : undefined
}

async function entryRows(
  op: Op,
  rail: string,
  statementId: string,
  entries: readonly StatementEntry[],
): Promise<RailStatementEntryRow[]> {
  const ids = entries.map(({ entryId }) => statementEntryId(rail, entryId))
  const before = await Promise.all(ids.map((id) => selectEntry(op, id)))
  const seen = new Set<string>()
  return entries.map((entry, index) => {
    const place = index + 1
    const isRepeated = before[index] !== undefined || seen.has(entry.entryId)
    seen.add(entry.entryId)
    const item_id = isRepeated ? null : (itemOf(rail, entry) ?? null)
    return {
      id: isRepeated ? statementEntryId(rail, entry.entryId, ` ${statementId} ${place}`) : ids[index]!,
      platform_id: op.platform.id,
      statement_id: statementId,
      place,
      rail_reference: entry.entryId,
      kind: entry.kind,
      amount: amountOfDigits(entry.amount) ?? 0n,
      item_id,
      reason: isRepeated ? 'REPEATED_ENTRY' : item_id === null && !isOwn(entry.kind) ? 'UNEXPLAINED' : null,
      text: entry.text ?? null,
      deposit: entry.deposit ?? null,
      booked_at: new Date(entry.bookedAt),
    }
  })
}

/** What goes back comes after what it takes back, in whichever order the bank lists them. */
function byKind(a: StatementEntry, b: StatementEntry): number {
  return Number(goesBack(a)) - Number(goesBack(b))
}

function goesBack({ kind }: StatementEntry): boolean {
  return kind === 'PAYMENT_RETURN' || kind === 'PULL_RETURN' || kind === 'DEPOSIT_REVERSAL'
}

/** The payment, pull or deposit that an entry names. */
function itemOf(rail: string, { kind, id, depositId: named, deposit }: StatementEntry): string | undefined {
  if (isOwn(kind) || kind === 'OTHER') return undefined
  if (kind === 'DEPOSIT' || kind === 'DEPOSIT_REVERSAL') {
    const railReference = named ?? deposit?.depositId
    return railReference === undefined ? undefined : depositId(rail, railReference)
  }
  const isOurs = id !== undefined && /^(?:Transaction|Deposit|Quote):/.test(id) && uuidOf(id) !== NIL_UUID
  return isOurs ? id : undefined
}

/** Whether an entry is booked by itself. */
function isOwn(kind: StatementEntry['kind']): kind is 'FEE' | 'INTEREST' {
  return kind === 'FEE' || kind === 'INTEREST'
}

/** Books what the bank has charged or paid for itself: the account of the rail against the costs of rails. */
function bookedByItself(
  op: Op,
  rail: string,
  currency: KnownCurrency,
  { id, kind, amount, reason }: RailStatementEntryRow,
): Write[] {
  if (!isOwn(kind) || reason !== null) return []
  return post(op, { cause: 'statement', causeId: id }, [
    { system: 'rail', rail, currency, amount: -amount },
    { system: 'costs', currency, amount },
  ])
}
