import { present, wordOf } from '@countersign/contract/core/objects'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '@countersign/contract/payments/transactions'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { csvAddress } from '../../data/csv-address.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, timesOfDays, validValues } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { TRANSACTION_COLUMNS } from './columns.tsx'

const route = getRouteApi('/transactions')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: TRANSACTION_STATUSES },
  { name: 'type', label: 'Kind', choices: TRANSACTION_TYPES },
  { name: 'customerId', label: 'Customer id' },
  { name: 'account', label: 'Account id or UMA address' },
  { name: 'reference', label: 'Reference' },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

export function TransactionList() {
  const search = validValues(FILTERS, route.useSearch())
  const { status, type, customerId, account, reference, from, to } = search
  const filters = present({
    status: wordOf(TRANSACTION_STATUSES, status),
    type: wordOf(TRANSACTION_TYPES, type),
    customerId,
    accountIdentifier: account,
    reference,
    ...timesOfDays(from, to),
  })
  const list = useListed(['transactions', 'list', filters], (page) =>
    countersign.transactions.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Transactions">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Transactions"
        file={csvAddress('/transactions', filters)}
        columns={TRANSACTION_COLUMNS}
        list={list}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/transactions/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No transaction matches', text: 'Take a filter away, or look at another time.' }
            : {
                title: 'No money has moved yet',
                text: 'A quote that is executed, a transfer or a payment from outside makes a transaction. In a sandbox, fund an account first.',
              }
        }
      />
    </Page>
  )
}
