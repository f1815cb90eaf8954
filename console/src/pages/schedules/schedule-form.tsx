import { WEEKDAYS } from '@countersign/contract/core/formats'
import { findWord } from '@countersign/contract/core/objects'
import { BUSINESS_DAY_CONVENTIONS } from '@countersign/contract/payments/payment-schedules'
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { describeAccount } from '../../ui/account-words.ts'
import { formatAmountError, parseSmallestUnits } from '../../ui/money-format.ts'
import { shortenId } from '../../ui/record-id.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { buildRule, EMPTY_DRAFT, MONTH_DAYS, RULE_TYPES, type ScheduleDraft } from './schedule-draft.ts'

const ACCOUNTS_MAX = 100

/**
 * Loads the accounts of the platform and its latest customers that can pay. Embedded wallets are excluded,
 * because they need a signature for each payment.
 */
async function readSources() {
  const [customers, platform] = await Promise.all([
    countersign.internalAccounts.list({ limit: ACCOUNTS_MAX }),
    countersign.platformInternalAccounts.list(),
  ])
  return [...platform.data, ...customers.data].filter(({ type }) => type !== 'EMBEDDED_WALLET')
}

/** Loads the same owner's external accounts in the same currency. */
async function readPayees(customerId: string | undefined, currency: string) {
  const { data } =
    customerId === undefined
      ? await countersign.platformExternalAccounts.list()
      : await countersign.externalAccounts.list({ customerId, limit: ACCOUNTS_MAX })
  return data.filter((account) => account.currency === currency)
}

type Source = Awaited<ReturnType<typeof readSources>>[number]
type Payee = Awaited<ReturnType<typeof readPayees>>[number]
type Change = (part: Partial<ScheduleDraft>) => void

/** Loads the accounts that can be chosen, and finds the chosen ones. */
function useAccounts(draft: ScheduleDraft) {
  const sources = useQuery({ queryKey: ['accounts', 'to-pay-from'], queryFn: readSources })
  const source = sources.data?.find(({ id }) => id === draft.sourceId) ?? sources.data?.[0]
  const code = source?.balance.currency.code ?? ''
  const payees = useQuery({
    queryKey: ['accounts', 'payees', source?.customerId, code],
    queryFn: () => readPayees(source?.customerId, code),
    enabled: source !== undefined,
  })
  const payee = payees.data?.find(({ id }) => id === draft.destinationId) ?? payees.data?.[0]
  return { sources: sources.data, source, payees: payees.data, payee }
}

export function ScheduleForm({ onDone }: { readonly onDone: (id: string) => void }) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const set: Change = (part) => setDraft({ ...draft, ...part })
  const { sources, source, payees, payee } = useAccounts(draft)
  const { decimals = 0, code = '' } = source?.balance.currency ?? {}
  const units = parseSmallestUnits(draft.amount, decimals)
  const create = useMutation({
    mutationFn: () =>
      countersign.paymentSchedules.create({
        ...(draft.name.trim() === '' ? {} : { name: draft.name }),
        source: { accountId: source?.id ?? '' },
        destination: { accountId: payee?.id ?? '' },
        amount: units ?? 0n,
        rule: buildRule(draft),
        time: draft.time,
        businessDays: draft.businessDays,
        ...(draft.needsApproval ? { needsApproval: true } : {}),
      }),
    onSuccess: ({ id }) => onDone(id),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const isReady = source && payee && units && (draft.type !== 'ONCE' || draft.date !== '')
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          maxLength={100}
          data-autofocus
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <AccountFields sources={sources} source={source} payees={payees} payee={payee} set={set} />
        <TextInput
          label={`Amount in ${code}`}
          inputMode="decimal"
          required
          value={draft.amount}
          error={draft.amount !== '' && units === undefined && formatAmountError(decimals)}
          onChange={({ currentTarget }) => set({ amount: currentTarget.value })}
        />
        <RuleFields draft={draft} set={set} />
        {create.isError && <ErrorState error={create.error} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={!isReady} loading={create.isPending}>
            Create schedule
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Chooses the paying account and the payee. */
function AccountFields(props: {
  readonly sources: readonly Source[] | undefined
  readonly source: Source | undefined
  readonly payees: readonly Payee[] | undefined
  readonly payee: Payee | undefined
  readonly set: Change
}) {
  const { sources = [], source, payees = [], payee, set } = props
  return (
    <>
      <NativeSelect
        label="From"
        description="Your own accounts, and the newest customer accounts"
        value={source?.id ?? ''}
        onChange={({ currentTarget }) => set({ sourceId: currentTarget.value, destinationId: '' })}
        data={sources.map(({ id, customerId, balance }) => ({
          value: id,
          label: `${customerId ? shortenId(customerId) : 'Platform'} · ${balance.currency.code}`,
        }))}
      />
      <NativeSelect
        label="Payee"
        description="An external account of the same owner and currency"
        value={payee?.id ?? ''}
        onChange={({ currentTarget }) => set({ destinationId: currentTarget.value })}
        data={payees.map((account) => ({ value: account.id, label: describeAccount(account) }))}
      />
    </>
  )
}

/** Chooses when payments are made. */
function RuleFields({ draft, set }: { readonly draft: ScheduleDraft; readonly set: Change }) {
  return (
    <>
      <Group grow>
        <NativeSelect
          label="Rule"
          value={draft.type}
          onChange={({ currentTarget }) =>
            set({ type: findWord(RULE_TYPES, currentTarget.value) ?? draft.type })
          }
          data={RULE_TYPES.map((type) => ({ value: type, label: formatConstant(type) }))}
        />
        <RuleDetail draft={draft} set={set} />
        <TextInput
          label="Time"
          type="time"
          required
          value={draft.time}
          onChange={({ currentTarget }) => set({ time: currentTarget.value.slice(0, 5) })}
        />
      </Group>
      <NativeSelect
        label="If the date is not a business day"
        value={draft.businessDays}
        onChange={({ currentTarget }) =>
          set({ businessDays: findWord(BUSINESS_DAY_CONVENTIONS, currentTarget.value) ?? draft.businessDays })
        }
        data={[
          { value: 'PRECEDING', label: 'Pay on the business day before' },
          { value: 'FOLLOWING', label: 'Pay on the next business day' },
          { value: 'NONE', label: 'Pay on the date' },
        ]}
      />
      <Checkbox
        label="Require approval"
        checked={draft.needsApproval}
        onChange={({ currentTarget }) => set({ needsApproval: currentTarget.checked })}
      />
    </>
  )
}

/** Chooses the day of the rule, which a daily rule does not have. */
function RuleDetail({ draft, set }: { readonly draft: ScheduleDraft; readonly set: Change }) {
  switch (draft.type) {
    case 'ONCE':
      return (
        <TextInput
          label="Date"
          type="date"
          required
          value={draft.date}
          onChange={({ currentTarget }) => set({ date: currentTarget.value })}
        />
      )
    case 'WEEKLY':
      return (
        <NativeSelect
          label="Day of the week"
          value={draft.weekday}
          onChange={({ currentTarget }) =>
            set({ weekday: findWord(WEEKDAYS, currentTarget.value) ?? draft.weekday })
          }
          data={WEEKDAYS.map((day) => ({ value: day, label: formatConstant(day) }))}
        />
      )
    case 'MONTHLY':
      return (
        <NativeSelect
          label="Day of the month"
          value={draft.day}
          onChange={({ currentTarget }) => set({ day: currentTarget.value })}
          data={MONTH_DAYS}
        />
      )
    case 'DAILY':
      return null
  }
}
