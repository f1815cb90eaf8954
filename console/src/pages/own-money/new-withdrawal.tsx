import { currencyRecord, isKnownCurrency } from '@countersign/contract/core/currencies'
import { wordOf } from '@countersign/contract/core/objects'
import { WITHDRAWAL_SOURCES } from '@countersign/contract/operation/own-money'
import type { ItemOf } from '@countersign/sdk'
import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { smallestUnits } from '../../ui/money-format.ts'
import { ErrorState } from '../../ui/states.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import type { Listed } from '../../ui/use-listed.ts'

type OwnAccount = ItemOf<'own_account_list'>

/** The button that opens the form of a new withdrawal. */
export function NewWithdrawal({ accounts }: { readonly accounts: Listed<OwnAccount> }) {
  const mayTransact = useDenied('TRANSACT')
  const client = useQueryClient()
  const active = accounts.rows.filter(({ status }) => status === 'ACTIVE')
  const denied = mayTransact ?? (active.length === 0 ? 'No active account is registered.' : undefined)
  const onDone = () => {
    for (const noun of ['own-money', 'approvals', 'accounts', 'overview'])
      void client.invalidateQueries({ queryKey: [noun] })
  }
  return (
    <DialogButton label="New withdrawal" title="New withdrawal" denied={denied} onDone={onDone}>
      {(dialog) => <WithdrawalForm accounts={active} onDone={dialog.onDone} />}
    </DialogButton>
  )
}

interface FormProps {
  readonly accounts: readonly OwnAccount[]
  readonly onDone: () => void
}

function WithdrawalForm({ accounts, onDone }: FormProps) {
  const [draft, setDraft] = useState({ id: '', source: 'FEES', amount: '', reason: '' })
  const account = accounts.find(({ id }) => id === draft.id) ?? accounts[0]
  const code = account?.currency ?? ''
  const decimals = isKnownCurrency(code) ? (currencyRecord(code).decimals ?? 0) : 0
  const units = smallestUnits(draft.amount, decimals)
  const create = useMutation({
    mutationFn: () =>
      countersign.withdrawals.create({
        ownAccountId: account?.id ?? '',
        source: wordOf(WITHDRAWAL_SOURCES, draft.source) ?? 'FEES',
        amount: units ?? 0n,
        reason: draft.reason,
      }),
    onSuccess: onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const isReady = account && units && draft.reason.trim() !== ''
  return (
    <form onSubmit={submit}>
      <Stack>
        <NativeSelect
          label="To"
          data={accounts.map((one) => ({ value: one.id, label: one.account }))}
          value={account?.id}
          onChange={({ currentTarget }) => set({ id: currentTarget.value })}
        />
        <NativeSelect
          label="From"
          data={WITHDRAWAL_SOURCES.map((source) => ({ value: source, label: wordsOf(source) }))}
          value={draft.source}
          onChange={({ currentTarget }) => set({ source: currentTarget.value })}
        />
        <TextInput
          label={`Amount in ${code}`}
          value={draft.amount}
          onChange={({ currentTarget }) => set({ amount: currentTarget.value })}
        />
        <TextInput
          label="Reason"
          maxLength={500}
          value={draft.reason}
          onChange={({ currentTarget }) => set({ reason: currentTarget.value })}
        />
        {create.error && <ErrorState error={create.error} />}
        <Button type="submit" variant="filled" disabled={!isReady} loading={create.isPending}>
          Withdraw
        </Button>
      </Stack>
    </form>
  )
}
