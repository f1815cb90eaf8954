import { type RawBuilder, sql } from 'kysely'
import { uuidOf } from '../engine/ids.ts'
import { AGENT_WORDS, BETWEEN_ASKED, CUSTOMER_WORDS } from '../schema/search-words.ts'

const WORDS = { customers: CUSTOMER_WORDS, agents: AGENT_WORDS } as const

/** The most words of a question that count. */
const WORDS_MAX = 10

/**
 * Whether a record has what is asked for: each word begins one of its own, or the whole begins one of its values, such as an
 * e-mail address; a telephone number may be written with spaces and brackets. The index of the table answers it.
 */
export function hasWords(table: keyof typeof WORDS, platformId: string, asked: string): RawBuilder<boolean> {
  const asks = sql`${sql.raw(WORDS[table])} @@ lower(${questionOf(platformId, asked)})::tsquery`
  // OFFSET keeps the index of the words: a search for one of many is not answered row by row in the order of a list.
  return sql<boolean>`id IN (SELECT found.id FROM ${sql.table(table)} AS found WHERE ${asks} OFFSET 0)`
}

function questionOf(platformId: string, asked: string): string {
  const begins = (word: string) => quoted(`${uuidOf(platformId)} ${word}`)
  const words = asked.split(BETWEEN_ASKED).filter(Boolean).slice(0, WORDS_MAX)
  const phone = /^[+\d\s()./-]{6,}$/.test(asked) ? asked.replace(/\D/g, '') : undefined
  const either = [
    begins(asked.trim()),
    ...(words.length > 0 ? [`(${words.map(begins).join(' & ')})`] : []),
    ...(phone ? [begins(phone), begins(`+${phone}`)] : []),
  ]
  return either.join(' | ')
}

/** The beginning of a word, as PostgreSQL reads it in a question. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`
}
