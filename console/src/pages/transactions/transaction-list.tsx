import { findWord, present } from '@countersign/contract/core/objects'
import {
  FAILURE_REASONS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '@countersign/contract/payments/transactions'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { AMOUNT_FILTERS, omitUnusableBounds, toAmountFilters } from '../../ui/amount-filters.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { TRANSACTION_COLUMNS } from './columns.tsx'

const route = getRouteApi('/transactions')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: TRANSACTION_STATUSES },
  { name: 'type', label: 'Kind', choices: TRANSACTION_TYPES },
  { name: 'customerId', label: 'Customer', record: 'customer' },
  { name: 'account', label: 'Account', record: 'account' },
  ...AMOUNT_FILTERS,
  { name: 'reason', label: 'Failure reason', choices: FAILURE_REASONS },
  { name: 'reference', label: 'Reference' },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

/**
 * Hides filters that depend on another one: amount bounds need a currency, and a reason needs the status
 * failed.
 */
function pickFilters(search: Readonly<Record<string, string | undefined>>): readonly Filter[] {
  return omitUnusableBounds(FILTERS, search).filter(
    ({ name }) => name !== 'reason' || search.status === 'FAILED' || search.reason !== undefined,
  )
}

export function TransactionList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { status, type, customerId, account, reference, reason, from, to } = search
  const filters = present({
    status: findWord(TRANSACTION_STATUSES, status),
    type: findWord(TRANSACTION_TYPES, type),
    customerId,
    accountIdentifier: account,
    reference,
    failureReason: findWord(FAILURE_REASONS, reason),
    ...toAmountFilters(search),
    ...toTimeRange(from, to),
  })
  // The key contains the raw search instead of the filters, whose amounts are bigint and cannot be serialized
  // as JSON.
  const list = usePagedList(['transactions', 'list', search], (page) =>
    countersign.transactions.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Transactions">
      <Filters filters={pickFilters(search)} values={search} />
      <DataTable
        name="Transactions"
        file={buildCsvUrl('/transactions', filters)}
        columns={TRANSACTION_COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/transactions/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching transactions', text: 'Remove a filter, or choose another period.' }
            : {
                title: 'No money has moved yet',
                text: 'Executed quotes, transfers and incoming payments appear here. In a sandbox, fund an account first.',
              }
        }
      />
    </Page>
  )
}
