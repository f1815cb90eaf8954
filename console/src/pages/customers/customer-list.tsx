import { KYC_STATUSES } from '@countersign/contract/core/formats'
import { findWord, present } from '@countersign/contract/core/objects'
import { CUSTOMER_TYPES } from '@countersign/contract/customers/customers'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { CURRENCY_CODES } from '../../ui/amount-filters.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { type Customer, formatCustomerName, getVerificationState } from './customer.ts'

const route = getRouteApi('/customers')

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name, e-mail, phone or reference' },
  { name: 'customerType', label: 'Kind', choices: CUSTOMER_TYPES },
  { name: 'verification', label: 'Verification', choices: KYC_STATUSES },
  { name: 'currency', label: 'Currency', choices: CURRENCY_CODES, formatLabel: (code) => code },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const COLUMNS: readonly Column<Customer>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 3fr)',
    cell: (row) => (
      <span className="clipped" title={formatCustomerName(row)}>
        {formatCustomerName(row)}
      </span>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    width: 'minmax(10rem, 3fr)',
    priority: 2,
    cell: ({ email }) => <span className="clipped soft">{email ?? '–'}</span>,
  },
  {
    id: 'reference',
    header: 'Your reference',
    width: 'minmax(8rem, 2fr)',
    priority: 3,
    cell: ({ platformCustomerId }) => <span className="clipped soft">{platformCustomerId}</span>,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '6rem',
    priority: 2,
    cell: ({ customerType }) => formatConstant(customerType),
  },
  {
    id: 'status',
    header: 'Verification',
    width: '9rem',
    cell: (row) => <Status state={row.isDeleted ? 'DELETED' : getVerificationState(row)} />,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8.5rem',
    priority: 2,
    isRightAligned: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function CustomerList() {
  const values = keepValidValues(FILTERS, route.useSearch())
  const { search, customerType, verification, currency, from, to } = values
  const filters = present({
    search,
    customerType: findWord(CUSTOMER_TYPES, customerType),
    verificationStatus: findWord(KYC_STATUSES, verification),
    currency: findWord(CURRENCY_CODES, currency),
    ...toTimeRange(from, to),
  })
  const list = usePagedList(['customers', 'list', filters], (page) =>
    countersign.customers.list({ ...filters, ...page }),
  )
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page title="Customers">
      <Filters filters={FILTERS} values={values} />
      <DataTable
        name="Customers"
        file={buildCsvUrl('/customers', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/customers/${id}`}
        empty={
          isFiltered
            ? {
                title: 'No matching customers',
                text: 'Remove a filter, or search for the beginning of a name.',
              }
            : {
                title: 'No customers yet',
                text: 'Your backend creates them with POST /customers. In a sandbox, the drawer can create example data.',
              }
        }
      />
    </Page>
  )
}
