import { keysOf } from '@countersign/contract/core/objects'
import { NOUNS } from '@countersign/contract/nouns'
import type { AuditEvent as AuditSchema } from '@countersign/contract/operation/audit-events'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { formatActor } from '../../ui/actor.tsx'
import { describeCall } from '../../ui/call-words.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'

type Entry = Static<typeof AuditSchema>

const route = getRouteApi('/audit')

/** The calls that can occur in the trail. Read-only calls are not recorded. */
const CHANGES = keysOf(NOUNS)
  .filter((name) => !/_(?:list|get|csv)$/.test(name))
  .toSorted((a, b) => describeCall(a).localeCompare(describeCall(b)))

const FILTERS: readonly Filter[] = [
  { name: 'operation', label: 'Call', choices: CHANGES, formatLabel: describeCall },
  { name: 'httpRequestId', label: 'Request id' },
  { name: 'actorId', label: 'Caller', record: 'caller' },
  { name: 'objectId', label: 'Id of the record' },
  { name: 'customerId', label: 'Customer', record: 'customer' },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: 'what',
    header: 'Action',
    width: 'minmax(9rem, 2fr)',
    cell: ({ operation }) => <span className="clipped">{describeCall(operation)}</span>,
  },
  {
    id: 'who',
    header: 'Caller',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ actor }) => (
      <span className="clipped" title={formatActor(actor)}>
        {formatActor(actor)}
      </span>
    ),
  },
  {
    id: 'kind',
    header: 'Type',
    width: '6rem',
    priority: 2,
    cell: ({ actor }) => formatConstant(actor.type),
  },
  {
    id: 'object',
    header: 'Record',
    width: 'minmax(11rem, 1.5fr)',
    priority: 2,
    cell: ({ objectId }) => <span className="id clipped">{objectId ? shortenId(objectId) : '–'}</span>,
  },
  {
    id: 'from',
    header: 'From',
    width: 'minmax(6rem, 1fr)',
    priority: 3,
    cell: ({ address }) => <span className="clipped soft">{address ?? '–'}</span>,
  },
  {
    id: 'at',
    header: 'At',
    width: '9.5rem',
    isRightAligned: true,
    cell: ({ at }) => <Time at={at} />,
  },
]

/** All recorded changes, with the caller of each. */
export function AuditList() {
  const { operation, httpRequestId, actorId, objectId, customerId, from, to } = keepValidValues(
    FILTERS,
    route.useSearch(),
  )
  const filters = {
    ...(operation ? { operation } : {}),
    ...(httpRequestId ? { httpRequestId: httpRequestId.trim() } : {}),
    ...(actorId ? { actorId } : {}),
    ...(objectId ? { objectId } : {}),
    ...(customerId ? { customerId } : {}),
    ...toTimeRange(from, to),
  }
  const list = usePagedList(['audit', 'list', filters], (page) =>
    countersign.auditEvents.list({ ...filters, ...page }),
  )
  return (
    <Page title="Audit trail">
      <Filters
        filters={FILTERS}
        values={{ operation, httpRequestId, actorId, objectId, customerId, from, to }}
      />
      <DataTable
        name="Audit trail"
        file={buildCsvUrl('/audit-events', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/audit/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching entries', text: 'Remove a filter, or choose other days.' }
            : {
                title: 'No changes yet',
                text: 'Every call that changes data is listed here with its caller. Entries cannot be changed or removed.',
              }
        }
      />
    </Page>
  )
}
