import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { announce } from '../../ui/announce.tsx'
import { Money } from '../../ui/money.tsx'
import { describeError } from '../../ui/states.tsx'
import { type Approval, describeParty, formatTotals, KIND_LABELS } from './approval.ts'
import { getVerdict } from './verdicts.ts'

interface BulkFormProps {
  readonly approvals: readonly Approval[]
  readonly isAllowing: boolean
  readonly keep: (ids: readonly string[]) => void
  readonly close: () => void
  readonly onDone: () => void
}

/**
 * Confirms several decisions together: lists each amount and payee, and asks for one reason for all. The
 * decisions are sent one by one. Those that the server rejects stay selected and show their error.
 */
export function BulkForm({ approvals: selectedApprovals, isAllowing, keep, close, onDone }: BulkFormProps) {
  // The selected rows when the dialog was opened.
  const [approvals] = useState(selectedApprovals)
  const [reason, setReason] = useState('')
  const { outcomes, decide } = useDecisions(approvals, isAllowing, (failed) => {
    keep(failed)
    if (failed.length === 0) onDone()
  })
  const verdicts = approvals
    .map((approval) => getVerdict(approval, isAllowing))
    .filter((verdict) => typeof verdict !== 'string')
  const needsReason = verdicts.some((verdict) => verdict.needsReason)
  const takesReason = verdicts.some((verdict) => verdict.takesReason !== false)
  const isLacking = needsReason && reason.trim() === ''
  const isEnded = decide.isSuccess
  return (
    <Stack gap="md">
      <span>
        {approvals.length === 1 ? 'One decision' : `${approvals.length} decisions`}, {formatTotals(approvals)}
        . Each one is submitted separately.
      </span>
      <ul className="decided">
        {approvals.map((approval) => (
          <Line key={approval.objectId} approval={approval} outcome={outcomes.get(approval.objectId)} />
        ))}
      </ul>
      {takesReason && !isEnded && <Reason isNeeded={needsReason} reason={reason} change={setReason} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={isEnded ? onDone : close} disabled={decide.isPending}>
          {isEnded ? 'Close' : 'Cancel'}
        </Button>
        {!isEnded && (
          <Button
            {...(isAllowing ? {} : { color: 'red' })}
            disabled={isLacking}
            loading={decide.isPending}
            onClick={() => decide.mutate(reason.trim())}
          >
            {isAllowing ? 'Approve' : 'Reject'} {approvals.length}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Reason(props: {
  readonly isNeeded: boolean
  readonly reason: string
  readonly change: (reason: string) => void
}) {
  const { isNeeded, reason, change } = props
  return (
    <Textarea
      label="Reason"
      description={isNeeded ? 'Stored with each decision' : 'Stored with each decision (optional)'}
      autosize
      minRows={2}
      maxLength={500}
      data-autofocus
      value={reason}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

/** True for a decision that was made; otherwise the error message. */
type Outcome = true | string

function useDecisions(
  approvals: readonly Approval[],
  isAllowing: boolean,
  onEnd: (failed: readonly string[]) => void,
) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const decide = useMutation({
    mutationFn: async (reason: string) => {
      const failed: string[] = []
      for (const approval of approvals) {
        const outcome = await decideOne(approval, isAllowing, reason)
        if (outcome !== true) failed.push(approval.objectId)
        setOutcomes((previous) => new Map(previous).set(approval.objectId, outcome))
      }
      return failed
    },
    onSuccess: (failed) => {
      const decidedCount = approvals.length - failed.length
      announce(
        `${isAllowing ? 'Approved' : 'Rejected'} ${decidedCount} of ${approvals.length}${failed.length > 0 ? `, ${failed.length} refused` : ''}.`,
      )
      onEnd(failed)
    },
  })
  return { outcomes, decide }
}

async function decideOne(approval: Approval, isAllowing: boolean, reason: string): Promise<Outcome> {
  const verdict = getVerdict(approval, isAllowing)
  if (typeof verdict === 'string') return verdict
  try {
    await verdict.act(approval, reason)
    return true
  } catch (error) {
    return describeError(error)
  }
}

function Line({ approval, outcome }: { readonly approval: Approval; readonly outcome: Outcome | undefined }) {
  const { amount, kind } = approval
  return (
    <li>
      <span className="anywhere">
        <strong>
          <Money amount={amount} />
        </strong>{' '}
        {describeParty(approval) || KIND_LABELS[kind].toLowerCase()}
      </span>
      {outcome === true && <span className="status done">Done</span>}
      {typeof outcome === 'string' && <span className="status failed anywhere">{outcome}</span>}
    </li>
  )
}
