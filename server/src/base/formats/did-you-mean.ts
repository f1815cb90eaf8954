/** Longer names are not compared, because the cost grows with the product of the lengths. */
const COMPARED_CHARACTERS_MAX = 64

/**
 * Finds the known word nearest to an unknown one: equal except for case and separators, or with at most one
 * typo per four characters and three in total. Undefined if no word is that close.
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > COMPARED_CHARACTERS_MAX) return undefined
  const folded = foldWord(word)
  const [best] = known
    .map((candidate) => ({ candidate, typos: countTypos(folded, foldWord(candidate)) }))
    .sort((left, right) => left.typos - right.typos)
  const typosMax = Math.min(3, Math.ceil(folded.length / 4))
  return best && best.typos <= typosMax ? best.candidate : undefined
}

function foldWord(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/**
 * The number of characters to insert, delete, replace or swap with their neighbors (optimal string
 * alignment).
 */
function countTypos(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1]
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      row[j] = Math.min(
        getCostAt(last, j) + 1,
        getCostAt(row, j - 1) + 1,
        getCostAt(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? getCostAt(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = row
  }
  return getCostAt(last, right.length)
}

function getCostAt(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
