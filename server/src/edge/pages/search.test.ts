import { expect, test } from 'vitest'
import { rankEntries } from './search.ts'

const entry = (title: string, place = '', words = '') => ({ title, address: `/${title}`, place, words })
const titles = (query: string, ...entries: ReturnType<typeof entry>[]) =>
  rankEntries(entries, query).map(({ title }) => title)

test('a search finds entries with every word: whole words of a title first, then parts, then other places', () => {
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

test('a search without words finds nothing, and a search for a common word a bounded number', () => {
  const many = Array.from({ length: 100 }, (_, at) => entry(`Entry ${at}`))
  expect(titles('  ', ...many)).toEqual([])
  expect(titles('entry', ...many)).toHaveLength(30)
})
