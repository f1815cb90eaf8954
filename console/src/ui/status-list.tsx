import { findWord, present } from '@countersign/contract/core/objects'
import { buildCsvUrl } from '../data/csv-address.ts'
import type { Column } from './column.ts'
import { DataTable } from './data-table.tsx'
import { type Filter, Filters, keepValidValues } from './filters.tsx'
import { type ListPage, usePagedList } from './use-listed.ts'

interface StatusListProps<Row, State extends string> {
  /** The accessible name of the table. */
  readonly name: string
  readonly states: readonly State[]
  /** The page's query parameters, of which the list uses the status. */
  readonly search: { readonly status?: string | undefined }
  readonly queryKey: readonly [noun: string, ...parts: unknown[]]
  /** The list's path in the API, for the CSV file. */
  readonly path: string
  readonly read: (query: {
    readonly status?: State
    readonly limit: number
    readonly cursor?: string
  }) => PromiseLike<ListPage<Row>>
  readonly columns: readonly Column<Row>[]
  readonly getId: (row: Row) => string
  readonly getLink?: (row: Row) => string
  readonly empty: { readonly title: string; readonly text?: string }
  readonly emptyFiltered: { readonly title: string; readonly text?: string }
}

/** A list with a single filter: the status of its rows. */
export function StatusList<Row, State extends string>(props: StatusListProps<Row, State>) {
  const { name, states, queryKey, path, read, columns, getId, getLink, empty, emptyFiltered } = props
  const filters: readonly Filter[] = [{ name: 'status', label: 'Status', choices: states }]
  const search = keepValidValues(filters, props.search)
  const status = findWord(states, search.status)
  const query = present({ status })
  const list = usePagedList([...queryKey, query], (page) => read({ ...query, ...page }))
  return (
    <>
      <Filters filters={filters} values={search} />
      <DataTable
        name={name}
        file={buildCsvUrl(path, query)}
        columns={columns}
        list={list}
        getId={getId}
        {...(getLink ? { getLink } : {})}
        empty={status === undefined ? empty : emptyFiltered}
      />
    </>
  )
}
