import {
  countDaysApart,
  getNameWords,
  getReferences,
  type OpenLine,
  type OpenPayment,
  splitWords,
} from './signs.ts'

/** The maximum number of payments compared with a line for each word in its text. */
const CANDIDATES_MAX = 16
/** The maximum number of days between a line and a payment that have only the amount in common. */
const DAYS_MAX = 31

export interface Pair {
  readonly line: OpenLine
  readonly payment: OpenPayment
}

/**
 * Pairs lines and payments of the same amount: by reference, then by name, then by date. Both lists must be
 * in chronological order. Also returns the lines and payments left without a partner.
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
  const texts = lines.map((line) => ({ line, words: new Set(splitWords(line.text)) }))
  pairByKey(texts, indexPayments(payments, getReferences), usedPayments, pair, () => true)
  const unpairedTexts = texts.filter(({ line }) => !usedLines.has(line))
  pairByKey(unpairedTexts, indexPayments(payments, listFirstWords), usedPayments, pair, hasName)
  const withoutUsed = <T extends OpenLine | OpenPayment>(all: readonly T[], used: ReadonlySet<T>) =>
    all.filter((one) => !used.has(one))
  pairByDate(withoutUsed(lines, usedLines), withoutUsed(payments, usedPayments), pair)
  return { pairs, lines: withoutUsed(lines, usedLines), payments: withoutUsed(payments, usedPayments) }
}

interface LineWithWords {
  readonly line: OpenLine
  readonly words: ReadonlySet<string>
}

/**
 * The first significant word of each of a payment's names. A line matches by name only if it contains one of
 * them.
 */
function listFirstWords(payment: OpenPayment): readonly string[] {
  return getNameWords(payment).flatMap(([first]) => (first === undefined ? [] : [first]))
}

function hasName(words: ReadonlySet<string>, payment: OpenPayment): boolean {
  return getNameWords(payment).some((name) => name.every((word) => words.has(word)))
}

/** Indexes payments by each of their keys. */
export function indexPayments(
  payments: readonly OpenPayment[],
  getKeys: (payment: OpenPayment) => readonly string[],
): ReadonlyMap<string, readonly OpenPayment[]> {
  const found = new Map<string, OpenPayment[]>()
  for (const payment of payments)
    for (const key of getKeys(payment)) {
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
    const nearest = findNearest(line, free)
    if (nearest) pair(line, nearest)
  }
}

function findNearest(line: OpenLine, payments: readonly OpenPayment[]): OpenPayment | undefined {
  let nearest: OpenPayment | undefined
  for (const payment of payments)
    if (!nearest || countDaysApart(line, payment) < countDaysApart(line, nearest)) nearest = payment
  return nearest
}

/** Pairs each line, in chronological order, with the oldest unpaired payment at most `DAYS_MAX` away. */
function pairByDate(
  lines: readonly OpenLine[],
  payments: readonly OpenPayment[],
  pair: (line: OpenLine, payment: OpenPayment) => void,
): void {
  let index = 0
  for (const line of lines) {
    let payment = payments[index]
    while (payment && payment.atMs < line.atMs && countDaysApart(line, payment) > DAYS_MAX)
      payment = payments[++index]
    if (!payment || countDaysApart(line, payment) > DAYS_MAX) continue
    pair(line, payment)
    index++
  }
}
