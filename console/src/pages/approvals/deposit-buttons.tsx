import { countersign } from '../../data/client.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { FormButton } from '../../ui/form-button.tsx'
import type { Approval } from './approval.ts'
import { AssignForm } from './assign-form.tsx'
import { SplitForm } from './split-form.tsx'

interface DepositButtonsProps {
  readonly approval: Approval
  readonly denied: string | undefined
  readonly onDone: () => void
}

/** The decisions about a deposit in suspense, next to returning it: assign, split, and write off. */
export function DepositButtons({ approval, denied, onDone }: DepositButtonsProps) {
  const { amount, objectId } = approval
  return (
    <>
      <FormButton label="Assign" title="Whose money is it?" denied={denied} onDone={onDone}>
        {(form) => <AssignForm approval={approval} {...form} />}
      </FormButton>
      {amount && amount.amount > 1n && (
        <FormButton
          label="Split"
          title="Split this deposit?"
          variant="default"
          denied={denied}
          onDone={onDone}
        >
          {(form) => <SplitForm approval={{ ...approval, amount }} {...form} />}
        </FormButton>
      )}
      <ActionButton
        label="Write off"
        color="red"
        denied={denied}
        ask={{
          title: 'Write this deposit off?',
          text: 'Its money is yours and lowers your costs. Nobody is credited. This cannot be undone.',
          needsReason: true,
        }}
        act={async (reason) => await countersign.deposits.writeOff(objectId, { reason })}
        onDone={onDone}
      />
    </>
  )
}
