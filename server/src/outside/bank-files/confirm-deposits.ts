import { extractReferences } from '../../money/deposits/match-reference.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import { deriveDepositId } from '../../money/rails/rail-ids.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { type BankDeposit, isPlaceholder, toBankDeposit } from './deposit-of-line.ts'
import type { Reading } from './reading.ts'
import type { Line } from './statement-lines.ts'
import { isConfirmed, selectCounted, selectCountedOfEntry, selectStatedOnly } from './store.ts'

/**
 * Counts money once if two kinds of files report it. The rail's setting `depositsFrom` selects the kind that
 * counts. A line from the other kind is new money only if it matches no unconfirmed deposit.
 */

/** The maximum number of days between the dates of two files for the same money. */
const DAYS_APART_MAX = 4
const DAY_MS = 86_400_000

/**
 * Finds the deposits that a statement line confirms: one deposit, or all parts of an entry if an advice
 * reported them individually. Returns `taken` if another line has already confirmed the matching deposit.
 */
export async function confirmDeposits(
  reading: Reading,
  line: Line,
): Promise<readonly DepositRow[] | 'taken'> {
  const { op, rail, taken } = reading
  const known = await findDepositRow(op, deriveDepositId(rail.name, line.name))
  if (known && (taken.has(known.id) || (await isConfirmed(op, known.id)))) return 'taken'
  const found = known ? [known] : await findByFacts(reading, line)
  for (const { id } of found) taken.add(id)
  return found
}

async function findByFacts(reading: Reading, line: Line): Promise<readonly DepositRow[]> {
  const { op, rail, head, taken, names } = reading
  const { currency, amount, entry } = line
  const reference = entry.servicerReference
  const parts =
    reference === null || isPlaceholder(reference) ? [] : await selectCountedOfEntry(op, rail.name, reference)
  const free = parts.filter((part) => !taken.has(part.id) && part.currency === currency)
  if (free.length > 0 && free.reduce((sum, part) => sum + part.amount, 0n) === amount) return free
  const reportedDeposit = toBankDeposit(rail, head, line)
  const candidates = await selectCounted(op, rail.name, currency, toDayRange(reportedDeposit), amount)
  // A deposit is reserved for the line with the same content.
  const closest = findClosest(
    reportedDeposit,
    candidates.filter((row) => !taken.has(row.id) && !names.has(row.rail_reference)),
  )
  return closest ? [closest] : []
}

/**
 * Finds the deposit with this amount that contradicts no fact and matches the most; among equals, the one
 * closest in time.
 */
function findClosest(reported: BankDeposit, rows: readonly DepositRow[]): DepositRow | undefined {
  const at = Date.parse(reported.receivedAt)
  const distance = ({ received_at }: DepositRow) => Math.abs(received_at.getTime() - at)
  const agreed = rows.flatMap((row) => {
    const sharedFacts = countSharedFacts(reported, row.details)
    return sharedFacts === undefined ? [] : [{ row, sharedFacts }]
  })
  agreed.sort((one, other) => other.sharedFacts - one.sharedFacts || distance(one.row) - distance(other.row))
  return agreed[0]?.row
}

type Facts = Pick<BankDeposit, 'entryReference' | 'endToEndId' | 'sender' | 'texts'>

/** Counts the facts on which both agree. Undefined if they contradict each other. */
function countSharedFacts(left: Facts, other: Facts): number | undefined {
  const otherFacts = listFacts(other)
  const pairs = listFacts(left)
    .map((fact, index) => [fact, otherFacts[index]])
    .filter((pair) => pair.every((fact) => fact !== undefined))
  return pairs.every(([fact, otherFact]) => fact === otherFact) ? pairs.length : undefined
}

function listFacts({ entryReference, endToEndId, sender, texts = [] }: Facts) {
  const references = new Set(texts.flatMap(({ text }) => extractReferences(text)))
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
  const days = toDayRange(toBankDeposit(rail, head, line))
  const found = await selectCounted(op, rail.name, line.currency, days, undefined)
  return found.some(({ id, amount }) => !taken.has(id) && amount < line.amount)
}

/**
 * Finds a deposit that a statement reported before the file that should count it. That file then confirms it.
 */
export async function findReportedByStatement(
  { op, rail }: Pick<Reading, 'op' | 'rail'>,
  reported: BankDeposit,
): Promise<DepositRow | undefined> {
  const { amount } = reported
  const known = await findDepositRow(op, deriveDepositId(rail.name, reported.depositId))
  // The statement may have omitted part of the entry's remittance information.
  if (known) return isStatedOnly(known) && isSameMoney(known, reported) ? known : undefined
  const found = await selectStatedOnly(
    op,
    rail.name,
    amount.currency,
    toDayRange(reported),
    BigInt(amount.value),
  )
  return findClosest(reported, found)
}

function isSameMoney({ amount, currency, details }: DepositRow, reported: BankDeposit): boolean {
  const isSameAmount = amount === BigInt(reported.amount.value) && currency === reported.amount.currency
  return isSameAmount && countSharedFacts(reported, details) !== undefined
}

function isStatedOnly({ details: { from, confirmedBy } }: DepositRow): boolean {
  return from === 'STATEMENT' && confirmedBy === undefined
}

/**
 * True if a deposit from a statement is certainly the booking of this report: the bank's reference matches,
 * or the day, because a statement contains all bookings of its day. A report about another day may concern
 * money that a later statement will report.
 */
export function isSameBooking({ details, received_at }: DepositRow, reported: BankDeposit): boolean {
  const { entryReference, receivedAt } = reported
  if (entryReference !== undefined && entryReference === details.entryReference) return true
  return received_at.getTime() === Date.parse(receivedAt)
}

function toDayRange({ receivedAt }: BankDeposit): readonly [Date, Date] {
  const at = Date.parse(receivedAt)
  return [new Date(at - DAYS_APART_MAX * DAY_MS), new Date(at + DAYS_APART_MAX * DAY_MS)]
}
