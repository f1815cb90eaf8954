import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { announce } from '../../ui/announce.tsx'
import { formatMoney } from '../../ui/money.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { formatCustomerName } from '../customers/customer.ts'
import type { Approval } from './approval.ts'

const TYPING_MS = 250
const FOUND_MAX = 20

interface AssignFormProps {
  readonly approval: Approval
  readonly close: () => void
  readonly onDone: () => void
}

/** Assigns an unattributed deposit: a customer, one of its accounts, and a note. */
export function AssignForm({ approval, close, onDone }: AssignFormProps) {
  const [customerId, setCustomerId] = useState('')
  const [accountId, setAccountId] = useState('')
  const [note, setNote] = useState('')
  const assign = useMutation({
    mutationFn: async () =>
      await countersign.deposits.assign(approval.objectId, { accountId, ...(note ? { note } : {}) }),
    onSuccess: () => {
      announce(`${formatMoney(approval.amount)} assigned.`)
      onDone()
    },
  })
  const chooseCustomer = (id: string) => {
    setCustomerId(id)
    setAccountId('')
  }
  return (
    <Stack gap="md">
      <span>
        {formatMoney(approval.amount)} is credited to the account that you choose. No further approval is
        requested.
      </span>
      <CustomerChoice customerId={customerId} choose={chooseCustomer} />
      <AccountChoice
        customerId={customerId}
        currency={approval.amount?.currency.code}
        accountId={accountId}
        choose={setAccountId}
      />
      <Textarea
        label="Note"
        description="Stored with the deposit (optional)"
        autosize
        minRows={2}
        maxLength={500}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      {assign.isError && <ErrorState error={assign.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={accountId === ''} loading={assign.isPending} onClick={() => assign.mutate()}>
          Assign
        </Button>
      </Group>
    </Stack>
  )
}

interface CustomerChoiceProps {
  readonly customerId: string
  readonly choose: (customerId: string) => void
}

/** Searches for customers and lets the member choose one. */
function CustomerChoice({ customerId, choose }: CustomerChoiceProps) {
  const [input, setInput] = useState('')
  const [search] = useDebouncedValue(input.trim(), TYPING_MS)
  const customers = useQuery({
    queryKey: ['customers', 'found', search],
    queryFn: () => countersign.customers.list({ search, limit: FOUND_MAX }),
    enabled: search !== '',
  })
  const options = customers.data?.data ?? []
  const isMissing = search !== '' && customers.isSuccess && options.length === 0
  return (
    <>
      <TextInput
        label="Customer"
        description="Name, e-mail, phone or reference"
        data-autofocus
        maxLength={255}
        value={input}
        onChange={({ currentTarget }) => setInput(currentTarget.value)}
      />
      <NativeSelect
        label="Found"
        value={customerId}
        disabled={options.length === 0}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[
          { value: '', label: isMissing ? 'No matching customers' : 'Choose …' },
          ...options.map((customer) => ({
            value: customer.id,
            label: `${formatCustomerName(customer)} (${customer.platformCustomerId})`,
          })),
        ]}
      />
    </>
  )
}

interface AccountChoiceProps {
  readonly customerId: string
  readonly currency: string | undefined
  readonly accountId: string
  readonly choose: (accountId: string) => void
}

/** Lets the member choose one of the customer's accounts in the deposit's currency. */
function AccountChoice({ customerId, currency, accountId, choose }: AccountChoiceProps) {
  const accounts = useQuery({
    queryKey: ['accounts', 'for deposit', customerId, currency],
    queryFn: () =>
      countersign.internalAccounts.list({ customerId, ...(currency ? { currency } : {}), limit: FOUND_MAX }),
    enabled: customerId !== '',
  })
  const options = accounts.data?.data
  return (
    <NativeSelect
      label="Account"
      value={accountId}
      disabled={!options || options.length === 0}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[
        {
          value: '',
          label: options?.length === 0 ? `No account in ${currency ?? 'its currency'}` : 'Choose …',
        },
        ...(options ?? []).map(({ id, type, balance }) => ({
          value: id,
          label: `${formatConstant(type)}, ${formatMoney(balance)}`,
        })),
      ]}
    />
  )
}
