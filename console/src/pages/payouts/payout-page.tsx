import { PAYOUT_BATCH_TRANSITIONS, PAYOUT_LINE_STATES } from '@countersign/contract/states/payout-states'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordId, shortenId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { StatusList } from '../../ui/status-list.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import type { PayoutBatch, PayoutLine } from './payout.ts'
import { PayoutActions } from './payout-actions.tsx'

const route = getRouteApi('/payouts/$payoutBatchId')
const PARENT = { title: 'Payouts', to: '/payouts' }
const REFRESH_MS = 2_000

/** True while the server checks or sends the batch. The page then polls for progress. */
function isInProgress({ status }: PayoutBatch): boolean {
  const next = PAYOUT_BATCH_TRANSITIONS[status]
  return next.check !== null || next.complete !== null
}

export function PayoutPage() {
  const { payoutBatchId } = route.useParams()
  const query = useQuery({
    queryKey: ['payouts', 'one', payoutBatchId],
    queryFn: () => countersign.payoutBatches.get(payoutBatchId),
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? REFRESH_MS : false),
  })
  return (
    <RecordPage query={query} title="Payout batch" parent={PARENT}>
      {(record) => <Batch batch={record} />}
    </RecordPage>
  )
}

function Batch({ batch }: { readonly batch: PayoutBatch }) {
  return (
    <Page
      title={batch.name ?? 'Payout batch'}
      aside={<Status state={batch.status} />}
      actions={<PayoutActions batch={batch} />}
      parent={PARENT}
    >
      <RecordId id={batch.id} />
      <div className="halves">
        <About batch={batch} />
        <Totals batch={batch} />
      </div>
      <Lines batchId={batch.id} />
    </Page>
  )
}

function About({ batch }: { readonly batch: PayoutBatch }) {
  const { progress, sameFileAs, error, createdAt, completedAt } = batch
  return (
    <Panel title="Progress">
      <Facts
        items={[
          ['Checked', `${progress.checked} of ${progress.lines}`],
          ['Cannot be paid', `${progress.faulty}`],
          ['Sent', `${progress.sent} of ${progress.checked - progress.faulty}`],
          ['Refused', `${progress.failed}`],
          [
            'Same file as',
            sameFileAs && <TextLink to={`/payouts/${sameFileAs}`}>{shortenId(sameFileAs)}</TextLink>,
          ],
          ['Error', error && `${error.line === 0 ? 'Header' : `Line ${error.line}`}: ${error.message}`],
          ['Created', <Time key="created" at={createdAt} />],
          ['Ended', completedAt && <Time at={completedAt} />],
        ]}
      />
    </Panel>
  )
}

function Totals({ batch }: { readonly batch: PayoutBatch }) {
  return (
    <Panel title="Totals" isBare>
      <ShortTable
        name="Totals"
        rows={batch.totals}
        getId={({ rail, total }) => `${rail} ${total.currency.code}`}
        empty="No line can be paid."
        columns={[
          { id: 'rail', header: 'Rail', width: 'minmax(4.5rem, 1fr)', cell: ({ rail }) => rail },
          {
            id: 'lines',
            header: 'Payments',
            width: '5rem',
            isRightAligned: true,
            cell: ({ lines }) => `${lines}`,
          },
          {
            id: 'total',
            header: 'Total',
            width: 'minmax(7rem, 1fr)',
            isRightAligned: true,
            cell: ({ total }) => <Money amount={total} />,
          },
        ]}
      />
    </Panel>
  )
}

const COLUMNS: readonly Column<PayoutLine>[] = [
  { id: 'line', header: 'Line', width: '5rem', cell: ({ line }) => <span className="figures">{line}</span> },
  { id: 'status', header: 'Status', width: '7rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'reference',
    header: 'Reference',
    width: 'minmax(6rem, 1fr)',
    priority: 2,
    cell: ({ reference }) => <span className="clipped">{reference}</span>,
  },
  {
    id: 'result',
    header: 'Result',
    width: 'minmax(9rem, 2fr)',
    cell: ({ error, transactionId }) =>
      transactionId ? (
        <TextLink to={`/transactions/${transactionId}`}>{shortenId(transactionId)}</TextLink>
      ) : (
        <span className="clipped" title={error?.message}>
          {error && `${error.field ? `${error.field}: ` : ''}${error.message}`}
        </span>
      ),
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => amount && <Money amount={amount} />,
  },
]

function Lines({ batchId }: { readonly batchId: string }) {
  return (
    <Panel title="Lines">
      <StatusList
        name="Lines"
        states={PAYOUT_LINE_STATES}
        search={route.useSearch()}
        queryKey={['payouts', 'lines', batchId]}
        path={`/payouts/batches/${batchId}/lines`}
        read={(query) => countersign.payoutBatches.lines(batchId, query)}
        columns={COLUMNS}
        getId={({ id }) => id}
        emptyFiltered={{ title: 'No matching lines' }}
        empty={{ title: 'No lines checked yet' }}
      />
    </Panel>
  )
}
