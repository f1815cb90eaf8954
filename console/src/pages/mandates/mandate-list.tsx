import { MANDATE_STATUSES } from '@countersign/contract/accounts/mandates'
import { findWord, present } from '@countersign/contract/core/objects'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { RecordName } from '../../ui/listed-name.tsx'
import { Page } from '../../ui/page.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { MANDATE_COLUMNS, type Mandate } from './mandate.tsx'

const route = getRouteApi('/mandates')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: MANDATE_STATUSES },
  { name: 'customerId', label: 'Customer', record: 'customer' },
]

const COLUMNS: readonly Column<Mandate>[] = [
  {
    id: 'customer',
    header: 'Customer',
    width: 'minmax(7rem, 2fr)',
    cell: ({ customerId }) => (customerId === undefined ? 'The platform' : <RecordName id={customerId} />),
  },
  ...MANDATE_COLUMNS,
]

/** Direct debit mandates of all accounts. */
export function MandateList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const filters = present({
    status: findWord(MANDATE_STATUSES, search.status),
    customerId: search.customerId,
  })
  const list = usePagedList(['mandates', 'list', filters], (page) =>
    countersign.mandates.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Mandates">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Mandates"
        file={buildCsvUrl('/mandates', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/mandates/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching mandates', text: 'Remove a filter.' }
            : {
                title: 'No mandates yet',
                text: 'Register mandates on the page of a customer who has a EUR account with an IBAN, or a GBP account.',
              }
        }
      />
    </Page>
  )
}
