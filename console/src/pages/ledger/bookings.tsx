import type { LedgerTransfer } from '@countersign/contract/books/ledger'
import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'

export type Booking = Static<typeof LedgerTransfer>

const ROWS_MAX = 100

/**
 * Names one side of a booking: a ledger account of the platform by its purpose, any other account by the end
 * of its id.
 */
export function formatSide({ name, accountId }: Booking['debit']): string {
  return name === undefined ? shortenId(accountId) : formatConstant(name.toUpperCase())
}

export const BOOKING_COLUMNS: readonly Column<Booking>[] = [
  {
    id: 'debit',
    header: 'Debited',
    width: 'minmax(9rem, 1fr)',
    cell: ({ debit }) => <span className="clipped">{formatSide(debit)}</span>,
  },
  {
    id: 'credit',
    header: 'Credited',
    width: 'minmax(9rem, 1fr)',
    cell: ({ credit }) => <span className="clipped">{formatSide(credit)}</span>,
  },
  {
    id: 'state',
    header: 'State',
    width: '6.5rem',
    priority: 2,
    cell: ({ state }) => <Status state={state.toUpperCase()} />,
  },
  {
    id: 'at',
    header: 'At',
    width: '9rem',
    priority: 2,
    cell: ({ createdAt, endedAt }) => <Time at={endedAt ?? createdAt} />,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, max-content)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
]

/** The ledger's bookings for a payment or another cause. Each row links to its explanation. */
export function Bookings(props: { readonly cause: string; readonly empty: string }) {
  const { cause, empty } = props
  const query = useQuery({
    queryKey: ['transactions', cause, 'bookings'],
    queryFn: () => countersign.ledgerTransfers.list({ cause, limit: ROWS_MAX, sortOrder: 'asc' }),
  })
  return (
    <Panel title="Ledger" isBare>
      <QueryResult query={query} lines={3}>
        {({ data }) => (
          <ShortTable
            name="Ledger"
            columns={BOOKING_COLUMNS}
            rows={data}
            getId={({ id }) => id}
            getLink={({ id }) => `/ledger/transfers/${id}`}
            empty={empty}
          />
        )}
      </QueryResult>
    </Panel>
  )
}
