import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { useUnsavedGuard } from '../../ui/unsaved.tsx'
import { formatJson } from '../../ui/words.ts'
import { AccountFields } from './account-fields.tsx'
import type { Agent } from './agent.ts'
import { buildChange, createDraft, type Draft, findProblems } from './policy-draft.ts'
import { PolicyFields } from './policy-fields.tsx'
import { describePolicy } from './policy-words.ts'
import { WhatIf } from './what-if.tsx'

const route = getRouteApi('/agents/$agentId/policy')

/**
 * The policy editor: form fields, the policy described in sentences, and its effect on last week's actions.
 */
export function PolicyPage() {
  const { agentId } = route.useParams()
  const query = useQuery({
    queryKey: ['agents', 'one', agentId],
    queryFn: () => countersign.agents.get(agentId),
  })
  return (
    <RecordPage query={query} title="Policy" parent={{ title: 'Agents', to: '/agents' }}>
      {(agent) => <Editor key={agentId} agent={agent} />}
    </RecordPage>
  )
}

function Editor({ agent }: { readonly agent: Agent }) {
  // Kept in state, so that input is not lost when the agent is reloaded.
  const [draft, setDraft] = useState<Draft>(() => createDraft(agent.policy))
  const problems = findProblems(draft, agent.policy)
  const isWrong = Object.keys(problems).length > 0
  const set = (change: Partial<Draft>) => setDraft((previous) => ({ ...previous, ...change }))
  const { question, leave } = useUnsavedGuard(formatJson(draft) !== formatJson(createDraft(agent.policy)))
  const description = isWrong ? undefined : describePolicy(buildChange(draft))
  return (
    <Page
      title={`Policy of ${agent.name}`}
      parent={{ title: agent.name, to: `/agents/${agent.id}` }}
      actions={<SaveButton agent={agent} draft={draft} description={description} leave={leave} />}
    >
      {question}
      <Panel title="Meaning">
        <p className="sentence" aria-live="polite">
          {description ?? <span className="soft">{Object.values(problems)[0]}</span>}
        </p>
      </Panel>
      <div className="columns">
        <div className="stacked">
          <PolicyFields draft={draft} problems={problems} set={set} />
        </div>
        <div className="stacked">
          <AccountFields draft={draft} problems={problems} set={set} customerId={agent.customerId} />
        </div>
      </div>
      <WhatIf agentId={agent.id} draft={isWrong ? undefined : draft} />
    </Page>
  )
}

function SaveButton(props: {
  readonly agent: Agent
  readonly draft: Draft
  readonly description: string | undefined
  readonly leave: () => void
}) {
  const { agent, draft, description, leave } = props
  const client = useQueryClient()
  const navigate = useNavigate()
  const missingManagePermission = useMissingPermission('MANAGE')
  const spends = draft.permissions.some(
    (permission) => permission === 'CREATE_TRANSFERS' || permission === 'EXECUTE_QUOTES',
  )
  const missingSpendPermission = useMissingPermission('TRANSACT')
  const save = async () => {
    const response = await countersign.agents.updatePolicy(agent.id, buildChange(draft))
    client.setQueryData(['agents', 'one', agent.id], response)
    await client.invalidateQueries({ queryKey: ['agents'] })
    leave()
    await navigate({ to: '/agents/$agentId', params: { agentId: agent.id } })
  }
  return (
    <ActionButton
      label="Save the policy"
      variant="filled"
      disabledReason={
        missingManagePermission ??
        (spends ? missingSpendPermission : undefined) ??
        (description ? undefined : 'Correct the marked fields first.')
      }
      act={save}
      successText={`Policy of ${agent.name} saved.`}
      question={{
        title: 'Save the policy?',
        text: `${description ?? ''} It applies from the agent's next request on, and to pending actions.`,
      }}
    />
  )
}
