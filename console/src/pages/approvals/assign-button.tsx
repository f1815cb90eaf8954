import { Button, Group, Modal, NativeSelect, Stack, Textarea, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { moneyText } from '../../ui/money.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { nameOf } from '../customers/customer.ts'
import type { Approval } from './approval-card.tsx'

const TYPING_MS = 250
const FOUND_MAX = 20

interface AssignProps {
  readonly approval: Approval
  readonly denied: string | undefined
  readonly onDone: () => void
}

/** Says whose money a deposit is: finds the customer, and credits one of its accounts in the currency of the deposit. */
export function AssignButton({ approval, denied, onDone }: AssignProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Tooltip label={denied} disabled={denied === undefined}>
        <Button
          {...(denied === undefined ? {} : { 'data-disabled': true })}
          aria-disabled={denied !== undefined}
          onClick={() => denied === undefined && open()}
        >
          Assign
        </Button>
      </Tooltip>
      <Modal opened={isOpen} onClose={close} title="Whose money is it?" centered keepMounted={false}>
        <AssignForm
          approval={approval}
          close={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
      </Modal>
    </>
  )
}

function AssignForm(props: {
  readonly approval: Approval
  readonly close: () => void
  readonly onDone: () => void
}) {
  const { approval, close, onDone } = props
  const currency = approval.amount?.currency.code
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  const [customerId, setCustomerId] = useState('')
  const [accountId, setAccountId] = useState('')
  const [note, setNote] = useState('')
  const customers = useQuery({
    queryKey: ['customers', 'found', search],
    queryFn: () => countersign.customers.list({ search, limit: FOUND_MAX }),
    enabled: search !== '',
  })
  const accounts = useQuery({
    queryKey: ['accounts', 'for deposit', customerId, currency],
    queryFn: () =>
      countersign.internalAccounts.list({ customerId, ...(currency ? { currency } : {}), limit: FOUND_MAX }),
    enabled: customerId !== '',
  })
  const assign = useMutation({
    mutationFn: async () =>
      await countersign.deposits.assign(approval.objectId, { accountId, ...(note ? { note } : {}) }),
    onSuccess: onDone,
  })
  const found = customers.data?.data ?? []
  return (
    <Stack gap="md">
      <span>
        {moneyText(approval.amount)} is credited to the account that you choose. It is not asked about again.
      </span>
      <TextInput
        label="Customer"
        description="Name, e-mail, phone or reference"
        data-autofocus
        maxLength={255}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <NativeSelect
        label="Found"
        value={customerId}
        disabled={found.length === 0}
        onChange={({ currentTarget }) => {
          setCustomerId(currentTarget.value)
          setAccountId('')
        }}
        data={[
          {
            value: '',
            label: search !== '' && customers.isSuccess && found.length === 0 ? 'Nobody' : 'Choose …',
          },
          ...found.map((customer) => ({
            value: customer.id,
            label: `${nameOf(customer)} (${customer.platformCustomerId})`,
          })),
        ]}
      />
      <NativeSelect
        label="Account"
        value={accountId}
        disabled={!accounts.data || accounts.data.data.length === 0}
        onChange={({ currentTarget }) => setAccountId(currentTarget.value)}
        data={[
          {
            value: '',
            label:
              accounts.data?.data.length === 0 ? `No account in ${currency ?? 'its currency'}` : 'Choose …',
          },
          ...(accounts.data?.data ?? []).map(({ id, type, balance }) => ({
            value: id,
            label: `${wordsOf(type)}, ${moneyText(balance)}`,
          })),
        ]}
      />
      <Textarea
        label="Note"
        description="Kept with the deposit; may be left out"
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
