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
  const terms = query
    .slice(0, QUERY_CHARACTERS_MAX)
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, WORDS_MAX)
  if (terms.length === 0) return []
  const matches = entries.flatMap((entry) => {
    const scores = terms.map((term) => scoreEntry(entry, term))
    return scores.includes(0) ? [] : [{ entry, score: scores.reduce((sum, score) => sum + score, 0) }]
  })
  return matches
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreEntry({ title, place, words }: SearchEntry, term: string): number {
  const inTitle = title.toLowerCase()
  const isWord = inTitle.split(/[^\p{L}\p{N}]+/u).includes(term)
  if (isWord) return IN_TITLE_AS_WORD
  if (inTitle.includes(term)) return IN_TITLE
  if (place.toLowerCase().includes(term)) return IN_PLACE
  return words.includes(term) ? IN_WORDS : 0
}
