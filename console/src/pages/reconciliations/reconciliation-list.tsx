import { findWord, present } from '@countersign/contract/core/objects'
import { RECONCILIATION_STATES } from '@countersign/contract/states/reconciliation-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { CURRENCY_CODES } from '../../ui/amount-filters.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { ExampleBankButton } from './example-bank-button.tsx'
import { type Reconciliation, withCurrency } from './reconciliation.ts'

const route = getRouteApi('/reconciliations')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: RECONCILIATION_STATES },
  { name: 'rail', label: 'Rail' },
  { name: 'currency', label: 'Currency', choices: CURRENCY_CODES, formatLabel: (code) => code },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const COLUMNS: readonly Column<Reconciliation>[] = [
  {
    id: 'date',
    header: 'Day',
    width: '7rem',
    cell: ({ date }) => <span className="figures">{date}</span>,
  },
  {
    id: 'rail',
    header: 'Rail',
    width: 'minmax(6rem, 2fr)',
    priority: 2,
    cell: ({ rail }) => <span className="clipped">{rail}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: '8rem',
    cell: ({ status }) => <Status state={status} />,
  },
  {
    id: 'closing',
    header: 'Bank balance',
    width: 'minmax(9rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={withCurrency(row, row.statement?.closingBalance)} />,
  },
  {
    id: 'books',
    header: 'Ledger balance',
    width: 'minmax(9rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={withCurrency(row, row.ledger?.balance)} />,
  },
  {
    id: 'difference',
    header: 'Difference',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: (row) => <Money amount={withCurrency(row, row.difference)} />,
  },
]

export function ReconciliationList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { status, rail, currency, from, to } = search
  const filters = present({
    status: findWord(RECONCILIATION_STATES, status),
    rail,
    currency: findWord(CURRENCY_CODES, currency),
    startDate: from,
    endDate: to,
  })
  const list = usePagedList(['reconciliations', 'list', filters], (page) =>
    countersign.reconciliations.list({ ...filters, ...page }),
  )
  return (
    <Page title="Reconciliation" actions={<ExampleBankButton />}>
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Reconciliations"
        file={buildCsvUrl('/reconciliations', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/reconciliations/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching days', text: 'Remove a filter.' }
            : {
                title: 'Nothing to reconcile yet',
                text: 'Each day of a rail that sends statements is reconciled with the books and appears here. In a sandbox, create an example bank.',
              }
        }
      />
    </Page>
  )
}
