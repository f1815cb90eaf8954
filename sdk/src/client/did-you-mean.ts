const EDITS_MAX = 3

/**
 * Suggests the most similar word, such as ` Did you mean "customers"?`, or returns an empty string if none is
 * similar.
 */
export function suggestNearest(word: string, words: readonly string[]): string {
  const simplify = (text: string) => text.toLowerCase().replaceAll('_', '')
  const [best] = words
    .map((candidate) => ({ one: candidate, edits: countEdits(simplify(word), simplify(candidate)) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.min(EDITS_MAX, word.length / 2) ? ` Did you mean "${best.one}"?` : ''
}

/** The Levenshtein distance between two words. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
