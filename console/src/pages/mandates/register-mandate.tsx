import { MANDATE_TYPES } from '@countersign/contract/accounts/mandates'
import { findWord } from '@countersign/contract/core/objects'
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { describeAccount } from '../../ui/account-words.ts'
import { announce } from '../../ui/announce.tsx'
import { CustomerName } from '../../ui/customer-name.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { leaveByTab } from '../../ui/leave-by-tab.ts'
import { ErrorState } from '../../ui/states.tsx'
import { type ExternalAccount, getAccountNumber } from './mandate.tsx'

interface OfAccounts {
  /** At least one account that can be debited through SEPA or Bacs. All belong to the same owner. */
  readonly accounts: readonly ExternalAccount[]
}

/** A button that opens the form for a new mandate, and afterwards the mandate's page. */
export function RegisterMandate({ accounts }: OfAccounts) {
  const disabledReason = useMissingPermission('MANAGE')
  const client = useQueryClient()
  return (
    <DialogButton
      label="Register a mandate"
      title="Register a mandate"
      variant="default"
      buttonSize="xs"
      disabledReason={disabledReason}
      onDone={() => void client.invalidateQueries({ queryKey: ['mandates'] })}
    >
      {({ onDone }) => <MandateForm accounts={accounts} onDone={onDone} />}
    </DialogButton>
  )
}

const EMPTY = { accountId: '', signedOn: '', reference: '', mandateType: 'RECURRING', lastCollectedOn: '' }
type Draft = typeof EMPTY

function MandateForm({ accounts, onDone }: OfAccounts & { readonly onDone: () => void }) {
  const [draft, setDraft] = useState(EMPTY)
  const navigate = useNavigate()
  const account = accounts.find(({ id }) => id === draft.accountId) ?? accounts[0]
  const create = useMutation({
    mutationFn: async () => await countersign.mandates.create(buildRequest(account?.id ?? '', draft)),
    onSuccess: ({ id }) => {
      announce('Mandate registered.')
      onDone()
      void navigate({ to: '/mandates/$mandateId', params: { mandateId: id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {account && <Consent account={account} />}
        {accounts.length > 1 && (
          <NativeSelect
            label="Account"
            value={account?.id ?? ''}
            onChange={({ currentTarget }) => setDraft({ ...draft, accountId: currentTarget.value })}
            data={accounts.map((option) => ({ value: option.id, label: describeAccount(option) }))}
          />
        )}
        <MandateFields draft={draft} set={(part) => setDraft({ ...draft, ...part })} />
        {create.isError && <ErrorState error={create.error} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={draft.signedOn === ''} loading={create.isPending}>
            Register mandate
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Names the customer and the account to be debited. */
function Consent({ account }: { readonly account: ExternalAccount }) {
  const { customerId, accountInfo } = account
  const isNamed = 'iban' in accountInfo || 'sortCode' in accountInfo
  const [label, number] = getAccountNumber(isNamed ? accountInfo : {})
  return (
    <Facts
      items={[
        ['Customer', customerId === undefined ? 'The platform' : <CustomerName id={customerId} />],
        ['Account', describeAccount(account)],
        [label, <span className="figures">{number}</span>],
      ]}
    />
  )
}

function MandateFields(props: { readonly draft: Draft; readonly set: (part: Partial<Draft>) => void }) {
  const { draft, set } = props
  return (
    <>
      <TextInput
        label="Signed on"
        type="date"
        required
        data-autofocus
        onKeyDown={leaveByTab}
        value={draft.signedOn}
        onChange={({ currentTarget }) => set({ signedOn: currentTarget.value })}
      />
      <TextInput
        label="Reference"
        description="As the holder knows it. Generated if empty."
        maxLength={35}
        value={draft.reference}
        onChange={({ currentTarget }) => set({ reference: currentTarget.value })}
      />
      <NativeSelect
        label="Allows"
        value={draft.mandateType}
        onChange={({ currentTarget }) => set({ mandateType: currentTarget.value })}
        data={[
          { value: 'RECURRING', label: 'Any number of collections' },
          { value: 'ONE_OFF', label: 'A single collection' },
        ]}
      />
      {draft.mandateType === 'RECURRING' && (
        <TextInput
          label="Last collection by another system"
          description="If empty, the next collection is the first."
          type="date"
          onKeyDown={leaveByTab}
          value={draft.lastCollectedOn}
          onChange={({ currentTarget }) => set({ lastCollectedOn: currentTarget.value })}
        />
      )}
    </>
  )
}

/** Builds the request body without empty fields. */
function buildRequest(externalAccountId: string, draft: Draft) {
  const mandateType = findWord(MANDATE_TYPES, draft.mandateType) ?? 'RECURRING'
  const reference = draft.reference.trim()
  const { signedOn, lastCollectedOn } = draft
  return {
    externalAccountId,
    signedOn,
    mandateType,
    ...(reference === '' ? {} : { reference }),
    ...(lastCollectedOn === '' || mandateType === 'ONE_OFF' ? {} : { lastCollectedOn }),
  }
}
