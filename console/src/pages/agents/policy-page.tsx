import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { useUnsaved } from '../../ui/unsaved.tsx'
import { rawJson } from '../../ui/words.ts'
import { AccountFields } from './account-fields.tsx'
import type { Agent } from './agent.ts'
import { changeOf, type Draft, draftOf, problemsOf } from './policy-draft.ts'
import { PolicyFields } from './policy-fields.tsx'
import { policyWords } from './policy-words.ts'
import { WhatIf } from './what-if.tsx'

const route = getRouteApi('/agents/$agentId/policy')

/** The editor of a policy: plain fields, their meaning, and their effect on last week's actions. */
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
  // Keeps the input while the agent's usage is reloaded below.
  const [draft, setDraft] = useState<Draft>(() => draftOf(agent.policy))
  const problems = problemsOf(draft, agent.policy)
  const isWrong = Object.keys(problems).length > 0
  const set = (change: Partial<Draft>) => setDraft((former) => ({ ...former, ...change }))
  const { question, leave } = useUnsaved(rawJson(draft) !== rawJson(draftOf(agent.policy)))
  const words = isWrong ? undefined : policyWords(changeOf(draft))
  return (
    <Page
      title={`Policy of ${agent.name}`}
      parent={{ title: agent.name, to: `/agents/${agent.id}` }}
      actions={<SaveButton agent={agent} draft={draft} words={words} leave={leave} />}
    >
      {question}
      <Panel title="Meaning">
        <p className="sentence" aria-live="polite">
          {words ?? <span className="soft">{Object.values(problems)[0]}</span>}
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
  readonly words: string | undefined
  readonly leave: () => void
}) {
  const { agent, draft, words, leave } = props
  const client = useQueryClient()
  const navigate = useNavigate()
  const mayNot = useDenied('MANAGE')
  const spends = draft.permissions.some((one) => one === 'CREATE_TRANSFERS' || one === 'EXECUTE_QUOTES')
  const mayNotSpend = useDenied('TRANSACT')
  const save = async () => {
    const saved = await countersign.agents.updatePolicy(agent.id, changeOf(draft))
    client.setQueryData(['agents', 'one', agent.id], saved)
    await client.invalidateQueries({ queryKey: ['agents'] })
    leave()
    await navigate({ to: '/agents/$agentId', params: { agentId: agent.id } })
  }
  return (
    <ActionButton
      label="Save the policy"
      variant="filled"
      denied={
        mayNot ??
        (spends ? mayNotSpend : undefined) ??
        (words ? undefined : 'Correct the marked fields first.')
      }
      act={save}
      done={`Saved the policy of ${agent.name}.`}
      ask={{
        title: 'Save the policy?',
        text: `${words ?? ''} It applies from the agent's next request on, and to pending actions.`,
      }}
    />
  )
}
