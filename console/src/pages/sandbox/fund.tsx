import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { Money } from '../../ui/money.tsx'
import { formatAmountError, parseSmallestUnits } from '../../ui/money-format.ts'
import { shortenId } from '../../ui/record-id.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'

const ACCOUNTS_MAX = 100

/** Loads the platform's accounts and its latest customer accounts. */
async function readAccounts() {
  const [customers, platform] = await Promise.all([
    countersign.internalAccounts.list({ limit: ACCOUNTS_MAX }),
    countersign.platformInternalAccounts.list(),
  ])
  return [...platform.data, ...customers.data]
}

/** Adds test money to an account of the platform or a customer. */
export function Fund({ onChange: changed }: { readonly onChange: () => void }) {
  const { data = [] } = useQuery({ queryKey: ['accounts', 'to-fund'], queryFn: readAccounts })
  return (
    <FundForm
      accounts={data}
      description="Your own accounts, and the newest customer accounts"
      formatLabel={({ type, customerId, balance }) =>
        `${customerId ? shortenId(customerId) : 'Platform'} · ${formatConstant(type)} · ${balance.currency.code}`
      }
      onChange={changed}
    />
  )
}

type Account = Awaited<ReturnType<typeof readAccounts>>[number]

/** Adds test money to one of the given accounts and shows the new balance. */
export function FundForm(props: {
  readonly accounts: readonly Account[]
  readonly description?: string
  readonly formatLabel: (account: Account) => string
  readonly onChange: () => void
}) {
  const { accounts, description, formatLabel, onChange: changed } = props
  const disabledReason = useMissingPermission('TRANSACT')
  const [accountId, setAccountId] = useState('')
  const [amount, setAmount] = useState('')
  const account = accounts.find(({ id }) => id === accountId) ?? accounts[0]
  const { decimals = 0, code = '' } = account?.balance.currency ?? {}
  const units = parseSmallestUnits(amount, decimals)
  const fund = useMutation({
    mutationFn: () => countersign.sandbox.fund(account!.id, { amount: units! }),
    onSuccess: changed,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    fund.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <NativeSelect
          label="Account"
          {...(description === undefined ? {} : { description })}
          value={account?.id ?? ''}
          onChange={({ currentTarget }) => setAccountId(currentTarget.value)}
          data={accounts.map((option) => ({ value: option.id, label: formatLabel(option) }))}
        />
        <TextInput
          label={`Amount in ${code}`}
          inputMode="decimal"
          required
          value={amount}
          error={amount !== '' && units === undefined && formatAmountError(decimals)}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
        />
        <Group>
          <Button
            type="submit"
            disabled={disabledReason !== undefined || !account || !units}
            title={disabledReason}
            loading={fund.isPending}
          >
            Fund
          </Button>
          {fund.isSuccess && (
            <Text size="sm" role="status">
              The balance is now <Money amount={fund.data.balance} />
            </Text>
          )}
        </Group>
        {fund.isError && <ErrorState error={fund.error} />}
      </Stack>
    </form>
  )
}
