import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { ErrorState } from '../../ui/states.tsx'

/** The fields common to all orders. */
export interface OrderFields {
  readonly reason: string
  readonly needsApproval?: true
}

interface ConfirmFormProps {
  /** The label of the confirmation button. */
  readonly label: string
  readonly isReady: boolean
  /** The order's own fields. */
  readonly children: ReactNode
  /** The order's details, as pairs of name and value, which are shown for confirmation. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
  readonly effect: string
  readonly send: (order: OrderFields) => PromiseLike<unknown>
  readonly onDone: () => void
  /** Returns true if one of the fields displays the error. */
  readonly onError?: (error: Error) => boolean
}

/** A form that shows the complete order for confirmation before sending it. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { label, isReady, children, facts, effect, send, onDone, onError } = props
  const [reason, setReason] = useState('')
  const [needsApproval, setNeedsApproval] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const create = useMutation({
    mutationFn: async () =>
      await send({ reason: reason.trim(), ...(needsApproval ? { needsApproval: true } : {}) }),
    onSuccess: onDone,
    onError: (error) => {
      if (onError?.(error)) setConfirming(false)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirming) create.mutate()
    else setConfirming(true)
  }
  const back = () => {
    create.reset()
    setConfirming(false)
  }
  return (
    <form onSubmit={submit}>
      {isConfirming ? (
        <Confirmation
          label={label}
          facts={[...facts, ['Reason', reason]]}
          effect={effect}
          create={create}
          back={back}
        />
      ) : (
        <Stack>
          {children}
          <TextInput
            label="Reason"
            maxLength={500}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <Checkbox
            label="Require an approval"
            description="Even if the platform does not require one"
            checked={needsApproval}
            onChange={({ currentTarget }) => setNeedsApproval(currentTarget.checked)}
          />
          <Button type="submit" variant="filled" disabled={!isReady || reason.trim() === ''}>
            Continue
          </Button>
        </Stack>
      )}
    </form>
  )
}

function Confirmation(
  props: Pick<ConfirmFormProps, 'label' | 'facts' | 'effect'> & {
    readonly create: Pick<UseMutationResult<unknown, Error, void>, 'error' | 'isPending'>
    readonly back: () => void
  },
) {
  const { label, facts, effect, create, back } = props
  return (
    <Stack>
      <div className="anywhere">
        <Facts items={facts} />
      </div>
      <span>{effect}</span>
      {create.error && <ErrorState error={create.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={back}>
          Back
        </Button>
        <Button type="submit" variant="filled" loading={create.isPending}>
          {label}
        </Button>
      </Group>
    </Stack>
  )
}
