import type {
  MatchAccount,
  MatchSign,
  MatchSuggestionKind,
} from '@countersign/contract/operation/reconciliation-matches'
import { byKey, pairEqual } from './pair-equal.ts'
import {
  daysApart,
  isNear,
  type OpenLine,
  type OpenPayment,
  referencesOf,
  restOf,
  textSigns,
  wordsOf,
} from './signs.ts'
import { compareAmounts, runOf, subsetOf, toAbsolute } from './subsets.ts'

/**
 * Suggests which open lines and payments of one account belong together. Pure and deterministic: the same lines and payments, in
 * whatever order, give the same suggestions. Each is in one suggestion at most.
 */

/** The maximum number of lines, and of payments, with one amount that are compared with each other. */
const GROUP_MAX = 10_000
/**
 * The maximum number of lines, and of payments, without an equal partner tried in other ways, oldest first.
 */
const LEFT_MAX = 500
/**
 * The maximum number of days between a line and each of the payments that it sums up, and between a reversal
 * and its line.
 */
const DAYS_MAX = 31
/** A bank keeps at most a tenth. */
const CHARGE_SHARE = 10n
/** The maximum number of payments, and of lines, per suggestion. */
const PARTS_MAX = 500

export interface Suggestion {
  readonly kind: MatchSuggestionKind
  readonly signs: readonly MatchSign[]
  readonly lines: readonly OpenLine[]
  readonly payments: readonly OpenPayment[]
  /** The sum of all lines, including the payments' own, minus the ledger's movements. */
  readonly difference: bigint
  readonly account?: MatchAccount
}

/** The suggestions for lines and payments in any order. */
export function suggestMatches(lines: readonly OpenLine[], payments: readonly OpenPayment[]): Suggestion[] {
  return [...suggestSorted(lines.toSorted(byAmount), payments.toSorted(byRest))]
}

/** The order in which `suggestSorted` takes lines, and payments. */
export function byAmount(one: OpenLine, other: OpenLine): number {
  return compareAmounts(one.amount, other.amount) || byTime(one, other)
}

export function byRest(one: OpenPayment, other: OpenPayment): number {
  return compareAmounts(restOf(one), restOf(other)) || byTime(one, other)
}

function byTime(one: OpenLine | OpenPayment, other: OpenLine | OpenPayment): number {
  return one.atMs - other.atMs || (one.id < other.id ? -1 : 1)
}

/**
 * The suggestions for lines in the order of `byAmount` and payments in the order of `byRest`. Keeps the lines and payments of one amount, and the oldest
 * without a partner: its memory does not grow with their number.
 */
export function* suggestSorted(
  lines: Iterable<OpenLine>,
  payments: Iterable<OpenPayment>,
): Generator<Suggestion> {
  const left = { lines: new Oldest<OpenLine>(), payments: new Oldest<OpenPayment>() }
  for (const group of groups(lines, payments)) {
    const paired = pairEqual(group.lines, group.payments)
    for (const { line, payment } of paired.pairs) yield equalSuggestion(line, payment)
    left.lines.add(paired.lines)
    left.payments.add(paired.payments)
  }
  yield* suggestLeft(left.lines.list(), left.payments.list())
}

/** Lines and payments with one amount, ordered by amount. */
function* groups(lines: Iterable<OpenLine>, payments: Iterable<OpenPayment>) {
  const ofLines = groupByAmount(lines, ({ amount }) => amount)
  const ofPayments = groupByAmount(payments, restOf)
  let line = ofLines.next()
  let payment = ofPayments.next()
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
    if (order <= 0) line = ofLines.next()
    if (order >= 0) payment = ofPayments.next()
  }
}

function* groupByAmount<T>(
  all: Iterable<T>,
  amountOf: (one: T) => bigint,
): Generator<{ readonly amount: bigint; readonly list: readonly T[] }, undefined> {
  let list: T[] = []
  let amount = 0n
  for (const one of all) {
    const next = amountOf(one)
    if (list.length > 0 && (next !== amount || list.length === GROUP_MAX)) {
      yield { amount, list }
      list = []
    }
    amount = next
    list.push(one)
  }
  if (list.length > 0) yield { amount, list }
}

/** The oldest of the added items. */
class Oldest<T extends OpenLine | OpenPayment> {
  #list: T[] = []

  add(more: readonly T[]): void {
    this.#list.push(...more)
    if (this.#list.length > 2 * LEFT_MAX) this.#list = this.list()
  }

  list(): T[] {
    return this.#list.toSorted(byTime).slice(0, LEFT_MAX)
  }
}

function equalSuggestion(line: OpenLine, payment: OpenPayment): Suggestion {
  return {
    kind: payment.lineIds.length === 0 ? 'PAYMENT' : 'REVERSAL',
    signs: ['AMOUNT', ...textSigns(line, payment)],
    lines: [line],
    payments: [payment],
    difference: 0n,
  }
}

function* suggestLeft(lines: readonly OpenLine[], payments: readonly OpenPayment[]): Generator<Suggestion> {
  const used = new Set<OpenLine | OpenPayment>()
  const isFree = (one: OpenLine | OpenPayment) => !used.has(one)
  const take = (suggestion: Suggestion): Suggestion => {
    for (const one of [...suggestion.lines, ...suggestion.payments]) used.add(one)
    return suggestion
  }
  const byReference = byKey(payments, referencesOf)
  for (const line of lines) {
    const named = wordsOf(line.text).flatMap((word) => byReference.get(word) ?? [])
    const charge = chargeOfLine(line, named.filter(isFree))
    if (charge) yield take(charge)
  }
  for (const payment of payments) {
    const charge = isFree(payment) && chargeOfPayment(payment)
    if (charge) yield take(charge)
  }
  for (const line of lines) {
    const reversal = isFree(line) && reversalOf(line, lines.filter(isFree))
    if (reversal) yield take(reversal)
  }
  for (const line of lines) {
    const batch = isFree(line) && batchOf(line, payments.filter(isFree))
    if (batch) yield take(batch)
  }
  for (const payment of payments) {
    const parts = isFree(payment) && partsOf(payment, lines.filter(isFree))
    if (parts) yield take(parts)
  }
}

/** A line with a payment's reference, minus a small bank charge. */
function chargeOfLine(line: OpenLine, named: readonly OpenPayment[]): Suggestion | undefined {
  const payment = named.find((one) => one.lineIds.length === 0 && isCharge(line.amount - restOf(one), one))
  if (!payment) return undefined
  const difference = line.amount - restOf(payment)
  const signs = textSigns(line, payment)
  return { kind: 'CHARGE', signs, lines: [line], payments: [payment], difference, account: 'costs' }
}

/** A payment whose own lines differ a little from its ledger movements. */
function chargeOfPayment(payment: OpenPayment): Suggestion | undefined {
  const difference = -restOf(payment)
  if (payment.lineIds.length === 0 || !isCharge(difference, payment)) return undefined
  return { kind: 'CHARGE', signs: [], lines: [], payments: [payment], difference, account: 'costs' }
}

/** True if the bank's amount is below the books by a small part of the payment. */
function isCharge(difference: bigint, { booked }: OpenPayment): boolean {
  return difference < 0n && -difference * CHARGE_SHARE <= toAbsolute(booked)
}

function reversalOf(line: OpenLine, lines: readonly OpenLine[]): Suggestion | undefined {
  const other = lines
    .filter(({ amount }) => amount === -line.amount)
    .filter((one) => one !== line && daysApart(one, line) <= DAYS_MAX)
    .toSorted((a, b) => daysApart(a, line) - daysApart(b, line) || byTime(a, b))[0]
  if (!other) return undefined
  const signs: MatchSign[] = isNear(line, other) ? ['AMOUNT', 'DATE'] : ['AMOUNT']
  return { kind: 'REVERSAL', signs, lines: [line, other].toSorted(byTime), payments: [], difference: 0n }
}

/** A line that books several payments as one sum. */
function batchOf(line: OpenLine, payments: readonly OpenPayment[]): Suggestion | undefined {
  const parts = payments
    .filter(({ lineIds }) => lineIds.length === 0)
    .map((payment) => ({ payment, amount: restOf(payment), atMs: payment.atMs }))
  const found = partsThatSum(line, line.amount, parts)
  if (!found) return undefined
  const chosen = found.map(({ payment }) => payment).toSorted(byTime)
  const isDated = chosen.every((payment) => isNear(line, payment))
  const signs: MatchSign[] = isDated ? ['AMOUNT', 'DATE'] : ['AMOUNT']
  return { kind: 'BATCH', signs, lines: [line], payments: chosen, difference: 0n }
}

/** Several lines that book one payment in parts. */
function partsOf(payment: OpenPayment, lines: readonly OpenLine[]): Suggestion | undefined {
  const parts = lines.map((line) => ({ line, amount: line.amount, atMs: line.atMs }))
  const found = partsThatSum(payment, restOf(payment), parts)
  if (!found) return undefined
  const chosen = found.map(({ line }) => line).toSorted(byTime)
  const isDated = chosen.every((line) => isNear(line, payment))
  const signs: MatchSign[] = isDated ? ['AMOUNT', 'DATE'] : ['AMOUNT']
  return { kind: 'PARTS', signs, lines: chosen, payments: [payment], difference: 0n }
}

/** Parts with the sign of an amount, and near enough: those that follow each other in time, else any few of the nearest. */
function partsThatSum<P extends { readonly amount: bigint; readonly atMs: number }>(
  whole: { readonly atMs: number },
  amount: bigint,
  parts: readonly P[],
): readonly P[] | undefined {
  const fitting = parts.filter(
    (part) =>
      part.amount !== 0n &&
      part.amount < 0n === amount < 0n &&
      toAbsolute(part.amount) < toAbsolute(amount) &&
      daysApart(part, whole) <= DAYS_MAX,
  )
  if (fitting.length < 2) return undefined
  // `parts` are in chronological order, and sorting keeps it for equal distances: the order is always the
  // same.
  const nearest = fitting.toSorted((a, b) => daysApart(a, whole) - daysApart(b, whole))
  return runOf(fitting, amount, PARTS_MAX) ?? subsetOf(nearest, amount)
}
