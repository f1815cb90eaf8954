import type { ItemOf } from '@countersign/sdk'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { DecisionButtons } from './decision-buttons.tsx'

type Movement = ItemOf<'treasury_movement_list'>

const COLUMNS: readonly Column<Movement>[] = [
  { id: 'created', header: 'Created', width: '9rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'direction',
    header: 'Direction',
    width: '11rem',
    cell: ({ direction }) => formatConstant(direction),
  },
  {
    id: 'address',
    header: 'Cold storage',
    width: 'minmax(9rem, 2fr)',
    priority: 2,
    cell: ({ address, error }) => <span className="clipped">{error?.message ?? address}</span>,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
  {
    id: 'actions',
    header: '',
    width: '13rem',
    isRightAligned: true,
    cell: (movement) => <DecisionButtons kind="treasuryMovements" record={movement} />,
  },
]

/** Movements of money between chain treasuries and cold storage. */
export function TreasuryMovements() {
  const movements = usePagedList(['own-money', 'movements'], (page) =>
    countersign.treasuryMovements.list(page),
  )
  return (
    <>
      <h2>Treasury and cold storage</h2>
      <DataTable
        name="Treasury and cold storage"
        columns={COLUMNS}
        list={movements}
        getId={({ id }) => id}
        empty={{
          title: 'No movements yet',
          text: 'Register an address as cold storage, then use New movement to send money there.',
        }}
      />
    </>
  )
}
