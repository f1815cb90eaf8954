import { findWord, present } from '@countersign/contract/core/objects'
import { DEPOSIT_STATES } from '@countersign/contract/states/deposit-states'
import type { ItemOf } from '@countersign/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { AMOUNT_FILTERS, omitUnusableBounds, toAmountFilters } from '../../ui/amount-filters.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'

type Deposit = ItemOf<'deposit_list'>

const route = getRouteApi('/deposits')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: DEPOSIT_STATES },
  ...AMOUNT_FILTERS,
]

const COLUMNS: readonly Column<Deposit>[] = [
  { id: 'received', header: 'Received', width: '9rem', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { id: 'status', header: 'Status', width: '9rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(8rem, 2fr)',
    priority: 2,
    cell: ({ reason }) => <span className="clipped soft">{reason ? formatConstant(reason) : '–'}</span>,
  },
  {
    id: 'sender',
    header: 'Sender',
    width: 'minmax(8rem, 2fr)',
    priority: 2,
    cell: ({ sender, remittanceInformation }) => (
      <span className="clipped">{sender?.name ?? remittanceInformation ?? '–'}</span>
    ),
  },
  {
    id: 'rail',
    header: 'Rail',
    width: '8rem',
    priority: 3,
    cell: ({ rail }) => <span className="clipped">{rail}</span>,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
]

/** Deposits received through rails. A deposit in suspense opens on its approval page. */
export function DepositList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const filters = present({
    status: findWord(DEPOSIT_STATES, search.status),
    ...toAmountFilters(search),
  })
  // The key contains the raw search instead of the filters, whose amounts are bigint and cannot be serialized
  // as JSON.
  const list = usePagedList(['deposits', 'list', search], (page) =>
    countersign.deposits.list({ ...filters, ...page }),
  )
  return (
    <Page title="Deposits">
      <Filters filters={omitUnusableBounds(FILTERS, search)} values={search} />
      <DataTable
        name="Deposits"
        file={buildCsvUrl('/deposits', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id, status, transactionId }) =>
          status === 'SUSPENSE' ? `/approvals/${id}` : transactionId && `/transactions/${transactionId}`
        }
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching deposits', text: 'Remove a filter.' }
            : {
                title: 'No deposits yet',
                text: 'Money that a rail reports as received appears here, with or without an account.',
              }
        }
      />
    </Page>
  )
}
