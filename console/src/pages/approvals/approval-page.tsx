import { APPROVAL_KINDS } from '@countersign/contract/agents/approvals'
import { findWord } from '@countersign/contract/core/objects'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { findNext, QueueNav } from '../../ui/queue-nav.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { formatSearch } from '../../ui/search-text.ts'
import { EmptyState } from '../../ui/states.tsx'
import { toLinkTarget } from '../../ui/target.ts'
import { type Approval, describeApproval, KIND_LABELS, useQueue } from './approval.ts'
import { ApprovalActions } from './approval-actions.tsx'
import { ApprovalFacts } from './approval-facts.tsx'

const route = getRouteApi('/approvals/$objectId')
const PARENT = { title: 'Approvals', to: '/approvals' }

/** A pending decision, with a link to the next one in the queue. */
export function ApprovalPage() {
  const { objectId } = route.useParams()
  const search = route.useSearch()
  const kind = findWord(APPROVAL_KINDS, search.kind)
  const { customerId } = search
  const { rows } = useQueue({ ...(kind ? { kind } : {}), ...(customerId ? { customerId } : {}) })
  const query = useQuery({
    queryKey: ['approvals', 'one', objectId],
    queryFn: async () => (await countersign.approvals.list({ objectId })).data[0] ?? null,
  })
  const navigate = useNavigate()
  const filters = formatSearch({ kind, customerId })
  const getPath = (id: string) => `/approvals/${id}${filters}`
  const parent = { ...PARENT, to: `/approvals${filters}` }
  const ids = rows.map((row) => row.objectId)
  const queue = <QueueNav ids={ids} current={objectId} getPath={getPath} />
  const openNext = () => {
    const next = findNext(ids, objectId)
    void navigate(toLinkTarget(next === undefined ? parent.to : getPath(next)))
  }
  return (
    <RecordPage query={query} title="Approval" parent={parent}>
      {(approval) =>
        approval ? (
          <PendingApproval approval={approval} parent={parent} queue={queue} openNext={openNext} />
        ) : (
          <Page title="Approval" parent={parent} actions={queue} isUnread>
            <EmptyState title="No decision is pending">
              It has been decided or has expired. See the record for its current state.
            </EmptyState>
          </Page>
        )
      }
    </RecordPage>
  )
}

function PendingApproval(props: {
  readonly approval: Approval
  readonly parent: typeof PARENT
  readonly queue: React.ReactNode
  readonly openNext: () => void
}) {
  const { approval, parent, queue, openNext: next } = props
  const { kind, objectId } = approval
  return (
    <Page title={KIND_LABELS[kind]} parent={parent} actions={queue}>
      <Panel key={objectId} title={describeApproval(approval)}>
        <div className="stacked">
          <ApprovalFacts approval={approval} />
          <div className="buttons">
            <ApprovalActions approval={approval} openNext={next} />
          </div>
        </div>
      </Panel>
    </Page>
  )
}
