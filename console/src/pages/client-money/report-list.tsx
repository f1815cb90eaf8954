import { present } from '@countersign/contract/core/objects'
import type { ClientMoneyReport } from '@countersign/contract/operation/client-money'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { formatMoney } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'

export type Report = Static<typeof ClientMoneyReport>

const route = getRouteApi('/client-money')

const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const COLUMNS: readonly Column<Report>[] = [
  {
    id: 'date',
    header: 'Day',
    width: '7rem',
    cell: ({ date }) => <span className="figures">{date}</span>,
  },
  {
    id: 'difference',
    header: 'Held in excess of amounts owed',
    width: 'minmax(12rem, 3fr)',
    cell: ({ currencies }) => (
      <span className="clipped">
        {currencies
          .map(({ difference, currency }) => formatMoney({ amount: difference, currency }))
          .join(', ')}
      </span>
    ),
  },
  {
    id: 'created',
    header: 'Created',
    width: '9rem',
    priority: 2,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function ReportList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const filters = present({ startDate: search.from, endDate: search.to })
  const list = usePagedList(['client-money', 'list', filters], (page) =>
    countersign.clientMoneyReports.list({ ...filters, ...page }),
  )
  return (
    <Page title="Client money">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Client-money reports"
        file={buildCsvUrl('/client-money-reports', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/client-money/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching reports', text: 'Remove a filter.' }
            : {
                title: 'No report yet',
                text: 'A signed report is created at the end of each day (UTC) once money has moved.',
              }
        }
      />
    </Page>
  )
}
