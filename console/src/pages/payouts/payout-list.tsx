import { present, wordOf } from '@countersign/contract/core/objects'
import { PAYOUT_BATCH_STATES } from '@countersign/contract/states/payout-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { csvAddress } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, validValues } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { type PayoutBatch, sumsInWords } from './payout.ts'

const route = getRouteApi('/payouts')

const FILTERS: readonly Filter[] = [{ name: 'status', label: 'Status', choices: PAYOUT_BATCH_STATES }]

const COLUMNS: readonly Column<PayoutBatch>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 2fr)',
    cell: ({ name }) => <span className="clipped">{name ?? 'Without a name'}</span>,
  },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status of={status} /> },
  {
    id: 'lines',
    header: 'Lines',
    width: '6rem',
    isRight: true,
    priority: 2,
    cell: ({ progress }) => <span className="figures">{progress.lines}</span>,
  },
  {
    id: 'faulty',
    header: 'Faulty',
    width: '6rem',
    isRight: true,
    priority: 3,
    cell: ({ progress }) => <span className="figures">{progress.faulty}</span>,
  },
  {
    id: 'total',
    header: 'Total',
    width: 'minmax(9rem, 1fr)',
    isRight: true,
    cell: (batch) => <span className="figures">{sumsInWords(batch)}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    isRight: true,
    priority: 2,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function PayoutList() {
  const search = validValues(FILTERS, route.useSearch())
  const filters = present({ status: wordOf(PAYOUT_BATCH_STATES, search.status) })
  const list = useListed(['payouts', 'list', filters], (page) =>
    countersign.payoutBatches.list({ ...filters, ...page }),
  )
  return (
    <Page title="Payouts">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Payout batches"
        file={csvAddress('/payouts/batches', filters)}
        columns={COLUMNS}
        list={list}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/payouts/${id}`}
        empty={
          filters.status
            ? { title: 'No batch matches', text: 'Take the filter away.' }
            : {
                title: 'No payouts yet',
                text: 'Your backend creates a batch with POST /payouts/batches, or you send a file with “countersign payouts send”.',
              }
        }
      />
    </Page>
  )
}
