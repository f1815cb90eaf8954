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
  'INTERNAL_ACCOUNT',
  'EVENT',
] as const

/** The most records of one search. */
export const SEARCH_RESULTS_MAX = 20

/** A record that was found, in words that tell it from others. */
export const SearchResult = Type.Object({
  type: OneOfWords(SEARCHED),
  id: Type.String(),
  title: Type.String({ description: 'The name of a customer, the amount of a payment' }),
  detail: Type.Optional(Type.String({ description: 'What tells it from others of the same title' })),
})

export const search = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/search',
  tag: 'Overview',
  summary: 'Find a record by any identifier',
  description:
    'Looks for an id of any kind, an e-mail address, a telephone number, the words of a name by their beginnings, ' +
    'an id of the platform’s own, a reference, an UMA address, the number of an account or the last four digits of a ' +
    `card, without regard to case. At most ${SEARCH_RESULTS_MAX} records: narrow the question where there are more.`,
  query: Type.Object({ query: Text(255, { description: 'What is known of the record' }) }),
  responses: { 200: Type.Object({ data: Type.Array(SearchResult) }) },
  errors: ['INVALID_INPUT'],
})

export const searches = { search }
