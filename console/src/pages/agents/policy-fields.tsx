import { AGENT_EXECUTION_MODES, AGENT_PERMISSIONS } from '@countersign/contract/agents/agent-policy'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { findWord } from '@countersign/contract/core/objects'
import { Checkbox, NativeSelect, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { Panel } from '../../ui/page.tsx'
import type { Draft, DraftProblems } from './policy-draft.ts'
import { describePermission } from './policy-words.ts'

export interface FieldsProps {
  readonly draft: Draft
  readonly problems: DraftProblems
  readonly set: (change: Partial<Draft>) => void
}

/** Edits the agent's permissions, limits and approvals. */
export function PolicyFields(props: FieldsProps) {
  const { draft, set } = props
  return (
    <>
      <Panel title="May">
        <Checkbox.Group
          aria-label="Permissions"
          value={[...draft.permissions]}
          onChange={(chosen) =>
            set({ permissions: AGENT_PERMISSIONS.filter((permission) => chosen.includes(permission)) })
          }
        >
          <Stack gap="xs">
            {AGENT_PERMISSIONS.map((permission) => (
              <Checkbox key={permission} value={permission} label={describePermission(permission)} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Panel>
      <Panel title="Limits">
        <Limits {...props} />
      </Panel>
      <Panel title="Approvals">
        <Stack>
          <Radio.Group
            aria-label="Approval"
            value={draft.mode}
            onChange={(mode) => set({ mode: findWord(AGENT_EXECUTION_MODES, mode) ?? draft.mode })}
          >
            <Stack gap="xs">
              <Radio value="AUTO" label="Only above an amount, or never" />
              <Radio value="APPROVAL_REQUIRED" label="For every action" />
            </Stack>
          </Radio.Group>
          <AmountInput
            {...props}
            field="threshold"
            label="Require approval above"
            description={`In ${draft.thresholdCurrency}. If empty, no amount needs approval.`}
          />
        </Stack>
      </Panel>
    </>
  )
}

function Limits(props: FieldsProps) {
  const { draft, set } = props
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
      <NativeSelect
        label="Currency of the limits"
        description="Changing the currency resets the usage to zero."
        data={Object.keys(CURRENCIES)}
        value={draft.currency}
        onChange={({ currentTarget: { value } }) => set({ currency: value })}
      />
      <AmountInput {...props} field="perTransaction" label="One action" description="Maximum amount" />
      <AmountInput
        {...props}
        field="daily"
        label="One day"
        description="Maximum total in UTC. Leave empty for no limit."
      />
      <AmountInput {...props} field="dailyCount" label="Actions a day" description="Maximum number" />
      <AmountInput
        {...props}
        field="monthly"
        label="One month"
        description="Maximum total in UTC. Leave empty for no limit."
      />
    </SimpleGrid>
  )
}

function AmountInput(
  props: FieldsProps & {
    readonly field: 'perTransaction' | 'daily' | 'dailyCount' | 'monthly' | 'threshold'
    readonly label: string
    readonly description: string
  },
) {
  const { draft, problems, set, field, label, description } = props
  return (
    <TextInput
      label={label}
      description={description}
      inputMode="decimal"
      autoComplete="off"
      maxLength={25}
      value={draft[field]}
      error={problems[field]}
      onChange={({ currentTarget: { value } }) => set({ [field]: value })}
    />
  )
}
