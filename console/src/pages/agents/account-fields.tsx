import { AGENT_EXECUTION_MODES } from '@countersign/contract/agents/agent-policy'
import { wordOf } from '@countersign/contract/core/objects'
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { shortId } from '../../ui/record-id.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import type { DraftRule } from './policy-draft.ts'
import type { FieldsProps } from './policy-fields.tsx'

interface Account {
  readonly id: string
  readonly name: string
}

/** Selects the accounts that the agent may use, and sets rules for individual accounts. */
export function AccountFields(props: FieldsProps & { readonly customerId: string }) {
  const { draft, problems, set, customerId } = props
  const { own, others } = useAccounts(customerId)
  return (
    <Panel title="Allowed accounts">
      <Stack gap="lg">
        <Choice
          label="Every account of the customer"
          accounts={own}
          chosen={draft.accounts}
          choose={(accounts) => set({ accounts })}
        />
        <Choice
          label="Every external account, and UMA addresses"
          accounts={others}
          chosen={draft.externalAccounts}
          choose={(externalAccounts) => set({ externalAccounts })}
        />
        <Rules
          accounts={[...own, ...others]}
          rules={draft.rules}
          problem={problems.rules}
          set={(rules) => set({ rules })}
        />
      </Stack>
    </Panel>
  )
}

function useAccounts(customerId: string): {
  readonly own: readonly Account[]
  readonly others: readonly Account[]
} {
  const internalAccounts = useQuery({
    queryKey: ['accounts', 'of', customerId],
    queryFn: () => countersign.internalAccounts.list({ customerId, limit: 100 }),
  })
  const externalAccounts = useQuery({
    queryKey: ['accounts', 'external', customerId],
    queryFn: () => countersign.externalAccounts.list({ customerId, limit: 100 }),
  })
  return {
    own: (internalAccounts.data?.data ?? []).map(({ id, type, balance }) => ({
      id,
      name: `${wordsOf(type)}, ${balance.currency.code}, …${id.slice(-8)}`,
    })),
    others: (externalAccounts.data?.data ?? []).map(({ id, accountInfo, currency }) => ({
      id,
      name: `${wordsOf(accountInfo.accountType)}, ${currency}, …${id.slice(-8)}`,
    })),
  }
}

function Choice(props: {
  readonly label: string
  readonly accounts: readonly Account[]
  readonly chosen: readonly string[] | null
  readonly choose: (ids: readonly string[] | null) => void
}) {
  const { label, accounts, chosen, choose } = props
  // An account that the customer no longer has stays listed until it is removed here.
  const removedIds = (chosen ?? []).filter((id) => !accounts.some((account) => account.id === id))
  const options = [...accounts, ...removedIds.map((id) => ({ id, name: shortId(id) }))]
  return (
    <Stack gap="xs">
      <Checkbox
        label={label}
        checked={chosen === null}
        onChange={({ currentTarget }) => choose(currentTarget.checked ? null : accounts.map(({ id }) => id))}
      />
      {chosen !== null && (
        <Checkbox.Group aria-label={`${label}: only these`} value={[...chosen]} onChange={choose}>
          <Stack gap="xs" ps="lg">
            {options.map(({ id, name }) => (
              <Checkbox key={id} value={id} label={name} />
            ))}
            {options.length === 0 && <span className="soft">The customer has no accounts.</span>}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  )
}

const MODES = [
  { value: '', label: 'As for all' },
  { value: 'AUTO', label: 'No approval by the rule for all' },
  { value: 'APPROVAL_REQUIRED', label: 'A person approves' },
]

function Rules(props: {
  readonly accounts: readonly Account[]
  readonly rules: readonly DraftRule[]
  readonly problem: string | undefined
  readonly set: (rules: readonly DraftRule[]) => void
}) {
  const { accounts, rules, problem, set } = props
  const unusedAccounts = accounts.filter(({ id }) => !rules.some(({ accountId }) => accountId === id))
  const change = (index: number, part: Partial<DraftRule>) =>
    set(rules.map((rule, otherIndex) => (otherIndex === index ? { ...rule, ...part } : rule)))
  return (
    <Stack gap="sm">
      {rules.map((rule, index) => (
        <Group key={rule.accountId} align="flex-end" gap="sm">
          <NativeSelect
            label="For"
            value={rule.accountId}
            data={accounts
              .filter(({ id }) => id === rule.accountId || unusedAccounts.some((one) => one.id === id))
              .map(({ id, name }) => ({ value: id, label: name }))}
            onChange={({ currentTarget: { value } }) => change(index, { accountId: value })}
          />
          <NativeSelect
            label="Approval"
            value={rule.mode}
            data={MODES}
            onChange={({ currentTarget: { value } }) =>
              change(index, { mode: wordOf(AGENT_EXECUTION_MODES, value) ?? '' })
            }
          />
          <TextInput
            label="One action"
            placeholder="No separate limit"
            value={rule.limit}
            error={problem !== undefined}
            onChange={({ currentTarget: { value } }) => change(index, { limit: value })}
          />
          <Button variant="subtle" color="red" onClick={() => set(rules.filter((one) => one !== rule))}>
            Take away
          </Button>
        </Group>
      ))}
      {problem && <span role="alert">{problem}</span>}
      <div>
        <Button
          variant="default"
          size="xs"
          disabled={unusedAccounts.length === 0}
          onClick={() => set([...rules, { accountId: unusedAccounts[0]!.id, mode: '', limit: '' }])}
        >
          Add a rule for one account
        </Button>
      </div>
    </Stack>
  )
}
