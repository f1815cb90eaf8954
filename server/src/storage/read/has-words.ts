import { type RawBuilder, sql } from 'kysely'
import { extractUuid } from '../engine/ids.ts'
import { AGENT_WORDS, CUSTOMER_WORDS, SEARCH_SEPARATORS } from '../schema/search-words.ts'

const WORDS = { customers: CUSTOMER_WORDS, agents: AGENT_WORDS } as const

/** The maximum number of words of a search; further words are ignored. */
const WORDS_MAX = 10

/**
 * True if the record matches the search text: each word of the search is a prefix of a word of the record, or
 * the whole search is a prefix of one of its values, such as an email address. Telephone numbers may contain
 * spaces and brackets. Uses the table's word index.
 */
export function hasWords(
  table: keyof typeof WORDS,
  platformId: string,
  searchText: string,
): RawBuilder<boolean> {
  const matches = sql`${sql.raw(WORDS[table])} @@ lower(${buildTsquery(platformId, searchText)})::tsquery`
  // OFFSET forces PostgreSQL to use the word index. Without it, a search with many matches would scan the
  // table in the order of the list.
  return sql<boolean>`id IN (SELECT found.id FROM ${sql.table(table)} AS found WHERE ${matches} OFFSET 0)`
}

function buildTsquery(platformId: string, searchText: string): string {
  const prefix = (word: string) => quotePrefix(`${extractUuid(platformId)} ${word}`)
  const words = searchText.split(SEARCH_SEPARATORS).filter(Boolean).slice(0, WORDS_MAX)
  const phone = /^[+\d\s()./-]{6,}$/.test(searchText) ? searchText.replace(/\D/g, '') : undefined
  const alternatives = [
    prefix(searchText.trim()),
    ...(words.length > 0 ? [`(${words.map(prefix).join(' & ')})`] : []),
    ...(phone ? [prefix(phone), prefix(`+${phone}`)] : []),
  ]
  return alternatives.join(' | ')
}

/** Quotes a word as a tsquery prefix. */
function quotePrefix(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`
}
