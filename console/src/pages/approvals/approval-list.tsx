import { APPROVAL_KINDS } from '@countersign/contract/agents/approvals'
import { present, wordOf } from '@countersign/contract/core/objects'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { type Filter, Filters, validValues } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { ApprovalCard } from './approval-card.tsx'

const route = getRouteApi('/approvals')

const FILTERS: readonly Filter[] = [
  { name: 'kind', label: 'Kind', choices: APPROVAL_KINDS },
  { name: 'customerId', label: 'Customer id' },
]

/** Everything that waits for a person, and its decision in place. */
export function ApprovalList() {
  const search = validValues(FILTERS, route.useSearch())
  const { kind, customerId } = search
  const filters = present({ kind: wordOf(APPROVAL_KINDS, kind), customerId })
  const { rows, isLoading, error, retry, hasMore, isLoadingMore, loadMore } = useListed(
    ['approvals', 'list', filters],
    (page) => countersign.approvals.list({ ...filters, ...page }),
  )
  return (
    <Page title="Approvals">
      <Filters filters={FILTERS} values={search} />
      {error !== undefined && <ErrorState error={error} retry={retry} />}
      {isLoading && <Loading lines={8} />}
      {!isLoading && error === undefined && rows.length === 0 && (
        <EmptyState title="Nothing waits for you">
          Here appears what an agent asks for above its limits, payments to customers that you approve, hits
          of screenings, money that nobody could attribute, and reports of rails that fit nothing.
        </EmptyState>
      )}
      <ul className="cards">
        {rows.map((approval) => (
          <li key={approval.objectId}>
            <ApprovalCard approval={approval} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
    </Page>
  )
}
