import type { ItemOf } from '@countersign/sdk'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { DecisionButtons } from './decision-buttons.tsx'

type Key = ItemOf<'treasury_key_list'>

const COLUMNS: readonly Column<Key>[] = [
  { id: 'created', header: 'Created', width: '9rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status state={status} /> },
  { id: 'rail', header: 'Chain', width: '8rem', priority: 2, cell: ({ rail }) => rail },
  {
    id: 'address',
    header: 'Address',
    width: 'minmax(9rem, 2fr)',
    cell: ({ address }) => <span className="clipped">{address}</span>,
  },
  {
    id: 'actions',
    header: '',
    width: '13rem',
    isRightAligned: true,
    cell: (key) => <DecisionButtons kind="treasuryKeys" record={key} />,
  },
]

/** Treasury keys created by rotations. */
export function TreasuryKeys() {
  const keys = usePagedList(['own-money', 'keys'], (page) => countersign.treasuryKeys.list(page))
  return (
    <>
      <h2>Treasury keys</h2>
      <DataTable
        name="Treasury keys"
        columns={COLUMNS}
        list={keys}
        getId={({ id }) => id}
        empty={{
          title: 'No key rotations yet',
          text: 'Use Rotate key to rotate the key of a treasury.',
        }}
      />
    </>
  )
}
