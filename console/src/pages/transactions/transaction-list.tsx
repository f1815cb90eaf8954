import { CURRENCIES } from '@countersign/contract/core/currencies'
import { keysOf, present, wordOf } from '@countersign/contract/core/objects'
import {
  FAILURE_REASONS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '@countersign/contract/payments/transactions'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { csvAddress } from '../../data/csv-address.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, timesOfDays, validValues } from '../../ui/filters.tsx'
import { smallestUnits } from '../../ui/money-format.ts'
import { Page } from '../../ui/page.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { TRANSACTION_COLUMNS } from './columns.tsx'

const route = getRouteApi('/transactions')

const CURRENCY_CODES = keysOf(CURRENCIES)

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: TRANSACTION_STATUSES },
  { name: 'type', label: 'Kind', choices: TRANSACTION_TYPES },
  { name: 'customerId', label: 'Customer', record: 'customer' },
  { name: 'account', label: 'Account', record: 'account' },
  { name: 'currency', label: 'Currency', choices: CURRENCY_CODES, labelOf: (code) => code },
  { name: 'least', label: 'Amount from', isAmount: true },
  { name: 'most', label: 'Amount to', isAmount: true },
  { name: 'reason', label: 'Why it failed', choices: FAILURE_REASONS },
  { name: 'reference', label: 'Reference' },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

/** Without those that apply only with another one: bounds of the amount need a currency, a reason needs a failure. */
function shownFilters(search: Readonly<Record<string, string | undefined>>): readonly Filter[] {
  return FILTERS.filter(({ name, isAmount = false }) => {
    if (isAmount) return search.currency !== undefined
    return name !== 'reason' || search.status === 'FAILED' || search.reason !== undefined
  })
}

/** The currency and the bounds of the amount as the API takes them. Bounds without a currency are not applied. */
function amountsOf(search: {
  readonly currency?: string | undefined
  readonly least?: string | undefined
  readonly most?: string | undefined
}) {
  const currency = wordOf(CURRENCY_CODES, search.currency)
  if (currency === undefined) return {}
  const { decimals } = CURRENCIES[currency]
  const units = (text: string | undefined) => (text === undefined ? undefined : smallestUnits(text, decimals))
  return { currency, amountMin: units(search.least), amountMax: units(search.most) }
}

export function TransactionList() {
  const search = validValues(FILTERS, route.useSearch())
  const { status, type, customerId, account, reference, reason, from, to } = search
  const filters = present({
    status: wordOf(TRANSACTION_STATUSES, status),
    type: wordOf(TRANSACTION_TYPES, type),
    customerId,
    accountIdentifier: account,
    reference,
    failureReason: wordOf(FAILURE_REASONS, reason),
    ...amountsOf(search),
    ...timesOfDays(from, to),
  })
  // The search and not the filters, which have amounts: JSON has no bigint.
  const list = useListed(['transactions', 'list', search], (page) =>
    countersign.transactions.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Transactions">
      <Filters filters={shownFilters(search)} values={search} />
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
