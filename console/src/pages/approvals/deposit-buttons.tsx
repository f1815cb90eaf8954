import { countersign } from '../../data/client.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { type Approval, describeApproval } from './approval.ts'
import { AssignForm } from './assign-form.tsx'
import { ApprovalSummary } from './confirmed.tsx'
import { castVote, groupVotes, needsReason } from './deposit-choice.ts'
import { SplitForm } from './split-form.tsx'

interface DepositButtonsProps {
  readonly approval: Approval
  readonly memberId: string
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}

/**
 * The decisions on a deposit in suspense other than returning it: agree with others, assign, split, and write
 * off.
 */
export function DepositButtons({ approval, memberId, disabledReason, onDone }: DepositButtonsProps) {
  const { amount, objectId } = approval
  return (
    <>
      <AgreeButtons approval={approval} memberId={memberId} disabledReason={disabledReason} onDone={onDone} />
      <DialogButton
        label="Assign"
        title="Whose money is it?"
        disabledReason={disabledReason}
        hotkey="a"
        onDone={onDone}
      >
        {(form) => <AssignForm approval={approval} {...form} />}
      </DialogButton>
      {amount && amount.amount > 1n && (
        <DialogButton
          label="Split"
          title="Split this deposit?"
          variant="default"
          disabledReason={disabledReason}
          onDone={onDone}
        >
          {(form) => <SplitForm approval={{ ...approval, amount }} {...form} />}
        </DialogButton>
      )}
      <ActionButton
        label="Write off"
        color="red"
        disabledReason={disabledReason}
        question={{
          title: 'Write this deposit off?',
          text: (
            <ApprovalSummary approval={approval}>
              The money becomes yours and lowers your costs. No customer is credited. This cannot be undone.
            </ApprovalSummary>
          ),
          needsReason: true,
        }}
        act={async (reason) => await countersign.deposits.writeOff(objectId, { reason })}
        successText={`Written off: ${describeApproval(approval)}.`}
        onDone={onDone}
      />
    </>
  )
}

/** One button for each choice that other members have voted for, but this member has not. */
function AgreeButtons({ approval, memberId, disabledReason, onDone }: DepositButtonsProps) {
  return groupVotes(approval).map(({ text, choice, votes }) => {
    if (choice === undefined || votes.some((vote) => vote.memberId === memberId)) return null
    const names = votes.map(({ memberName }) => memberName).join(', ')
    return (
      <ActionButton
        key={text}
        label={`Agree: ${text.charAt(0).toLowerCase()}${text.slice(1)}`}
        variant="filled"
        disabledReason={disabledReason}
        question={{
          title: `${text}?`,
          text: (
            <ApprovalSummary approval={approval}>
              {names} {votes.length === 1 ? 'has' : 'have'} voted for it. The last vote that is needed
              decides.
            </ApprovalSummary>
          ),
          needsReason: needsReason(choice),
        }}
        act={(reason) => castVote(approval.objectId, choice, reason)}
        successText={`Voted: ${text}, ${describeApproval(approval)}.`}
        onDone={onDone}
      />
    )
  })
}
