import { expect, test } from 'vitest'
import type { Column } from './column.ts'
import { fitColumns } from './fitting-columns.ts'

const buildColumn = (id: string, width: string, priority?: 2 | 3): Column<never> => ({
  id,
  header: id,
  width,
  ...(priority ? { priority } : {}),
  cell: () => id,
})

const COLUMNS = [
  buildColumn('status', '6rem'),
  buildColumn('payee', 'minmax(10rem, 2fr)', 2),
  buildColumn('id', '10rem', 3),
  buildColumn('amount', 'minmax(8.5rem, 1fr)'),
  buildColumn('begun', '8rem', 2),
  buildColumn('note', '5rem', 3),
]

const listIdsAt = (rem: number, hasChecks = false) => {
  const { columns, isCards } = fitColumns(COLUMNS, rem, hasChecks)
  return [isCards ? 'cards' : 'rows', ...columns.map(({ id }) => id)]
}

test('columns are dropped by priority, last one first, and the remaining ones have their minimum width', () => {
  expect(listIdsAt(100)).toEqual(['rows', 'status', 'payee', 'id', 'amount', 'begun', 'note'])
  // 47.5 rem of columns, 5 gaps, and the ends of a row.
  expect(listIdsAt(54.75)).toEqual(['rows', 'status', 'payee', 'id', 'amount', 'begun', 'note'])
  expect(listIdsAt(54.5)).toEqual(['rows', 'status', 'payee', 'id', 'amount', 'begun'])
  expect(listIdsAt(48)).toEqual(['rows', 'status', 'payee', 'amount', 'begun'])
  expect(listIdsAt(37)).toEqual(['rows', 'status', 'payee', 'amount'])
})

test('a checkbox before the columns takes its own width', () => {
  expect(listIdsAt(55, true)).not.toContain('note')
})

test('on a page that is too narrow, rows are cards without the lowest-priority columns', () => {
  expect(listIdsAt(24)).toEqual(['cards', 'status', 'payee', 'amount', 'begun'])
  const wide = [buildColumn('one', '20rem'), buildColumn('two', '20rem')]
  expect(fitColumns(wide, 40)).toEqual({ columns: wide, isCards: true })
})
