import { type RawBuilder, sql } from 'kysely'
import { uuidOf } from '../engine/ids.ts'
import { AGENT_WORDS, BETWEEN_ASKED, CUSTOMER_WORDS } from '../schema/search-words.ts'

const WORDS = { customers: CUSTOMER_WORDS, agents: AGENT_WORDS } as const

/** The maximum number of words per search that count. */
const WORDS_MAX = 10

/**
 * True if the record matches the search: each word begins one of its words, or the whole search begins one of
 * its values, such as an email address. Telephone numbers may contain spaces and brackets. The index of the
 * table serves this.
 */
export function hasWords(table: keyof typeof WORDS, platformId: string, asked: string): RawBuilder<boolean> {
  const asks = sql`${sql.raw(WORDS[table])} @@ lower(${questionOf(platformId, asked)})::tsquery`
  // OFFSET makes PostgreSQL use the word index: it would otherwise scan the list in its order for a match of
  // many.
  return sql<boolean>`id IN (SELECT found.id FROM ${sql.table(table)} AS found WHERE ${asks} OFFSET 0)`
}

function questionOf(platformId: string, asked: string): string {
  const begins = (word: string) => quotePrefix(`${uuidOf(platformId)} ${word}`)
  const words = asked.split(BETWEEN_ASKED).filter(Boolean).slice(0, WORDS_MAX)
  const phone = /^[+\d\s()./-]{6,}$/.test(asked) ? asked.replace(/\D/g, '') : undefined
  const either = [
    begins(asked.trim()),
    ...(words.length > 0 ? [`(${words.map(begins).join(' & ')})`] : []),
    ...(phone ? [begins(phone), begins(`+${phone}`)] : []),
  ]
  return either.join(' | ')
}

/** A word prefix, quoted for a tsquery. */
function quotePrefix(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`
}
