/**
 * Finds parts that sum to an amount. Pure functions with bounded running time. All parts have the sign of the
 * amount.
 */

/** The maximum number of parts tried in every combination, and of search steps. */
export const SUBSET_PARTS_MAX = 24
export const SUBSET_STEPS_MAX = 4000

interface Part {
  readonly amount: bigint
}

/** The first run of two to `max` consecutive parts that sums to an amount. */
export function findRun<P extends Part>(
  parts: readonly P[],
  amount: bigint,
  max: number,
): readonly P[] | undefined {
  const target = toAbsolute(amount)
  let from = 0
  let sum = 0n
  for (const [to, part] of parts.entries()) {
    sum += toAbsolute(part.amount)
    while (sum > target || to - from >= max) {
      sum -= toAbsolute(parts[from]?.amount ?? 0n)
      from++
    }
    if (sum === target && to > from) return parts.slice(from, to + 1)
  }
  return undefined
}

/**
 * Any two or more of the first `SUBSET_PARTS_MAX` parts that sum to an amount. Undefined if none were found
 * within `SUBSET_STEPS_MAX` steps.
 */
export function findSubset<P extends Part>(parts: readonly P[], amount: bigint): readonly P[] | undefined {
  const largestFirst = parts
    .slice(0, SUBSET_PARTS_MAX)
    .toSorted((a, b) => compareAmounts(toAbsolute(b.amount), toAbsolute(a.amount)))
  const sumsAfter = sumsFrom(largestFirst)
  const chosen: P[] = []
  let steps = 0
  const search = (from: number, left: bigint): boolean => {
    if (left === 0n) return chosen.length > 1
    // The remaining parts are too small, or all steps are used up.
    if ((sumsAfter[from] ?? 0n) < left || ++steps > SUBSET_STEPS_MAX) return false
    const part = largestFirst[from]
    if (!part) return false
    const size = toAbsolute(part.amount)
    if (size <= left) {
      chosen.push(part)
      if (search(from + 1, left - size)) return true
      chosen.pop()
    }
    return search(from + 1, left)
  }
  return search(0, toAbsolute(amount)) ? chosen : undefined
}

/** For each index, the sum of the parts from there to the end. */
function sumsFrom(parts: readonly Part[]): readonly bigint[] {
  const sums: bigint[] = []
  let sum = 0n
  for (const { amount } of parts.toReversed()) {
    sum += toAbsolute(amount)
    sums.push(sum)
  }
  return sums.reverse()
}

export function toAbsolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

export function compareAmounts(one: bigint, right: bigint): number {
  return one < right ? -1 : one > right ? 1 : 0
}
