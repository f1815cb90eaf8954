/** A searchable entry. */
export interface SearchEntry {
  readonly title: string
  readonly address: string
  /** The kind of the entry and its place, `Operation · POST /quotes`. */
  readonly place: string
  /** Additional search words, already in lower case: there are too many to convert at each search. */
  readonly words: string
}

const RESULTS_MAX = 30
/** Each word is searched for in the text of all guides. */
const WORDS_MAX = 8
export const QUERY_CHARACTERS_MAX = 100

/** Scores of a word by the place of the match. */
const IN_TITLE_AS_WORD = 8
const IN_TITLE = 4
const IN_PLACE = 3
const IN_WORDS = 1

/** The entries that have every word of the query, best first. Pure. */
export function rankEntries(entries: readonly SearchEntry[], query: string): SearchEntry[] {
  const words = query
    .slice(0, QUERY_CHARACTERS_MAX)
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, WORDS_MAX)
  if (words.length === 0) return []
  const found = entries.flatMap((entry) => {
    const scores = words.map((word) => scoreOf(entry, word))
    return scores.includes(0) ? [] : [{ entry, score: scores.reduce((sum, one) => sum + one, 0) }]
  })
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreOf({ title, place, words }: SearchEntry, word: string): number {
  const inTitle = title.toLowerCase()
  const isWord = inTitle.split(/[^\p{L}\p{N}]+/u).includes(word)
  if (isWord) return IN_TITLE_AS_WORD
  if (inTitle.includes(word)) return IN_TITLE
  if (place.toLowerCase().includes(word)) return IN_PLACE
  return words.includes(word) ? IN_WORDS : 0
}
