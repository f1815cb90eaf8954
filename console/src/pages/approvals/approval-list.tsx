import { APPROVAL_KINDS } from '@countersign/contract/agents/approvals'
import { findWord } from '@countersign/contract/core/objects'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { Age, Deadline } from '../../ui/age.tsx'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { formatSearch } from '../../ui/search-text.ts'
import { type Approval, describeApproval, describeParty, KIND_LABELS, useQueue } from './approval.ts'
import { BulkActions } from './bulk-actions.tsx'

const route = getRouteApi('/approvals')

const FILTERS: readonly Filter[] = [
  { name: 'kind', label: 'Kind', choices: APPROVAL_KINDS },
  { name: 'customerId', label: 'Customer', record: 'customer' },
]

const COLUMNS: readonly Column<Approval>[] = [
  {
    id: 'kind',
    header: 'Kind',
    width: 'minmax(9.5rem, 1fr)',
    cell: ({ kind }) => KIND_LABELS[kind],
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8.75rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
  {
    id: 'payee',
    header: 'Payee or sender',
    width: 'minmax(8rem, 3fr)',
    priority: 2,
    cell: (row) => <span className="whole">{describeParty(row) || '–'}</span>,
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 'minmax(8rem, 1.5fr)',
    priority: 3,
    cell: ({ customerName }) => <span className="clipped">{customerName ?? '–'}</span>,
  },
  {
    id: 'votes',
    header: 'Votes',
    width: '4rem',
    priority: 3,
    cell: ({ votes, votesRequired }) => (
      <span className="figures">{votesRequired === 1 ? '–' : `${votes.length} of ${votesRequired}`}</span>
    ),
  },
  {
    id: 'age',
    header: 'Waiting for',
    width: '5.5rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ createdAt }) => <Age since={createdAt} />,
  },
  {
    id: 'deadline',
    header: 'Deadline',
    width: '7rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ expiresAt }) => <Deadline at={expiresAt} />,
  },
]

/**
 * Everything waiting for a decision, oldest first. Records can be decided on their own page, or several
 * together.
 */
export function ApprovalList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const kind = findWord(APPROVAL_KINDS, search.kind)
  const { customerId } = search
  const list = useQueue({ ...(kind ? { kind } : {}), ...(customerId ? { customerId } : {}) })
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const selected = list.rows.filter(({ objectId }) => ids.has(objectId))
  return (
    <Page title="Approvals">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Approvals"
        file={buildCsvUrl('/approvals', { kind, customerId, sortOrder: 'asc' })}
        columns={COLUMNS}
        list={list}
        getId={({ objectId }) => objectId}
        getLink={({ objectId }) => `/approvals/${objectId}${formatSearch({ kind, customerId })}`}
        selection={{
          ids: new Set(selected.map(({ objectId }) => objectId)),
          change: setIds,
          formatLabel: (row) => `Select ${describeApproval(row)}`,
        }}
        actions={<BulkActions approvals={selected} keep={(left) => setIds(new Set(left))} />}
        empty={{
          title: 'No pending decisions',
          text: 'Agent payments above their limits, payments to customers that you approve, screening hits, unattributed money, rail reports, payout batches and payment schedules appear here.',
        }}
      />
    </Page>
  )
}
