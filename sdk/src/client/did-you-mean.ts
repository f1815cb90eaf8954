const EDITS_MAX = 3

/** A sentence with the nearest word, or an empty string if none is near: ` Did you mean "customers"?`. */
export function suggestNearest(word: string, words: readonly string[]): string {
  const simplify = (text: string) => text.toLowerCase().replaceAll('_', '')
  const [best] = words
    .map((one) => ({ one, edits: editsBetween(simplify(word), simplify(one)) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.min(EDITS_MAX, word.length / 2) ? ` Did you mean "${best.one}"?` : ''
}

/** The number of letters inserted, deleted or replaced between two words. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
