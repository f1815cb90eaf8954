import { FUNDS_HOLD_TRANSITIONS } from '@countersign/contract/states/funds-hold-states'
import type { ItemOf } from '@countersign/sdk'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useReloadAfterDecision } from '../approvals/approval-actions.tsx'
import { APPROVALS } from '../approvals/verdicts.ts'

export type Hold = ItemOf<'funds_hold_list'>

/** Columns for holds that do not depend on the account. */
export const HOLD_COLUMNS: readonly Column<Hold>[] = [
  { id: 'status', header: 'Status', width: '7rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(10rem, 3fr)',
    priority: 2,
    cell: ({ reason, note }) => (
      <span className="clipped" title={note ?? reason}>
        {note ?? reason}
      </span>
    ),
  },
  {
    id: 'release',
    header: 'Release',
    width: '8.5rem',
    isRightAligned: true,
    cell: ({ releaseAt, endedAt }) => <Time at={endedAt ?? releaseAt} />,
  },
  { id: 'actions', header: 'Change', width: '6rem', cell: (hold) => <LiftButton hold={hold} /> },
]

function LiftButton({ hold: { id, status } }: { readonly hold: Hold }) {
  const { title, text, needsReason } = APPROVALS.FUNDS_HOLD
  const reload = useReloadAfterDecision()
  const disabledReason = useMissingPermission('APPROVE')
  if (!FUNDS_HOLD_TRANSITIONS[status].lift) return null
  return (
    <ActionButton
      size="xs"
      disabledReason={disabledReason}
      label="Lift"
      successText="Your decision to lift the hold is recorded."
      question={{ title, text, needsReason }}
      act={async (reason) => await countersign.fundsHolds.lift(id, { reason })}
      onDone={reload}
    />
  )
}
