import type { Card as CardSchema } from '@countersign/contract/cards/cards'
import { CARD_TRANSITIONS } from '@countersign/contract/states/card-states'
import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { announce } from '../../ui/announce.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState } from '../../ui/states.tsx'

type Card = Static<typeof CardSchema>

/**
 * Lets the platform freeze a card without the cardholder's involvement, and lift that freeze. Renders nothing
 * if the card cannot be used anyway.
 */
export function FreezeButtons({ card: { id, state, platformFreeze } }: { readonly card: Card }) {
  const disabledReason = useMissingPermission('APPROVE')
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries({ queryKey: ['cards'] })
  if (platformFreeze)
    return (
      <ActionButton
        label="Lift freeze"
        disabledReason={disabledReason}
        successText="Freeze lifted."
        question={{
          title: "Lift this card's freeze?",
          text: 'It can be used again immediately, unless the cardholder also froze it.',
          needsReason: true,
        }}
        act={(reason) => countersign.cards.liftFreeze(id, { reason })}
        onDone={refresh}
      />
    )
  const { freeze, unfreeze } = CARD_TRANSITIONS[state]
  if (!freeze && !unfreeze) return null
  return (
    <DialogButton
      label="Freeze for safety"
      title="Freeze this card?"
      variant="default"
      disabledReason={disabledReason}
      onDone={refresh}
    >
      {(dialog) => <FreezeForm id={id} onDone={dialog.onDone} />}
    </DialogButton>
  )
}

function FreezeForm(props: { readonly id: string; readonly onDone: () => void }) {
  const { id, onDone } = props
  const [reason, setReason] = useState('')
  const [cardholderMayLift, setCardholderMayLift] = useState(false)
  const freeze = useMutation({
    mutationFn: () => countersign.cards.freeze(id, { reason: reason.trim(), cardholderMayLift }),
    onSuccess: () => {
      announce('Card frozen. New purchases are declined.')
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    freeze.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <span>New purchases are declined immediately. Earlier purchases can still clear or be refunded.</span>
        <Textarea
          label="Reason"
          description="For your team. The cardholder does not see it."
          required
          data-autofocus
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Checkbox
          label="Allow the cardholder to lift the freeze"
          description="With a signature in your app, like the cardholder's own freeze"
          checked={cardholderMayLift}
          onChange={({ currentTarget }) => setCardholderMayLift(currentTarget.checked)}
        />
        {freeze.isError && <ErrorState error={freeze.error} />}
        <Group justify="flex-end">
          <Button type="submit" color="red" loading={freeze.isPending} disabled={reason.trim() === ''}>
            Freeze
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
