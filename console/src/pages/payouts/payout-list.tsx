import { PAYOUT_BATCH_STATES } from '@countersign/contract/states/payout-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { StatusList } from '../../ui/status-list.tsx'
import { Time } from '../../ui/time.tsx'
import { describeTotals, type PayoutBatch } from './payout.ts'
import { SendFile } from './send-file.tsx'

const route = getRouteApi('/payouts')

const COLUMNS: readonly Column<PayoutBatch>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 2fr)',
    cell: ({ name }) => <span className="clipped">{name ?? 'Without a name'}</span>,
  },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'lines',
    header: 'Lines',
    width: '6rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ progress }) => <span className="figures">{progress.lines}</span>,
  },
  {
    id: 'faulty',
    header: 'Faulty',
    width: '6rem',
    isRightAligned: true,
    priority: 3,
    cell: ({ progress }) => <span className="figures">{progress.faulty}</span>,
  },
  {
    id: 'total',
    header: 'Total',
    width: 'minmax(9rem, 1fr)',
    isRightAligned: true,
    cell: (batch) => <span className="figures">{describeTotals(batch)}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function PayoutList() {
  return (
    <Page title="Payouts" actions={<SendFile />}>
      <StatusList
        name="Payout batches"
        states={PAYOUT_BATCH_STATES}
        search={route.useSearch()}
        queryKey={['payouts', 'list']}
        path="/payouts/batches"
        read={(query) => countersign.payoutBatches.list(query)}
        columns={COLUMNS}
        getId={({ id }) => id}
        getLink={({ id }) => `/payouts/${id}`}
        emptyFiltered={{ title: 'No matching batches', text: 'Remove the filter.' }}
        empty={{
          title: 'No payouts yet',
          text: 'Send a file here or with “countersign payouts send”, or call POST /payouts/batches from your backend.',
        }}
      />
    </Page>
  )
}
