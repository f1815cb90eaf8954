import type { ItemOf } from '@countersign/sdk'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { useChanged } from './use-changed.ts'

type Key = ItemOf<'treasury_key_list'>

const COLUMNS: readonly Column<Key>[] = [
  { id: 'created', header: 'Created', width: '9rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status of={status} /> },
  { id: 'rail', header: 'Chain', width: '8rem', priority: 2, cell: ({ rail }) => rail },
  {
    id: 'address',
    header: 'Address',
    width: 'minmax(9rem, 2fr)',
    cell: ({ address }) => <span className="clipped">{address}</span>,
  },
  { id: 'actions', header: '', width: '13rem', isRight: true, cell: (one) => <Actions of={one} /> },
]

/** The keys of treasuries that rotations have made. */
export function TreasuryKeys() {
  const keys = useListed(['own-money', 'keys'], (page) => countersign.treasuryKeys.list(page))
  return (
    <>
      <h2>Keys of treasuries</h2>
      <DataTable
        name="Keys of treasuries"
        columns={COLUMNS}
        list={keys}
        idOf={({ id }) => id}
        empty={{
          title: 'No key was rotated yet',
          text: 'Rotate one with POST /platform/treasury-keys or with countersign own-money rotate.',
        }}
      />
    </>
  )
}

function Actions({ of: { id, status } }: { readonly of: Key }) {
  const onDone = useChanged()
  const mayApprove = useDenied('APPROVE')
  const mayManage = useDenied('MANAGE')
  if (status !== 'AWAITING_APPROVAL') return null
  return (
    <>
      <ActionButton
        label="Approve"
        done="Your approval of the key is recorded."
        denied={mayApprove}
        act={async () => await countersign.treasuryKeys.approve(id)}
        ask={{
          title: 'Approve this key?',
          text: 'The last approval that is needed moves the treasury to its address. What the old one has follows.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Cancel"
        done="Canceled the rotation."
        denied={mayManage}
        act={async () => await countersign.treasuryKeys.cancel(id)}
        ask={{ title: 'Cancel this rotation?', text: 'The treasury keeps its key.' }}
        onDone={onDone}
      />
    </>
  )
}
