import { findWord, present } from '@countersign/contract/core/objects'
import { QUOTE_STATES } from '@countersign/contract/states/payment-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { describeRate, getReceivedAmount, getSentAmount, type Quote } from './quote.ts'

const route = getRouteApi('/quotes')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: QUOTE_STATES },
  { name: 'customerId', label: 'Customer', record: 'customer' },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const formatRate = ({ exchangeRate, sendingCurrency, receivingCurrency }: Quote) =>
  describeRate(exchangeRate, sendingCurrency, receivingCurrency)

const COLUMNS: readonly Column<Quote>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '7.5rem',
    cell: ({ status }) => <Status state={status} />,
  },
  {
    id: 'sent',
    header: 'Sends',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: (row) => <Money amount={getSentAmount(row)} />,
  },
  {
    id: 'received',
    header: 'Receives',
    width: 'minmax(9rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={getReceivedAmount(row)} />,
  },
  {
    id: 'rate',
    header: 'Rate',
    width: 'minmax(11rem, 1fr)',
    isRightAligned: true,
    priority: 3,
    cell: (row) => <span className="figures soft">{formatRate(row)}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    isRightAligned: true,
    priority: 3,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'expires',
    header: 'Valid until',
    width: '8rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
]

export function QuoteList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { status, customerId, from, to } = search
  const filters = present({ status: findWord(QUOTE_STATES, status), customerId, ...toTimeRange(from, to) })
  const list = usePagedList(['quotes', 'list', filters], (page) =>
    countersign.quotes.list({ ...filters, ...page }),
  )
  return (
    <Page title="Quotes" actions={<TextLink to="/rates">Current rates</TextLink>}>
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Quotes"
        file={buildCsvUrl('/quotes', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/quotes/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching quotes', text: 'Remove a filter.' }
            : {
                title: 'No quotes yet',
                text: 'A quote locks a rate and the fees for a payment. Your backend creates quotes with POST /quotes.',
              }
        }
      />
    </Page>
  )
}
