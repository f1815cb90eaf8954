import { AGENT_EXECUTION_MODES } from '@countersign/contract/agents/agent-policy'
import { findWord } from '@countersign/contract/core/objects'
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import type { DraftRule } from './policy-draft.ts'
import type { FieldsProps } from './policy-fields.tsx'

interface Account {
  readonly id: string
  readonly name: string
}

/** Selects the accounts that the agent may use, and sets rules for individual accounts. */
export function AccountFields(props: FieldsProps & { readonly customerId: string }) {
  const { draft, problems, set, customerId } = props
  const { internalAccounts, externalAccounts } = useAccounts(customerId)
  return (
    <Panel title="Allowed accounts">
      <Stack gap="lg">
        <Choice
          label="All accounts of the customer"
          accounts={internalAccounts}
          selectedIds={draft.accounts}
          choose={(accounts) => set({ accounts })}
        />
        <Choice
          label="All external accounts and UMA addresses"
          accounts={externalAccounts}
          selectedIds={draft.externalAccounts}
          choose={(externalAccounts) => set({ externalAccounts })}
        />
        <Rules
          accounts={[...internalAccounts, ...externalAccounts]}
          rules={draft.rules}
          problem={problems.rules}
          set={(rules) => set({ rules })}
        />
      </Stack>
    </Panel>
  )
}

function useAccounts(customerId: string): {
  readonly internalAccounts: readonly Account[]
  readonly externalAccounts: readonly Account[]
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
    internalAccounts: (internalAccounts.data?.data ?? []).map(({ id, type, balance }) => ({
      id,
      name: `${formatConstant(type)}, ${balance.currency.code}, …${id.slice(-8)}`,
    })),
    externalAccounts: (externalAccounts.data?.data ?? []).map(({ id, accountInfo, currency }) => ({
      id,
      name: `${formatConstant(accountInfo.accountType)}, ${currency}, …${id.slice(-8)}`,
    })),
  }
}

function Choice(props: {
  readonly label: string
  readonly accounts: readonly Account[]
  readonly selectedIds: readonly string[] | null
  readonly choose: (ids: readonly string[] | null) => void
}) {
  const { label, accounts, selectedIds, choose } = props
  // An account that the customer no longer has stays listed until it is removed here.
  const removedIds = (selectedIds ?? []).filter((id) => !accounts.some((account) => account.id === id))
  const options = [...accounts, ...removedIds.map((id) => ({ id, name: shortenId(id) }))]
  return (
    <Stack gap="xs">
      <Checkbox
        label={label}
        checked={selectedIds === null}
        onChange={({ currentTarget }) => choose(currentTarget.checked ? null : accounts.map(({ id }) => id))}
      />
      {selectedIds !== null && (
        <Checkbox.Group aria-label={`${label}: only these`} value={[...selectedIds]} onChange={choose}>
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
  { value: '', label: 'Same as the policy' },
  { value: 'AUTO', label: 'Exempt from the approval rule' },
  { value: 'APPROVAL_REQUIRED', label: 'Requires approval' },
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
              .filter(
                ({ id }) => id === rule.accountId || unusedAccounts.some((account) => account.id === id),
              )
              .map(({ id, name }) => ({ value: id, label: name }))}
            onChange={({ currentTarget: { value } }) => change(index, { accountId: value })}
          />
          <NativeSelect
            label="Approval"
            value={rule.mode}
            data={MODES}
            onChange={({ currentTarget: { value } }) =>
              change(index, { mode: findWord(AGENT_EXECUTION_MODES, value) ?? '' })
            }
          />
          <TextInput
            label="One action"
            placeholder="No separate limit"
            value={rule.limit}
            error={problem !== undefined}
            onChange={({ currentTarget: { value } }) => change(index, { limit: value })}
          />
          <Button variant="subtle" color="red" onClick={() => set(rules.filter((other) => other !== rule))}>
            Remove rule
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
