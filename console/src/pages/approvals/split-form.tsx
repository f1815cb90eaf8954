import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { announce } from '../../ui/announce.tsx'
import { formatMoney } from '../../ui/money.tsx'
import { parseSmallestUnits } from '../../ui/money-format.ts'
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
  const [amountText, setAmountText] = useState('')
  const [reason, setReason] = useState('')
  const part = parseSmallestUnits(amountText, whole.currency.decimals)
  const remainder = part === undefined ? 0n : whole.amount - part
  const isValid = part !== undefined && part > 0n && remainder > 0n
  const split = useMutation({
    mutationFn: async () =>
      await countersign.deposits.split(objectId, { amounts: [part ?? 0n, remainder], reason }),
    onSuccess: () => {
      announce(`${formatMoney(whole)} split.`)
      onDone()
    },
  })
  return (
    <Stack gap="md">
      <span>
        {formatMoney(whole)} becomes two deposits in suspense. Then assign, return, split or write off each of
        them.
      </span>
      <TextInput
        label="First part"
        description={`In ${whole.currency.code}`}
        data-autofocus
        inputMode="decimal"
        value={amountText}
        error={amountText !== '' && !isValid && `Enter an amount below ${formatMoney(whole)}.`}
        onChange={({ currentTarget }) => setAmountText(currentTarget.value)}
      />
      {isValid && <span>Second part: {formatMoney({ ...whole, amount: remainder })}</span>}
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
