import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { useReloadOwnMoney } from './use-changed.ts'

/**
 * For each kind of record that members approve or cancel: its label, the permission needed to cancel it, and
 * the effect of each decision.
 */
const KINDS = {
  withdrawals: {
    word: 'withdrawal',
    cancelNeeds: 'TRANSACT',
    approval: 'The last required approval sends the payment.',
    end: 'Nothing is paid.',
  },
  treasuryMovements: {
    word: 'movement',
    cancelNeeds: 'TRANSACT',
    approval:
      'The last required approval sends the money. Compare the address with your own record of it first.',
    end: 'Nothing is sent.',
  },
  treasuryKeys: {
    word: 'rotation',
    cancelNeeds: 'MANAGE',
    approval:
      'The last required approval moves the treasury to the new address. The money at the old address follows.',
    end: 'The treasury keeps its key.',
  },
} as const

/** The buttons for a record that is waiting for approval. */
export function DecisionButtons({
  kind,
  record: { id, status },
}: {
  readonly kind: keyof typeof KINDS
  readonly record: { readonly id: string; readonly status: string }
}) {
  const { word, cancelNeeds, approval, end } = KINDS[kind]
  const onDone = useReloadOwnMoney()
  const missingApprove = useMissingPermission('APPROVE')
  const missingCancel = useMissingPermission(cancelNeeds)
  if (status !== 'AWAITING_APPROVAL') return null
  return (
    <>
      <ActionButton
        label="Approve"
        successText={`Your approval of the ${word} is recorded.`}
        disabledReason={missingApprove}
        act={async () => await countersign[kind].approve(id)}
        question={{ title: `Approve this ${word}?`, text: approval }}
        onDone={onDone}
      />
      <ActionButton
        label="Cancel"
        successText={`The ${word} is canceled.`}
        disabledReason={missingCancel}
        act={async () => await countersign[kind].cancel(id)}
        question={{ title: `Cancel this ${word}?`, text: end }}
        onDone={onDone}
      />
    </>
  )
}
