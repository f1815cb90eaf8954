import { expect, test } from 'vitest'
import { rankEntries } from './search.ts'

const entry = (title: string, place = '', words = '') => ({ title, address: `/${title}`, place, words })
const titles = (query: string, ...entries: ReturnType<typeof entry>[]) =>
  rankEntries(entries, query).map(({ title }) => title)

test('a search of the documentation finds entries with all words, and lists matches of whole title words first', () => {
  const entries = [
    entry('Other', '', 'locks a quote'),
    entry('Read it', 'GET /quotes'),
    entry('List quotes'),
    entry('Create a quote', 'POST /quotes'),
    entry('Nothing'),
  ]
  expect(titles('quote', ...entries)).toEqual(['Create a quote', 'List quotes', 'Read it', 'Other'])
  expect(titles('QUOTE  post', ...entries)).toEqual(['Create a quote'])
  expect(titles('quote nowhere', ...entries)).toEqual([])
})

test('a search of the documentation without words finds nothing, and one for a common word finds a bounded number', () => {
  const manyEntries = Array.from({ length: 100 }, (_, at) => entry(`Entry ${at}`))
  expect(titles('  ', ...manyEntries)).toEqual([])
  expect(titles('entry', ...manyEntries)).toHaveLength(30)
})
