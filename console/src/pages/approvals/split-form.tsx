import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { announce } from '../../ui/announce.tsx'
import { moneyText } from '../../ui/money.tsx'
import { smallestUnits } from '../../ui/money-format.ts'
import { ErrorState } from '../../ui/states.tsx'
import type { Approval } from './approval.ts'

interface SplitFormProps {
  readonly approval: Approval & Required<Pick<Approval, 'amount'>>
  readonly close: () => void
  readonly onDone: () => void
}

/**
 * Asks for the amount of a deposit's first part and a reason. The remainder is the second part, which can be
 * split again.
 */
export function SplitForm({ approval: { objectId, amount: whole }, close, onDone }: SplitFormProps) {
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const part = smallestUnits(typed, whole.currency.decimals)
  const rest = part === undefined ? 0n : whole.amount - part
  const isValid = part !== undefined && part > 0n && rest > 0n
  const split = useMutation({
    mutationFn: async () =>
      await countersign.deposits.split(objectId, { amounts: [part ?? 0n, rest], reason }),
    onSuccess: () => {
      announce(`Split ${moneyText(whole)}.`)
      onDone()
    },
  })
  return (
    <Stack gap="md">
      <span>
        {moneyText(whole)} becomes two deposits in suspense. Then assign, return, split or write off each of
        them.
      </span>
      <TextInput
        label="First part"
        description={`In ${whole.currency.code}`}
        data-autofocus
        inputMode="decimal"
        value={typed}
        error={typed !== '' && !isValid && `Type an amount below ${moneyText(whole)}`}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {isValid && <span>Second part: {moneyText({ ...whole, amount: rest })}</span>}
      <Textarea
        label="Reason"
        description="Stored with the deposit"
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {split.isError && <ErrorState error={split.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          disabled={!isValid || reason.trim() === ''}
          loading={split.isPending}
          onClick={() => split.mutate()}
        >
          Split
        </Button>
      </Group>
    </Stack>
  )
}
