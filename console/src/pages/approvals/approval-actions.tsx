import { useQueryClient } from '@tanstack/react-query'
import { useMe, useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DecideButton } from '../decisions/decide-button.tsx'
import { type Approval, describeApproval } from './approval.ts'
import { ApprovalSummary } from './confirmed.tsx'
import { DepositButtons } from './deposit-buttons.tsx'
import { APPROVALS, describeEarlierVote, REJECTIONS, type Verdict } from './verdicts.ts'

/** Returns a function that reloads everything that a decision may have changed. */
export function useReloadAfterDecision(): () => void {
  const client = useQueryClient()
  return () => {
    for (const noun of [
      'approvals',
      'transactions',
      'overview',
      'agents',
      'deposits',
      'payouts',
      'schedules',
      'own-money',
      'holds',
      'accounts',
    ])
      void client.invalidateQueries({ queryKey: [noun] })
  }
}

/**
 * The decision buttons, which call the endpoint of the record's kind. Disabled if the member may not decide
 * or has already voted.
 */
export function ApprovalActions(props: {
  readonly approval: Approval
  /** Called after a decision to open the next approval. */
  readonly openNext: () => void
}) {
  const { approval, openNext: next } = props
  const { kind } = approval
  const refusal = REJECTIONS[kind]
  const { member } = useMe()
  const disabledReason = useMissingPermission('APPROVE')
  const reload = useReloadAfterDecision()
  const onDone = () => {
    reload()
    next()
  }
  const shared = { approval, onDone }
  return (
    <>
      {kind === 'DEPOSIT' ? (
        <DepositButtons {...shared} memberId={member.id} disabledReason={disabledReason} />
      ) : (
        <VerdictButton
          {...shared}
          verdict={APPROVALS[kind]}
          disabledReason={disabledReason ?? describeEarlierVote(approval, member.id)}
          isMain
        />
      )}
      {kind === 'RAIL_EVENT' && approval.transactionId !== undefined && (
        <DecideButton
          transactionId={approval.transactionId}
          railEventId={approval.objectId}
          disabledReason={disabledReason}
          onDone={reload}
        />
      )}
      {typeof refusal !== 'string' && (
        <VerdictButton {...shared} verdict={refusal} disabledReason={disabledReason} />
      )}
    </>
  )
}

function VerdictButton(props: {
  readonly approval: Approval
  readonly verdict: Verdict
  readonly disabledReason: string | undefined
  readonly isMain?: boolean
  readonly onDone: () => void
}) {
  const { approval, verdict, disabledReason, isMain = false, onDone } = props
  const { label, pastTense, title, text, needsReason, takesReason = true, act } = verdict
  return (
    <ActionButton
      label={label}
      disabledReason={disabledReason}
      {...(isMain ? { variant: 'filled' as const, hotkey: 'a' } : { color: 'red', hotkey: 'r' })}
      question={{
        title,
        text: <ApprovalSummary approval={approval}>{text}</ApprovalSummary>,
        ...(takesReason ? { needsReason } : {}),
      }}
      act={async (enteredReason) => await act(approval, enteredReason)}
      successText={`${pastTense}: ${describeApproval(approval)}.`}
      onDone={onDone}
    />
  )
}
