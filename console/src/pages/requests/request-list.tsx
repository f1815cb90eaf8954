import { findWord, present } from '@countersign/contract/core/objects'
import type { LoggedRequestSummary } from '@countersign/contract/operation/request-log'
import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { formatActor } from '../../ui/actor.tsx'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { HttpStatus } from './http-status.tsx'

type Row = Static<typeof LoggedRequestSummary>

const route = getRouteApi('/requests')

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const

const FILTERS: readonly Filter[] = [
  { name: 'httpRequestId', label: 'Request id' },
  { name: 'method', label: 'Method', choices: METHODS },
  { name: 'statusClass', label: 'Status', choices: STATUS_CLASSES },
  { name: 'path', label: 'Path begins with' },
  { name: 'actorId', label: 'Caller', record: 'caller' },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '3.5rem',
    cell: ({ status }) => <HttpStatus status={status} />,
  },
  {
    id: 'call',
    header: 'Call',
    width: 'minmax(11rem, 3fr)',
    cell: ({ method, path }) => (
      <span className="clipped" title={`${method} ${path}`}>
        <strong className="id">{method}</strong>{' '}
        <span className="id">{path.split('/').map(shortenId).join('/')}</span>
      </span>
    ),
  },
  {
    id: 'code',
    header: 'Error code',
    width: 'minmax(7rem, 1.5fr)',
    priority: 2,
    cell: ({ code }) => <span className="id clipped">{code ?? '–'}</span>,
  },
  {
    id: 'actor',
    header: 'Caller',
    width: 'minmax(6rem, 1fr)',
    priority: 2,
    cell: ({ actor }) => <span className="clipped">{formatActor(actor)}</span>,
  },
  {
    id: 'took',
    header: 'Duration',
    width: '5.5rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ durationMs }) => <span className="figures">{durationMs.toLocaleString()} ms</span>,
  },
  {
    id: 'at',
    header: 'At',
    width: '9.5rem',
    isRightAligned: true,
    cell: ({ at }) => <Time clock="real" at={at} />,
  },
]

/** The API calls of the last days. */
export function RequestList() {
  const { httpRequestId, method, statusClass, path, actorId, from, to } = keepValidValues(
    FILTERS,
    route.useSearch(),
  )
  const filters = present({
    httpRequestId: httpRequestId?.trim(),
    method: findWord(METHODS, method),
    statusClass: findWord(STATUS_CLASSES, statusClass),
    path,
    actorId,
    ...toTimeRange(from, to),
  })
  const list = usePagedList(['requests', 'list', filters], (page) =>
    countersign.requests.list({ ...filters, ...page }),
  )
  return (
    <Page title="Requests">
      <DroppedRequests />
      <Filters filters={FILTERS} values={{ httpRequestId, method, statusClass, path, actorId, from, to }} />
      <DataTable
        name="Requests"
        file={buildCsvUrl('/requests', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ httpRequestId: id, at }) => `${id} ${at}`}
        getLink={({ httpRequestId: id }) => `/requests/${encodeURIComponent(id)}`}
        empty={
          Object.keys(filters).length > 0
            ? {
                title: 'No matching requests',
                text: 'The log keeps requests for a few days. A request appears about a second after its response.',
              }
            : {
                title: 'No requests yet',
                text: 'Calls by your backend, agents and customers appear here. Reads by members are not logged.',
              }
        }
      />
    </Page>
  )
}

/** Shows how many requests were not logged, because somebody may be looking for one of them. */
function DroppedRequests() {
  const { data } = useQuery({
    queryKey: ['requests', 'dropped'],
    queryFn: () => countersign.requests.list({ limit: 1 }),
  })
  if (!data || data.dropped === 0) return null
  return (
    <Alert color="yellow" variant="light">
      {data.dropped.toLocaleString()} requests were not logged under load since the server started.
    </Alert>
  )
}
