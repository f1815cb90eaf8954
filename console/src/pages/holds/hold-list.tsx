import { findWord, present } from '@countersign/contract/core/objects'
import { FUNDS_HOLD_STATES } from '@countersign/contract/states/funds-hold-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { RecordName } from '../../ui/listed-name.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { HOLD_COLUMNS, type Hold } from './hold.tsx'

const route = getRouteApi('/holds')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: FUNDS_HOLD_STATES },
  { name: 'customerId', label: 'Customer', record: 'customer' },
  { name: 'account', label: 'Account', record: 'internal account' },
]

const COLUMNS: readonly Column<Hold>[] = [
  {
    id: 'account',
    header: 'Account',
    width: 'minmax(8rem, 2fr)',
    cell: ({ accountId }) => (
      <TextLink to={`/accounts/${accountId}`}>
        <RecordName id={accountId} />
      </TextLink>
    ),
  },
  {
    id: 'transaction',
    header: 'Pull',
    width: '11rem',
    priority: 2,
    cell: ({ transactionId }) => (
      <TextLink to={`/transactions/${transactionId}`}>{shortenId(transactionId)}</TextLink>
    ),
  },
  ...HOLD_COLUMNS,
]

/** Holds on pulled money, in all accounts. */
export function HoldList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { status, customerId, account } = search
  const filters = present({ status: findWord(FUNDS_HOLD_STATES, status), customerId, accountId: account })
  const list = usePagedList(['holds', 'list', filters], (page) =>
    countersign.fundsHolds.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Holds">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Holds on pulled money"
        file={buildCsvUrl('/funds-holds', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching holds', text: 'Remove a filter.' }
            : {
                title: 'No holds yet',
                text: 'Pulled money is held when a rule applies. Set up rules in Settings > Holds and limits.',
              }
        }
      />
    </Page>
  )
}
