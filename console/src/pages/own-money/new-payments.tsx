import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { findWord } from '@countersign/contract/core/objects'
import { WITHDRAWAL_SOURCES } from '@countersign/contract/operation/own-money'
import type { ItemOf } from '@countersign/sdk'
import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ComponentType, type FormEvent, type ReactNode, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { parseSmallestUnits } from '../../ui/money-format.ts'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import type { PagedList } from '../../ui/use-listed.ts'
import { useReloadOwnMoney } from './use-changed.ts'

type OwnAccount = ItemOf<'own_account_list'>

interface ButtonProps {
  readonly accounts: PagedList<OwnAccount>
}

/** A button that opens the form for a withdrawal. */
export function NewWithdrawal({ accounts }: ButtonProps) {
  return (
    <FormButton
      title="New withdrawal"
      accounts={accounts.rows.filter((account) => isActive(account, 'OWN_MONEY'))}
      missing="No active account is registered."
      form={WithdrawalForm}
    />
  )
}

/** A button that opens the form for a movement to cold storage. */
export function NewMovement({ accounts }: ButtonProps) {
  return (
    <FormButton
      title="New movement"
      accounts={accounts.rows.filter((account) => isActive(account, 'COLD_STORAGE'))}
      missing="No active cold storage is registered."
      form={MovementForm}
    />
  )
}

function isActive({ status, purpose }: OwnAccount, expectedPurpose: OwnAccount['purpose']): boolean {
  return status === 'ACTIVE' && purpose === expectedPurpose
}

function FormButton({
  title,
  accounts,
  missing,
  form: Form,
}: {
  readonly title: string
  readonly accounts: readonly OwnAccount[]
  readonly missing: string
  readonly form: ComponentType<FormProps>
}) {
  const missingTransact = useMissingPermission('TRANSACT')
  const onChanged = useReloadOwnMoney()
  const disabledReason = missingTransact ?? (accounts.length === 0 ? missing : undefined)
  return (
    <DialogButton label={title} title={title} disabledReason={disabledReason} onDone={onChanged}>
      {({ onDone }) => <Form accounts={accounts} onDone={onDone} />}
    </DialogButton>
  )
}

interface FormProps {
  readonly accounts: readonly OwnAccount[]
  readonly onDone: () => void
}

function WithdrawalForm({ accounts, onDone }: FormProps) {
  const [source, setSource] = useState('FEES')
  return (
    <AmountForm
      accounts={accounts}
      label="Withdraw"
      send={(order) =>
        countersign.withdrawals.create({ ...order, source: findWord(WITHDRAWAL_SOURCES, source) ?? 'FEES' })
      }
      onDone={onDone}
    >
      <NativeSelect
        label="From"
        data={WITHDRAWAL_SOURCES.map((source) => ({ value: source, label: formatConstant(source) }))}
        value={source}
        onChange={({ currentTarget }) => setSource(currentTarget.value)}
      />
    </AmountForm>
  )
}

function MovementForm({ accounts, onDone }: FormProps) {
  return (
    <AmountForm
      accounts={accounts}
      label="Send"
      send={(order) => countersign.treasuryMovements.create(order)}
      onDone={onDone}
    />
  )
}

interface Order {
  readonly ownAccountId: string
  readonly amount: bigint
  readonly reason: string
}

function AmountForm({
  accounts,
  label,
  send,
  onDone,
  children,
}: FormProps & {
  readonly label: string
  readonly send: (order: Order) => PromiseLike<unknown>
  readonly children?: ReactNode
}) {
  const [draft, setDraft] = useState({ id: '', amount: '', reason: '' })
  const account = accounts.find(({ id }) => id === draft.id) ?? accounts[0]
  const code = account?.currency ?? ''
  const decimals = isKnownCurrency(code) ? (toCurrencyRecord(code).decimals ?? 0) : 0
  const units = parseSmallestUnits(draft.amount, decimals)
  const create = useMutation({
    mutationFn: async () =>
      await send({ ownAccountId: account?.id ?? '', amount: units ?? 0n, reason: draft.reason }),
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
          data={accounts.map((account) => ({ value: account.id, label: account.address ?? account.account }))}
          value={account?.id}
          onChange={({ currentTarget }) => set({ id: currentTarget.value })}
        />
        {children}
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
          {label}
        </Button>
      </Stack>
    </form>
  )
}
