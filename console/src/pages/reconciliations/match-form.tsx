import { findWord } from '@countersign/contract/core/objects'
import { MATCH_ACCOUNTS, type MatchAccount } from '@countersign/contract/operation/reconciliation-matches'
import { Button, Group, NativeSelect, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { formatMoney } from '../../ui/money.tsx'
import { ErrorState } from '../../ui/states.tsx'
import type { Selection } from './selection.ts'

interface MatchFormProps {
  readonly selection: Selection
  readonly close: () => void
  readonly onDone: () => void
}

const ACCOUNT_WORDS: Readonly<Record<MatchAccount, string>> = {
  costs: 'Costs: charged or paid by the bank',
  fx: 'FX: bought or sold at the bank',
  receivables: 'Receivables: owed to you',
}

/**
 * Asks why the selected lines and payments belong together, and to which account their difference is booked.
 */
export function MatchForm({ selection, close, onDone }: MatchFormProps) {
  const [account, setAccount] = useState<MatchAccount>('costs')
  const [reason, setReason] = useState('')
  const { rail, currency, statementEntryIds, paymentIds, difference } = selection
  const match = useMutation({
    mutationFn: async () =>
      await countersign.reconciliationMatches.create({
        ...{ rail, currency: currency.code, statementEntryIds, paymentIds, reason },
        ...(difference === 0n ? {} : { difference: { amount: difference, account } }),
      }),
    onSuccess: onDone,
  })
  return (
    <Stack gap="md">
      <span>
        {difference === 0n
          ? 'The lines and the payments agree. Nothing is booked.'
          : `The bank has ${formatMoney({ amount: difference, currency })} more than the books. No customer balance changes.`}
      </span>
      {difference !== 0n && (
        <NativeSelect
          label="Book the difference to"
          value={account}
          onChange={({ currentTarget }) =>
            setAccount(findWord(MATCH_ACCOUNTS, currentTarget.value) ?? account)
          }
          data={MATCH_ACCOUNTS.map((option) => ({ value: option, label: ACCOUNT_WORDS[option] }))}
        />
      )}
      <Textarea
        label="Reason"
        description="Stored with the match"
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {match.isError && <ErrorState error={match.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={reason.trim() === ''} loading={match.isPending} onClick={() => match.mutate()}>
          Match
        </Button>
      </Group>
    </Stack>
  )
}
