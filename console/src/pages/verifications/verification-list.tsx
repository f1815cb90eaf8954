import { findWord, present } from '@countersign/contract/core/objects'
import { VERIFICATION_STATES } from '@countersign/contract/states/customer-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { Age } from '../../ui/age.tsx'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { RecordName } from '../../ui/listed-name.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { describeMissing, type Verification, WAITING_STATE } from './verification.ts'

const route = getRouteApi('/verifications')

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: VERIFICATION_STATES },
  { name: 'customerId', label: 'Customer', record: 'customer' },
]

const COLUMNS: readonly Column<Verification>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '12rem',
    cell: ({ verificationStatus }) => <Status state={verificationStatus} />,
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 'minmax(8rem, 2fr)',
    cell: ({ customerId }) => <RecordName id={customerId} />,
  },
  {
    id: 'missing',
    header: 'Missing',
    width: 'minmax(8rem, 2fr)',
    priority: 2,
    cell: (row) => <span className="clipped soft">{describeMissing(row)}</span>,
  },
  {
    id: 'id',
    header: 'Case',
    width: '12rem',
    priority: 3,
    cell: ({ id }) => <span className="id">{shortenId(id)}</span>,
  },
  {
    id: 'age',
    header: 'Opened',
    width: '8rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ createdAt }) => <Age since={createdAt} />,
  },
  {
    id: 'updated',
    header: 'Changed',
    width: '9rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

export function VerificationList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { status, customerId } = search
  const filters = present({ verificationStatus: findWord(VERIFICATION_STATES, status), customerId })
  // Cases waiting for a review are a queue, so the oldest comes first.
  const sortOrder = status === WAITING_STATE ? 'asc' : 'desc'
  const list = usePagedList(['verifications', 'list', filters], (page) =>
    countersign.verifications.list({ ...filters, ...page, sortOrder, includeNames: true }),
  )
  return (
    <Page title="Verifications">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Verifications"
        file={buildCsvUrl('/verifications', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/verifications/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching cases', text: 'Remove a filter.' }
            : {
                title: 'No cases yet',
                text: 'A case starts when a customer opens a verification link, or when your backend calls POST /verifications.',
              }
        }
      />
    </Page>
  )
}
