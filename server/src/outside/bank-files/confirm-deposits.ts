import { referencesIn } from '../../money/deposits/match-reference.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import { depositId } from '../../money/rails/rail-ids.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { type DepositOfBank, depositOfLine, isGeneric } from './deposit-of-line.ts'
import type { Reading } from './reading.ts'
import type { Line } from './statement-lines.ts'
import { isConfirmed, selectCounted, selectCountedOfEntry, selectStatedOnly } from './store.ts'

/**
 * Counts money once when two kinds of file report it. The rail's setting `depositsFrom` selects the kind that
 * counts. A line of the other kind is new money only if no remaining deposit can match it.
 */

/** The maximum number of days between the dates of two files for the same money. */
const DAYS_APART_MAX = 4
const DAY_MS = 86_400_000

/**
 * Finds the deposits that a line of a statement confirms: one deposit, or all parts of an entry if an advice
 * reported them one by one. `taken`: another line has already confirmed the matching deposit.
 */
export async function confirmDeposits(
  reading: Reading,
  line: Line,
): Promise<readonly DepositRow[] | 'taken'> {
  const { op, rail, taken } = reading
  const known = await findDepositRow(op, depositId(rail.name, line.name))
  if (known && (taken.has(known.id) || (await isConfirmed(op, known.id)))) return 'taken'
  const found = known ? [known] : await confirmByFacts(reading, line)
  for (const { id } of found) taken.add(id)
  return found
}

async function confirmByFacts(reading: Reading, line: Line): Promise<readonly DepositRow[]> {
  const { op, rail, head, taken, names } = reading
  const { currency, amount, entry } = line
  const reference = entry.servicerReference
  const parts =
    reference === null || isGeneric(reference) ? [] : await selectCountedOfEntry(op, rail.name, reference)
  const free = parts.filter((one) => !taken.has(one.id) && one.currency === currency)
  if (free.length > 0 && free.reduce((sum, one) => sum + one.amount, 0n) === amount) return free
  const reportedDeposit = depositOfLine(rail, head, line)
  const alike = await selectCounted(op, rail.name, currency, daysAround(reportedDeposit), amount)
  // A deposit is reserved for the line that has the same content.
  const best = findClosest(
    reportedDeposit,
    alike.filter((one) => !taken.has(one.id) && !names.has(one.rail_reference)),
  )
  return best ? [best] : []
}

/**
 * Finds the deposit with this amount that contradicts no fact and matches the most; among equals, the one
 * closest in time.
 */
function findClosest(said: DepositOfBank, rows: readonly DepositRow[]): DepositRow | undefined {
  const at = Date.parse(said.receivedAt)
  const distance = ({ received_at }: DepositRow) => Math.abs(received_at.getTime() - at)
  const agreed = rows.flatMap((row) => {
    const same = sameFacts(said, row.details)
    return same === undefined ? [] : [{ row, same }]
  })
  agreed.sort((one, other) => other.same - one.same || distance(one.row) - distance(other.row))
  return agreed[0]?.row
}

type Facts = Pick<DepositOfBank, 'entryReference' | 'endToEndId' | 'sender' | 'texts'>

/** Counts the facts on which both agree. Undefined if they contradict each other. */
function sameFacts(one: Facts, other: Facts): number | undefined {
  const theirs = factsOf(other)
  const pairs = factsOf(one)
    .map((fact, index) => [fact, theirs[index]])
    .filter(([fact, their]) => fact !== undefined && their !== undefined)
  return pairs.every(([fact, their]) => fact === their) ? pairs.length : undefined
}

function factsOf({ entryReference, endToEndId, sender, texts = [] }: Facts) {
  const references = new Set(texts.flatMap(({ text }) => referencesIn(text)))
  return [
    entryReference,
    endToEndId,
    sender?.accountIdentifier,
    [...references].sort().join(' ') || undefined,
  ]
}

/** True if a line without a payer may be the sum of deposits that were already counted one by one. */
export async function isSumOfOthers({ op, rail, head, taken }: Reading, line: Line): Promise<boolean> {
  if (line.only && line.entry.batch === null) return false
  const days = daysAround(depositOfLine(rail, head, line))
  const found = await selectCounted(op, rail.name, line.currency, days, undefined)
  return found.some(({ id, amount }) => !taken.has(id) && amount < line.amount)
}

/**
 * Finds a deposit that a statement reported before the file that is supposed to count it. That file then
 * confirms it.
 */
export async function findReportedByStatement(
  { op, rail }: Pick<Reading, 'op' | 'rail'>,
  said: DepositOfBank,
): Promise<DepositRow | undefined> {
  const { amount } = said
  const known = await findDepositRow(op, depositId(rail.name, said.depositId))
  // The statement may have omitted part of the entry's remittance information.
  if (known) return isStatedOnly(known) && isSameMoney(known, said) ? known : undefined
  const found = await selectStatedOnly(op, rail.name, amount.currency, daysAround(said), BigInt(amount.value))
  return findClosest(said, found)
}

function isSameMoney({ amount, currency, details }: DepositRow, said: DepositOfBank): boolean {
  const isSameAmount = amount === BigInt(said.amount.value) && currency === said.amount.currency
  return isSameAmount && sameFacts(said, details) !== undefined
}

function isStatedOnly({ details: { from, confirmedBy } }: DepositRow): boolean {
  return from === 'STATEMENT' && confirmedBy === undefined
}

/**
 * True if a deposit from a statement is certainly the booking of this report. That is known from the bank's
 * reference, or from the day, because a statement contains all bookings of its day. A report about another
 * day may be about money that a later statement will report.
 */
export function isSameBooking({ details, received_at }: DepositRow, said: DepositOfBank): boolean {
  const { entryReference, receivedAt } = said
  if (entryReference !== undefined && entryReference === details.entryReference) return true
  return received_at.getTime() === Date.parse(receivedAt)
}

function daysAround({ receivedAt }: DepositOfBank): readonly [Date, Date] {
  const at = Date.parse(receivedAt)
  return [new Date(at - DAYS_APART_MAX * DAY_MS), new Date(at + DAYS_APART_MAX * DAY_MS)]
}
