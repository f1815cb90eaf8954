/** A searchable entry. */
export interface SearchEntry {
  readonly title: string
  readonly address: string
  /** The kind of entry and its location, such as `Operation · POST /quotes`. */
  readonly place: string
  /** Further searchable text, stored in lower case so that it is not converted for each search. */
  readonly words: string
}

const RESULTS_MAX = 30
/** The maximum number of search words. Each one is searched for in all guides. */
const WORDS_MAX = 8
export const QUERY_CHARACTERS_MAX = 100

/** Scores for a word, by where it matches. */
const IN_TITLE_AS_WORD = 8
const IN_TITLE = 4
const IN_PLACE = 3
const IN_WORDS = 1

/** The entries that contain every word of the query, best matches first. */
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
