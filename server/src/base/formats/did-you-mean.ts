/** The longest compared name: the cost grows with the product of the lengths. */
const COMPARED_CHARACTERS_MAX = 64

/**
 * The known word nearest to an unknown one: equal except for case and separators, or with one typo in four
 * characters, at most three. Undefined if no word is near.
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > COMPARED_CHARACTERS_MAX) return undefined
  const asked = foldWord(word)
  const [best] = known
    .map((candidate) => ({ candidate, mistypes: mistypesBetween(asked, foldWord(candidate)) }))
    .sort((one, other) => one.mistypes - other.mistypes)
  const mistypesMax = Math.min(3, Math.ceil(asked.length / 4))
  return best && best.mistypes <= mistypesMax ? best.candidate : undefined
}

function foldWord(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/**
 * The number of characters to insert, delete, replace or swap with their neighbor (optimal string alignment).
 */
function mistypesBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        costAt(last, j) + 1,
        costAt(row, j - 1) + 1,
        costAt(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? costAt(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = row
  }
  return costAt(last, other.length)
}

function costAt(row: readonly number[], place: number): number {
  return row[place] ?? Number.POSITIVE_INFINITY
}
