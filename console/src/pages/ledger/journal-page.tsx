import type { ChartEntry } from '@countersign/contract/books/chart-of-accounts'
import { JOURNAL_FORMATS } from '@countersign/contract/books/journal'
import { findWord, keysOf, present } from '@countersign/contract/core/objects'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { type Filter, Filters, keepValidValues, toDayEnd, toDayStart } from '../../ui/filters.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'

type Entry = Static<typeof ChartEntry>

const route = getRouteApi('/ledger/journal')
const PARENT = { title: 'Ledger', to: '/ledger' }
const FORMAT_NAMES = keysOf(JOURNAL_FORMATS)

const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
  { name: 'format', label: 'Format', choices: FORMAT_NAMES },
  { name: 'currency', label: 'Currency' },
]

/** Downloads the journal of a period, and shows the chart of accounts that it uses. */
export function JournalPage() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const from = toDayStart(search.from)
  const to = toDayEnd(search.to)
  const format = findWord(FORMAT_NAMES, search.format) ?? 'csv'
  const query = { format, ...present({ currency: search.currency?.toUpperCase() }) }
  return (
    <Page title="Journal" parent={PARENT}>
      <Filters filters={FILTERS} values={search} />
      <Panel title="File">
        {from !== undefined && to !== undefined ? (
          <Anchor href={buildUrl('/ledger/journal', { from, to, ...query })} download inherit>
            Download for {JOURNAL_FORMATS[format].split(':', 1)[0]}
          </Anchor>
        ) : (
          <span className="soft">Choose the first and the last day.</span>
        )}
      </Panel>
      <Chart />
    </Page>
  )
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: 'kind',
    header: 'Ledger account',
    width: 'minmax(9rem, 2fr)',
    cell: ({ kind, rail, currency }) =>
      [formatConstant(kind), rail, currency].filter((word) => word).join(', '),
  },
  { id: 'code', header: 'Code', width: '7rem', cell: ({ code }) => code },
  { id: 'name', header: 'Name', width: 'minmax(8rem, 2fr)', cell: ({ name }) => name },
  { id: 'type', header: 'Type', width: '7rem', priority: 2, cell: ({ type }) => formatConstant(type) },
]

function Chart() {
  const query = useQuery({
    queryKey: ['chart-of-accounts'],
    queryFn: () => countersign.chartOfAccounts.get(),
  })
  return (
    <Panel title="Chart of accounts" isBare>
      <QueryResult query={query} lines={4}>
        {({ accounts }) => (
          <ShortTable
            name="Chart of accounts"
            columns={COLUMNS}
            rows={accounts}
            getId={({ kind, rail, currency }) => `${kind} ${rail ?? ''} ${currency ?? ''}`}
            empty="The chart is empty. Set it with PUT /ledger/chart-of-accounts or countersign ledger chart --set FILE."
          />
        )}
      </QueryResult>
    </Panel>
  )
}
