import { Group } from '@mantine/core'
import { useDenied, useMe } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { type Approval, sumsOf } from './approval.ts'
import { useDecided } from './approval-actions.tsx'
import { BulkForm } from './bulk-form.tsx'
import { describeEarlierVote, verdictOf } from './verdicts.ts'

interface BulkActionsProps {
  readonly approvals: readonly Approval[]
  /** Keeps only undecided rows selected. */
  readonly keep: (ids: readonly string[]) => void
}

/** The sum of the selected rows, and the buttons to decide about all of them. */
export function BulkActions({ approvals, keep }: BulkActionsProps) {
  const { member } = useMe()
  const permission = useDenied('APPROVE')
  const decided = useDecided()
  if (approvals.length === 0) return null
  const findObstacle = (isAllowing: boolean) => {
    const refused = approvals.map((one) => verdictOf(one, isAllowing)).find((one) => typeof one === 'string')
    const voted = isAllowing
      ? approvals.map((one) => describeEarlierVote(one, member.id)).find(Boolean)
      : undefined
    return permission ?? refused ?? voted
  }
  return (
    <Group gap="xs">
      <span>
        {approvals.length} selected, {sumsOf(approvals) || 'no amount'}
      </span>
      {[true, false].map((isAllowing) => (
        <DialogButton
          key={String(isAllowing)}
          label={isAllowing ? 'Approve selected' : 'Reject selected'}
          title={titleOf(isAllowing, approvals.length)}
          size="lg"
          denied={findObstacle(isAllowing)}
          hotkey={isAllowing ? 'a' : 'r'}
          {...(isAllowing ? {} : { variant: 'default' as const })}
          onDone={decided}
        >
          {(dialog) => <BulkForm {...dialog} approvals={approvals} isAllowing={isAllowing} keep={keep} />}
        </DialogButton>
      ))}
    </Group>
  )
}

function titleOf(isAllowing: boolean, count: number): string {
  return `${isAllowing ? 'Approve' : 'Reject'} ${count === 1 ? 'this one' : `these ${count}`}?`
}
