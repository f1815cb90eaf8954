import type { ItemOf } from '@countersign/sdk'
import type { Shell } from '../connection/shell.ts'
import { type Column, printRecords } from '../terminal/records.ts'

const COLUMNS: readonly Column<ItemOf<'search'>>[] = [
  ['TYPE', ({ type }) => type],
  ['ID', ({ id }) => id],
  ['WHAT', ({ title }) => title],
  ['', ({ detail }) => detail ?? ''],
]

/** `countersign search TEXT` */
export async function searchRecords({ countersign, isJson }: Shell, query: string): Promise<void> {
  const { body } = await countersign.call('search', { query: { query } })
  printRecords({ data: body.data, hasMore: false }, COLUMNS, { isJson, none: 'No results.' })
}
