import type {
  MatchAccount,
  MatchSign,
  MatchSuggestionKind,
} from '@countersign/contract/operation/reconciliation-matches'
import { indexPayments, pairEqual } from './pair-equal.ts'
import {
  computeOutstandingAmount,
  countDaysApart,
  findTextSigns,
  getReferences,
  isNear,
  type OpenLine,
  type OpenPayment,
  splitWords,
} from './signs.ts'
import { compareAmounts, findRun, findSubset, toAbsolute } from './subsets.ts'

/**
 * Suggests which open lines and payments of an account belong together. Pure and deterministic: input order
 * does not matter, and each line and payment is in at most one suggestion.
 */

/** The maximum number of lines, and of payments, with the same amount that are compared with each other. */
const GROUP_MAX = 10_000
/**
 * The maximum number of lines, and of payments, without a partner of equal amount that are considered
 * further, oldest first.
 */
const UNMATCHED_MAX = 500
/**
 * The maximum number of days between a line and each payment that it combines, and between a reversal and the
 * reversed line.
 */
const DAYS_MAX = 31
/** Bank charges are at most a tenth of the payment. */
const CHARGE_SHARE = 10n
/** The maximum number of payments, and of lines, per suggestion. */
const PARTS_MAX = 500

export interface Suggestion {
  readonly kind: MatchSuggestionKind
  readonly signs: readonly MatchSign[]
  readonly lines: readonly OpenLine[]
  readonly payments: readonly OpenPayment[]
  /** The sum of all lines, including those that refer to the payments, minus the sum in the ledger. */
  readonly difference: bigint
  readonly account?: MatchAccount
}

/** Suggests matches for lines and payments in any order. */
export function suggestMatches(lines: readonly OpenLine[], payments: readonly OpenPayment[]): Suggestion[] {
  return [...suggestSorted(lines.toSorted(byAmount), payments.toSorted(byOutstandingAmount))]
}

/** The sort order of lines for `suggestSorted`. Payments are sorted by `byOutstandingAmount`. */
export function byAmount(left: OpenLine, right: OpenLine): number {
  return compareAmounts(left.amount, right.amount) || byTime(left, right)
}

export function byOutstandingAmount(left: OpenPayment, right: OpenPayment): number {
  return (
    compareAmounts(computeOutstandingAmount(left), computeOutstandingAmount(right)) || byTime(left, right)
  )
}

function byTime(left: OpenLine | OpenPayment, right: OpenLine | OpenPayment): number {
  return left.atMs - right.atMs || (left.id < right.id ? -1 : 1)
}

/**
 * Suggests matches for lines sorted by `byAmount` and payments sorted by `byOutstandingAmount`. Memory is
 * bounded: only one amount's lines and payments and the oldest unmatched ones are held.
 */
export function* suggestSorted(
  lines: Iterable<OpenLine>,
  payments: Iterable<OpenPayment>,
): Generator<Suggestion> {
  const unmatched = { lines: new Oldest<OpenLine>(), payments: new Oldest<OpenPayment>() }
  for (const group of groupByEqualAmount(lines, payments)) {
    const paired = pairEqual(group.lines, group.payments)
    for (const { line, payment } of paired.pairs) yield buildEqualSuggestion(line, payment)
    unmatched.lines.add(paired.lines)
    unmatched.payments.add(paired.payments)
  }
  yield* suggestUnmatched(unmatched.lines.list(), unmatched.payments.list())
}

/** Groups of lines and payments with the same amount, ordered by amount. */
function* groupByEqualAmount(lines: Iterable<OpenLine>, payments: Iterable<OpenPayment>) {
  const lineGroups = groupByAmount(lines, ({ amount }) => amount)
  const paymentGroups = groupByAmount(payments, computeOutstandingAmount)
  let line = lineGroups.next()
  let payment = paymentGroups.next()
  while (!line.done || !payment.done) {
    const order =
      line.done || payment.done
        ? line.done
          ? 1
          : -1
        : compareAmounts(line.value.amount, payment.value.amount)
    const current = {
      lines: order <= 0 ? line.value : undefined,
      payments: order >= 0 ? payment.value : undefined,
    }
    yield { lines: current.lines?.list ?? [], payments: current.payments?.list ?? [] }
    if (order <= 0) line = lineGroups.next()
    if (order >= 0) payment = paymentGroups.next()
  }
}

function* groupByAmount<T>(
  items: Iterable<T>,
  getAmount: (item: T) => bigint,
): Generator<{ readonly amount: bigint; readonly list: readonly T[] }, undefined> {
  let list: T[] = []
  let amount = 0n
  for (const item of items) {
    const next = getAmount(item)
    if (list.length > 0 && (next !== amount || list.length === GROUP_MAX)) {
      yield { amount, list }
      list = []
    }
    amount = next
    list.push(item)
  }
  if (list.length > 0) yield { amount, list }
}

/** Collects items and retains the oldest `UNMATCHED_MAX`. */
class Oldest<T extends OpenLine | OpenPayment> {
  #list: T[] = []

  add(items: readonly T[]): void {
    this.#list.push(...items)
    if (this.#list.length > 2 * UNMATCHED_MAX) this.#list = this.list()
  }

  list(): T[] {
    return this.#list.toSorted(byTime).slice(0, UNMATCHED_MAX)
  }
}

function buildEqualSuggestion(line: OpenLine, payment: OpenPayment): Suggestion {
  return {
    kind: payment.lineIds.length === 0 ? 'PAYMENT' : 'REVERSAL',
    signs: ['AMOUNT', ...findTextSigns(line, payment)],
    lines: [line],
    payments: [payment],
    difference: 0n,
  }
}

function* suggestUnmatched(
  lines: readonly OpenLine[],
  payments: readonly OpenPayment[],
): Generator<Suggestion> {
  const used = new Set<OpenLine | OpenPayment>()
  const isFree = (item: OpenLine | OpenPayment) => !used.has(item)
  const take = (suggestion: Suggestion): Suggestion => {
    for (const item of [...suggestion.lines, ...suggestion.payments]) used.add(item)
    return suggestion
  }
  const byReference = indexPayments(payments, getReferences)
  for (const line of lines) {
    const named = splitWords(line.text).flatMap((word) => byReference.get(word) ?? [])
    const charge = findLineCharge(line, named.filter(isFree))
    if (charge) yield take(charge)
  }
  for (const payment of payments) {
    const charge = isFree(payment) && findPaymentCharge(payment)
    if (charge) yield take(charge)
  }
  for (const line of lines) {
    const reversal = isFree(line) && findReversal(line, lines.filter(isFree))
    if (reversal) yield take(reversal)
  }
  for (const line of lines) {
    const batch = isFree(line) && findBatch(line, payments.filter(isFree))
    if (batch) yield take(batch)
  }
  for (const payment of payments) {
    const parts = isFree(payment) && findParts(payment, lines.filter(isFree))
    if (parts) yield take(parts)
  }
}

/** A line with a payment's reference whose amount is lower by a small bank charge. */
function findLineCharge(line: OpenLine, named: readonly OpenPayment[]): Suggestion | undefined {
  const payment = named.find(
    (candidate) =>
      candidate.lineIds.length === 0 &&
      isCharge(line.amount - computeOutstandingAmount(candidate), candidate),
  )
  if (!payment) return undefined
  const difference = line.amount - computeOutstandingAmount(payment)
  const signs = findTextSigns(line, payment)
  return { kind: 'CHARGE', signs, lines: [line], payments: [payment], difference, account: 'costs' }
}

/** A payment whose own lines are lower than its ledger transfers by a small bank charge. */
function findPaymentCharge(payment: OpenPayment): Suggestion | undefined {
  const difference = -computeOutstandingAmount(payment)
  if (payment.lineIds.length === 0 || !isCharge(difference, payment)) return undefined
  return { kind: 'CHARGE', signs: [], lines: [], payments: [payment], difference, account: 'costs' }
}

/** True if the bank's amount is lower than the ledger's by a small fraction of the payment. */
function isCharge(difference: bigint, { booked }: OpenPayment): boolean {
  return difference < 0n && -difference * CHARGE_SHARE <= toAbsolute(booked)
}

function findReversal(line: OpenLine, lines: readonly OpenLine[]): Suggestion | undefined {
  const other = lines
    .filter(({ amount }) => amount === -line.amount)
    .filter((candidate) => candidate !== line && countDaysApart(candidate, line) <= DAYS_MAX)
    .toSorted((a, b) => countDaysApart(a, line) - countDaysApart(b, line) || byTime(a, b))[0]
  if (!other) return undefined
  const signs: MatchSign[] = isNear(line, other) ? ['AMOUNT', 'DATE'] : ['AMOUNT']
  return { kind: 'REVERSAL', signs, lines: [line, other].toSorted(byTime), payments: [], difference: 0n }
}

/** A line that combines several payments in one amount. */
function findBatch(line: OpenLine, payments: readonly OpenPayment[]): Suggestion | undefined {
  const parts = payments
    .filter(({ lineIds }) => lineIds.length === 0)
    .map((payment) => ({ payment, amount: computeOutstandingAmount(payment), atMs: payment.atMs }))
  const found = findPartsThatSum(line, line.amount, parts)
  if (!found) return undefined
  const chosen = found.map(({ payment }) => payment).toSorted(byTime)
  const hasNearDates = chosen.every((payment) => isNear(line, payment))
  const signs: MatchSign[] = hasNearDates ? ['AMOUNT', 'DATE'] : ['AMOUNT']
  return { kind: 'BATCH', signs, lines: [line], payments: chosen, difference: 0n }
}

/** Several lines that together book one payment. */
function findParts(payment: OpenPayment, lines: readonly OpenLine[]): Suggestion | undefined {
  const parts = lines.map((line) => ({ line, amount: line.amount, atMs: line.atMs }))
  const found = findPartsThatSum(payment, computeOutstandingAmount(payment), parts)
  if (!found) return undefined
  const chosen = found.map(({ line }) => line).toSorted(byTime)
  const hasNearDates = chosen.every((line) => isNear(line, payment))
  const signs: MatchSign[] = hasNearDates ? ['AMOUNT', 'DATE'] : ['AMOUNT']
  return { kind: 'PARTS', signs, lines: chosen, payments: [payment], difference: 0n }
}

/**
 * Finds parts with the sign of the amount, within `DAYS_MAX` of it, that add up to it: consecutive ones if
 * possible, otherwise a combination of the nearest ones.
 */
function findPartsThatSum<P extends { readonly amount: bigint; readonly atMs: number }>(
  whole: { readonly atMs: number },
  amount: bigint,
  parts: readonly P[],
): readonly P[] | undefined {
  const candidates = parts.filter(
    (part) =>
      part.amount !== 0n &&
      part.amount < 0n === amount < 0n &&
      toAbsolute(part.amount) < toAbsolute(amount) &&
      countDaysApart(part, whole) <= DAYS_MAX,
  )
  if (candidates.length < 2) return undefined
  // `parts` are in chronological order and the sort is stable, so the result is deterministic.
  const nearest = candidates.toSorted((a, b) => countDaysApart(a, whole) - countDaysApart(b, whole))
  return findRun(candidates, amount, PARTS_MAX) ?? findSubset(nearest, amount)
}
