import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { OneOfWords, Text } from '../core/schema.ts'

export const SEARCHED = [
  'CUSTOMER',
  'TRANSACTION',
  'QUOTE',
  'CARD',
  'AGENT',
  'EXTERNAL_ACCOUNT',
  'MANDATE',
  'INTERNAL_ACCOUNT',
  'EVENT',
] as const

/** Maximum number of search results. */
export const SEARCH_RESULTS_MAX = 20

/** A search for an amount only looks at this many payments, newest first. */
export const SEARCH_PAYMENTS_MAX = 2_000

/** A search result, described well enough to distinguish it from the others. */
export const SearchResult = Type.Object({
  type: OneOfWords(SEARCHED),
  id: Type.String(),
  title: Type.String({ description: 'For example, the name of a customer or the amount of a payment' }),
  detail: Type.Optional(
    Type.String({ description: 'A detail that distinguishes it from others with the same title' }),
  ),
})

export const search = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/search',
  tag: 'Overview',
  summary: 'Find a record by any identifier',
  description:
    'Searches by an id of any kind, the beginnings of words in a name, an e-mail address or a part of it ' +
    "such as its domain, a telephone number, one of the platform's own ids, the beginning of a " +
    'reference, the full reference of a mandate, an UMA address, an account number, and the last four ' +
    'characters of an account, a card or a telephone number, without regard to case. An amount, such as ' +
    `25.00 or 25.00 USD, finds payments among the newest ${SEARCH_PAYMENTS_MAX.toLocaleString('en')}; ` +
    `the name of a merchant finds cards by their newest purchases. At most ${SEARCH_RESULTS_MAX} ` +
    'records: refine the query if there are more.',
  query: Type.Object({ query: Text(255, { description: 'An identifier, name or amount' }) }),
  responses: { 200: Type.Object({ data: Type.Array(SearchResult) }) },
  errors: ['INVALID_INPUT'],
})

export const searches = { search }
