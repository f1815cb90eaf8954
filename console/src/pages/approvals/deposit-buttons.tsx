import { countersign } from '../../data/client.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { type Approval, approvalText } from './approval.ts'
import { AssignForm } from './assign-form.tsx'
import { Confirmed } from './confirmed.tsx'
import { groupVotes, needsReason, voteFor } from './deposit-choice.ts'
import { SplitForm } from './split-form.tsx'

interface DepositButtonsProps {
  readonly approval: Approval
  readonly memberId: string
  readonly denied: string | undefined
  readonly onDone: () => void
}

/**
 * The decisions on a deposit in suspense other than returning it: agree with others, assign, split, and write
 * off.
 */
export function DepositButtons({ approval, memberId, denied, onDone }: DepositButtonsProps) {
  const { amount, objectId } = approval
  return (
    <>
      <AgreeButtons approval={approval} memberId={memberId} denied={denied} onDone={onDone} />
      <DialogButton label="Assign" title="Whose money is it?" denied={denied} hotkey="a" onDone={onDone}>
        {(form) => <AssignForm approval={approval} {...form} />}
      </DialogButton>
      {amount && amount.amount > 1n && (
        <DialogButton
          label="Split"
          title="Split this deposit?"
          variant="default"
          denied={denied}
          onDone={onDone}
        >
          {(form) => <SplitForm approval={{ ...approval, amount }} {...form} />}
        </DialogButton>
      )}
      <ActionButton
        label="Write off"
        color="red"
        denied={denied}
        ask={{
          title: 'Write this deposit off?',
          text: (
            <Confirmed approval={approval}>
              The money becomes yours and lowers your costs; no customer is credited. This cannot be undone.
            </Confirmed>
          ),
          needsReason: true,
        }}
        act={async (reason) => await countersign.deposits.writeOff(objectId, { reason })}
        done={`Wrote off ${approvalText(approval)}.`}
        onDone={onDone}
      />
    </>
  )
}

/** One button for each choice that other members have voted for, but this member has not. */
function AgreeButtons({ approval, memberId, denied, onDone }: DepositButtonsProps) {
  return groupVotes(approval).map(({ text, choice, votes }) => {
    if (choice === undefined || votes.some((vote) => vote.memberId === memberId)) return null
    const names = votes.map(({ memberName }) => memberName).join(', ')
    return (
      <ActionButton
        key={text}
        label={`Agree: ${text.charAt(0).toLowerCase()}${text.slice(1)}`}
        variant="filled"
        denied={denied}
        ask={{
          title: `${text}?`,
          text: (
            <Confirmed approval={approval}>
              {names} {votes.length === 1 ? 'has' : 'have'} voted for it. The last vote that is needed
              decides.
            </Confirmed>
          ),
          needsReason: needsReason(choice),
        }}
        act={(reason) => voteFor(approval.objectId, choice, reason)}
        done={`Voted: ${text}, ${approvalText(approval)}.`}
        onDone={onDone}
      />
    )
  })
}
