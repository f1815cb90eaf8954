import { Group } from '@mantine/core'
import { useMe, useMissingPermission } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { type Approval, formatTotals } from './approval.ts'
import { useReloadAfterDecision } from './approval-actions.tsx'
import { BulkForm } from './bulk-form.tsx'
import { describeEarlierVote, getVerdict } from './verdicts.ts'

interface BulkActionsProps {
  readonly approvals: readonly Approval[]
  /** Reduces the selection to rows that are still undecided. */
  readonly keep: (ids: readonly string[]) => void
}

/** The total of the selected rows, and buttons that decide on all of them. */
export function BulkActions({ approvals, keep }: BulkActionsProps) {
  const { member } = useMe()
  const permission = useMissingPermission('APPROVE')
  const reload = useReloadAfterDecision()
  if (approvals.length === 0) return null
  const findObstacle = (isAllowing: boolean) => {
    const undecidable = approvals
      .map((approval) => getVerdict(approval, isAllowing))
      .find((verdict) => typeof verdict === 'string')
    const voted = isAllowing
      ? approvals.map((vote) => describeEarlierVote(vote, member.id)).find(Boolean)
      : undefined
    return permission ?? undecidable ?? voted
  }
  return (
    <Group gap="xs">
      <span>
        {approvals.length} selected, {formatTotals(approvals) || 'no amount'}
      </span>
      {[true, false].map((isAllowing) => (
        <DialogButton
          key={String(isAllowing)}
          label={isAllowing ? 'Approve selected' : 'Reject selected'}
          title={buildTitle(isAllowing, approvals.length)}
          size="lg"
          disabledReason={findObstacle(isAllowing)}
          hotkey={isAllowing ? 'a' : 'r'}
          {...(isAllowing ? {} : { variant: 'default' as const })}
          onDone={reload}
        >
          {(dialog) => <BulkForm {...dialog} approvals={approvals} isAllowing={isAllowing} keep={keep} />}
        </DialogButton>
      ))}
    </Group>
  )
}

function buildTitle(isAllowing: boolean, count: number): string {
  return `${isAllowing ? 'Approve' : 'Reject'} ${count === 1 ? 'this one' : `these ${count}`}?`
}
