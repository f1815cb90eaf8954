import type { ItemOf } from '@countersign/sdk'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { useChanged } from './use-changed.ts'

type Movement = ItemOf<'treasury_movement_list'>

const COLUMNS: readonly Column<Movement>[] = [
  { id: 'created', header: 'Created', width: '9rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status of={status} /> },
  { id: 'direction', header: 'Direction', width: '11rem', cell: ({ direction }) => wordsOf(direction) },
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
    isRight: true,
    cell: ({ amount }) => <Money of={amount} />,
  },
  { id: 'actions', header: '', width: '13rem', isRight: true, cell: (one) => <Actions movement={one} /> },
]

/** Money between the treasuries of chains and cold storage. */
export function TreasuryMovements() {
  const movements = useListed(['own-money', 'movements'], (page) => countersign.treasuryMovements.list(page))
  return (
    <>
      <h2>Treasury and cold storage</h2>
      <DataTable
        name="Treasury and cold storage"
        columns={COLUMNS}
        list={movements}
        idOf={({ id }) => id}
        empty={{
          title: 'Nothing was moved yet',
          text: 'Register an address as cold storage, then send money there with New movement.',
        }}
      />
    </>
  )
}

function Actions({ movement: { id, status } }: { readonly movement: Movement }) {
  const onDone = useChanged()
  const mayApprove = useDenied('APPROVE')
  const mayTransact = useDenied('TRANSACT')
  if (status !== 'AWAITING_APPROVAL') return null
  return (
    <>
      <ActionButton
        label="Approve"
        done="Your approval of the movement is recorded."
        denied={mayApprove}
        act={async () => await countersign.treasuryMovements.approve(id)}
        ask={{
          title: 'Approve this movement?',
          text: 'The last approval that is needed sends the money. Compare the address with your own record of it first.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Cancel"
        done="Canceled the movement."
        denied={mayTransact}
        act={async () => await countersign.treasuryMovements.cancel(id)}
        ask={{ title: 'Cancel this movement?', text: 'Nothing is sent.' }}
        onDone={onDone}
      />
    </>
  )
}
