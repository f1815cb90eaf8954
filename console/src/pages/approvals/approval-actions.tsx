import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied, useMe } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DecideButton } from '../decisions/decide-button.tsx'
import { executeBatch } from '../payouts/payout.ts'
import type { Approval } from './approval.ts'
import { DepositButtons } from './deposit-buttons.tsx'
import { approving } from './signature.ts'

interface Verdict {
  readonly label: string
  readonly title: string
  readonly text: string
  readonly needsReason: boolean
  readonly act: (approval: Approval, note: string) => PromiseLike<unknown>
}

const note = (text: string) => (text === '' ? {} : { note: text })

const reason = (text: string) => (text === '' ? {} : { reason: text })

/** The call that approves each kind, and its confirmation; a deposit has `DepositButtons`. */
const ALLOWS: Readonly<Record<Exclude<Approval['kind'], 'DEPOSIT'>, Verdict>> = {
  AGENT_ACTION: {
    label: 'Approve',
    title: 'Approve this payment of the agent?',
    text: 'Everything is checked again, and the payment is made.',
    needsReason: false,
    act: ({ objectId, requestedBy }) =>
      approving(countersign.agents.approve(requestedBy?.id ?? '', objectId)),
  },
  INCOMING_PAYMENT: {
    label: 'Approve',
    title: 'Approve this payment?',
    text: 'The money is credited to the customer.',
    needsReason: false,
    act: ({ objectId }) => approving(countersign.transactions.approve(objectId, {})),
  },
  SCREENING: {
    label: 'Release',
    title: 'Release what waits?',
    text: 'You dismiss the hit. The payment continues, or the deposit is credited, as if the address were on no list.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.screenings.release(objectId, note(text)),
  },
  RAIL_EVENT: {
    label: 'Resolve',
    title: 'Take this report off the queue?',
    text: 'No money moves by it. Say what you have found.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.railEvents.resolve(objectId, { note: text }),
  },
  PAYOUT_BATCH: {
    label: 'Approve',
    title: 'Pay this batch?',
    text: 'Your approval counts for its totals. The last one that is needed pays all its payments.',
    needsReason: false,
    act: async ({ objectId }) => executeBatch(await countersign.payoutBatches.get(objectId)),
  },
  PAYMENT_SCHEDULE: {
    label: 'Approve',
    title: 'Approve this schedule?',
    text: 'The last approval that is needed makes it active: it then pays by its rule until it ends, is paused or canceled.',
    needsReason: false,
    act: ({ objectId }) => countersign.paymentSchedules.approve(objectId),
  },
}

/** The call that refuses each kind, except a rail report. */
const REFUSES: Readonly<Record<Exclude<Approval['kind'], 'RAIL_EVENT'>, Verdict>> = {
  AGENT_ACTION: {
    label: 'Reject',
    title: 'Reject what the agent asks for?',
    text: 'Nothing is paid, and what was reserved is free again.',
    needsReason: false,
    act: ({ objectId, requestedBy }, text) =>
      countersign.agents.reject(requestedBy?.id ?? '', objectId, reason(text)),
  },
  INCOMING_PAYMENT: {
    label: 'Reject',
    title: 'Reject this payment?',
    text: 'Its sender gets the money back, and sees your reason.',
    needsReason: false,
    act: ({ objectId }, text) => countersign.transactions.reject(objectId, reason(text)),
  },
  SCREENING: {
    label: 'Reject',
    title: 'Reject what waits?',
    text: 'A payment fails and its money is given back. A deposit stays in suspense: you alone know whether it may be returned.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.screenings.reject(objectId, note(text)),
  },
  DEPOSIT: {
    label: 'Return to sender',
    title: 'Send this money back?',
    text: 'It goes back to its sender by the rail that it came by. This cannot be undone.',
    needsReason: false,
    act: ({ objectId }, text) => countersign.deposits.return(objectId, note(text)),
  },
  PAYOUT_BATCH: {
    label: 'Cancel batch',
    title: 'Cancel this batch?',
    text: 'None of its payments is made.',
    needsReason: false,
    act: ({ objectId }) => countersign.payoutBatches.cancel(objectId),
  },
  PAYMENT_SCHEDULE: {
    label: 'Cancel schedule',
    title: 'Cancel this schedule?',
    text: 'None of its payments is made.',
    needsReason: false,
    act: ({ objectId }) => countersign.paymentSchedules.cancel(objectId),
  },
}

/** The decision, with the endpoint of its kind. Disabled if the member may not decide or has voted. */
export function ApprovalActions({ approval }: { readonly approval: Approval }) {
  const { kind, votes } = approval
  const { member } = useMe()
  const client = useQueryClient()
  const denied = useDenied('APPROVE')
  const voted = votes.some(({ memberId }) => memberId === member.id)
    ? 'You have approved it. It waits for others.'
    : undefined
  const onDone = () => {
    for (const noun of [
      'approvals',
      'transactions',
      'overview',
      'agents',
      'deposits',
      'payouts',
      'schedules',
    ])
      void client.invalidateQueries({ queryKey: [noun] })
  }
  const shared = { approval, onDone }
  return (
    <>
      {kind === 'DEPOSIT' ? (
        <DepositButtons {...shared} denied={denied} />
      ) : (
        <VerdictButton {...shared} verdict={ALLOWS[kind]} denied={denied ?? voted} isMain />
      )}
      {kind === 'RAIL_EVENT' && approval.transactionId !== undefined && (
        <DecideButton
          transactionId={approval.transactionId}
          railEventId={approval.objectId}
          denied={denied}
          onDone={onDone}
        />
      )}
      {kind !== 'RAIL_EVENT' && <VerdictButton {...shared} verdict={REFUSES[kind]} denied={denied} />}
    </>
  )
}

function VerdictButton(props: {
  readonly approval: Approval
  readonly verdict: Verdict
  readonly denied: string | undefined
  readonly isMain?: boolean
  readonly onDone: () => void
}) {
  const { approval, verdict, denied, isMain = false, onDone } = props
  const { label, title, text, needsReason, act } = verdict
  const isPlainApproval = isMain && !needsReason
  return (
    <ActionButton
      label={label}
      denied={denied}
      {...(isMain ? { variant: 'filled' as const } : { color: 'red' })}
      ask={{ title, text, ...(isPlainApproval ? {} : { needsReason }) }}
      act={async (typed) => await act(approval, typed)}
      onDone={onDone}
    />
  )
}
