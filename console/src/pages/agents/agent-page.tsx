import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordLink } from '../../ui/record-link.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { type Agent, getAgentState } from './agent.ts'
import { AgentActions } from './agent-actions.tsx'
import { DECISIONS } from './decisions.tsx'
import { describePolicy } from './policy-words.ts'
import { Usage } from './usage.tsx'

const route = getRouteApi('/agents/$agentId')
const PARENT = { title: 'Agents', to: '/agents' }

export function AgentPage() {
  const { agentId } = route.useParams()
  const query = useQuery({
    queryKey: ['agents', 'one', agentId],
    queryFn: () => countersign.agents.get(agentId),
  })
  return (
    <RecordPage query={query} title="Agent" parent={PARENT}>
      {(record) => <AgentDetail agent={record} />}
    </RecordPage>
  )
}

function AgentDetail({ agent }: { readonly agent: Agent }) {
  return (
    <Page
      title={agent.name}
      aside={<Status state={getAgentState(agent)} />}
      actions={<AgentActions agent={agent} />}
      parent={PARENT}
    >
      <RecordId id={agent.id} />
      <div className="columns">
        <div className="stacked">
          <Panel
            title="Policy"
            actions={
              <Button
                size="xs"
                variant="default"
                renderRoot={(anchorProps) => (
                  <Link {...anchorProps} to="/agents/$agentId/policy" params={{ agentId: agent.id }} />
                )}
              >
                Edit the policy
              </Button>
            }
          >
            <p className="sentence">{describePolicy(agent.policy)}</p>
          </Panel>
          <Decisions agentId={agent.id} />
        </div>
        <div className="stacked">
          <Usage agent={agent} />
          <About agent={agent} />
        </div>
      </div>
    </Page>
  )
}

function About({ agent }: { readonly agent: Agent }) {
  return (
    <Panel title="About">
      <Facts
        items={[
          [
            'Acts for',
            <RecordLink key="customer" id={agent.customerId}>
              <CustomerName id={agent.customerId} />
            </RecordLink>,
          ],
          ['Connected', agent.isConnected ? 'Yes' : 'Not yet. Create a device code and give it to the agent'],
          ['Created', <Time key="created" at={agent.createdAt} />],
          ['Changed', <Time key="changed" at={agent.updatedAt} />],
          [
            'Also',
            <TextLink key="waiting" to="/approvals" search={{ customerId: agent.customerId }}>
              Pending approvals
            </TextLink>,
          ],
        ]}
      />
    </Panel>
  )
}

function Decisions({ agentId }: { readonly agentId: string }) {
  const list = usePagedList(['agents', 'decisions', agentId], (page) =>
    countersign.agents.decisions(agentId, page),
  )
  return (
    <section aria-label="Decisions">
      <DataTable
        name="Decisions"
        file={buildCsvUrl(`/agents/${agentId}/decisions`)}
        columns={DECISIONS}
        list={list}
        getId={({ id }) => id}
        empty={{
          title: 'No requests yet',
          text: "Each request of the agent is listed here with the policy's decision and the reason.",
        }}
      />
    </section>
  )
}
