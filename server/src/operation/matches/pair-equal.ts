import { daysApart, nameWordsOf, type OpenLine, type OpenPayment, referencesOf, wordsOf } from './signs.ts'

/** The maximum number of payments compared with a line because a word of its text is in their names. */
const CANDIDATES_MAX = 16
/** The maximum number of days between a line and a payment that share only the amount. */
const DAYS_MAX = 31

export interface Pair {
  readonly line: OpenLine
  readonly payment: OpenPayment
}

/**
 * Pairs lines with payments of one amount: by reference, then by name, then by date. Both are in
 * chronological order. Lines and payments without a partner are returned unchanged.
 */
export function pairEqual(lines: readonly OpenLine[], payments: readonly OpenPayment[]) {
  const pairs: Pair[] = []
  const usedLines = new Set<OpenLine>()
  const usedPayments = new Set<OpenPayment>()
  const pair = (line: OpenLine, payment: OpenPayment) => {
    usedLines.add(line)
    usedPayments.add(payment)
    pairs.push({ line, payment })
  }
  const texts = lines.map((line) => ({ line, words: new Set(wordsOf(line.text)) }))
  pairByKey(texts, byKey(payments, referencesOf), usedPayments, pair, () => true)
  const named = texts.filter(({ line }) => !usedLines.has(line))
  pairByKey(named, byKey(payments, firstWords), usedPayments, pair, hasName)
  const withoutUsed = <T extends OpenLine | OpenPayment>(all: readonly T[], used: ReadonlySet<T>) =>
    all.filter((one) => !used.has(one))
  pairByDate(withoutUsed(lines, usedLines), withoutUsed(payments, usedPayments), pair)
  return { pairs, lines: withoutUsed(lines, usedLines), payments: withoutUsed(payments, usedPayments) }
}

interface LineWithWords {
  readonly line: OpenLine
  readonly words: ReadonlySet<string>
}

/** The first word of each name: one of them must be in a line's text. */
function firstWords(payment: OpenPayment): readonly string[] {
  return nameWordsOf(payment).flatMap(([first]) => (first === undefined ? [] : [first]))
}

function hasName(words: ReadonlySet<string>, payment: OpenPayment): boolean {
  return nameWordsOf(payment).some((name) => name.every((word) => words.has(word)))
}

/** Payments by each of their keys. */
export function byKey(
  payments: readonly OpenPayment[],
  keysOf: (payment: OpenPayment) => readonly string[],
): ReadonlyMap<string, readonly OpenPayment[]> {
  const found = new Map<string, OpenPayment[]>()
  for (const payment of payments)
    for (const key of keysOf(payment)) {
      const list = found.get(key)
      if (!list) found.set(key, [payment])
      else list.push(payment)
    }
  return found
}

function pairByKey(
  lines: readonly LineWithWords[],
  byKeys: ReadonlyMap<string, readonly OpenPayment[]>,
  used: ReadonlySet<OpenPayment>,
  pair: (line: OpenLine, payment: OpenPayment) => void,
  isPartner: (words: ReadonlySet<string>, payment: OpenPayment) => boolean,
): void {
  if (byKeys.size === 0) return
  for (const { line, words } of lines) {
    const candidates = [...words].flatMap((word) => byKeys.get(word)?.slice(0, CANDIDATES_MAX) ?? [])
    const free = candidates.filter((payment) => !used.has(payment) && isPartner(words, payment))
    const nearest = nearestOf(line, free)
    if (nearest) pair(line, nearest)
  }
}

function nearestOf(line: OpenLine, payments: readonly OpenPayment[]): OpenPayment | undefined {
  let nearest: OpenPayment | undefined
  for (const payment of payments)
    if (!nearest || daysApart(line, payment) < daysApart(line, nearest)) nearest = payment
  return nearest
}

/** Pairs in chronological order: a line with the oldest payment that is near enough. */
function pairByDate(
  lines: readonly OpenLine[],
  payments: readonly OpenPayment[],
  pair: (line: OpenLine, payment: OpenPayment) => void,
): void {
  let place = 0
  for (const line of lines) {
    let payment = payments[place]
    while (payment && payment.atMs < line.atMs && daysApart(line, payment) > DAYS_MAX)
      payment = payments[++place]
    if (!payment || daysApart(line, payment) > DAYS_MAX) continue
    pair(line, payment)
    place++
  }
}
