import { findWord, present } from '@countersign/contract/core/objects'
import { EVENT_TYPES } from '@countersign/contract/events/events'
import { DELIVERY_STATUSES } from '@countersign/contract/events/webhooks'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { getDeliveryState, type PlatformEvent } from './event.ts'
import { ReplayButton } from './replay.tsx'
import { Endpoint } from './webhook-endpoint.tsx'

const route = getRouteApi('/events')

const FILTERS: readonly Filter[] = [
  { name: 'type', label: 'Type', choices: EVENT_TYPES },
  { name: 'objectId', label: 'Id of the record' },
  { name: 'deliveryStatus', label: 'Delivery', choices: DELIVERY_STATUSES },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const COLUMNS: readonly Column<PlatformEvent>[] = [
  {
    id: 'type',
    header: 'Event',
    width: 'minmax(10rem, 2fr)',
    cell: ({ type }) => <span className="clipped">{formatConstant(type)}</span>,
  },
  {
    id: 'object',
    header: 'About',
    width: 'minmax(11rem, 1.5fr)',
    priority: 2,
    cell: ({ objectId }) => (
      <span className="id clipped" title={objectId}>
        {shortenId(objectId)}
      </span>
    ),
  },
  {
    id: 'delivery',
    header: 'Delivery',
    width: '7rem',
    cell: ({ deliveryStatus }) => <Status state={getDeliveryState(deliveryStatus)} />,
  },
  {
    id: 'id',
    header: 'Id',
    width: '10rem',
    priority: 3,
    cell: ({ id }) => <span className="id">{shortenId(id)}</span>,
  },
  {
    id: 'at',
    header: 'Happened',
    width: '9.5rem',
    isRightAligned: true,
    cell: ({ timestamp }) => <Time at={timestamp} />,
  },
]

/** All events, with their delivery status. */
export function EventList() {
  const { type, objectId, deliveryStatus, from, to } = keepValidValues(FILTERS, route.useSearch())
  const filters = present({
    type: findWord(EVENT_TYPES, type),
    objectId,
    deliveryStatus: findWord(DELIVERY_STATUSES, deliveryStatus),
    ...toTimeRange(from, to),
  })
  const list = usePagedList(['events', 'list', filters], (page) =>
    countersign.events.list({ sortOrder: 'desc', ...filters, ...page }),
  )
  return (
    <Page title="Webhooks" actions={<ReplayButton />}>
      <Endpoint />
      <Filters filters={FILTERS} values={{ type, objectId, deliveryStatus, from, to }} />
      <DataTable
        name="Events"
        file={buildCsvUrl('/events', { sortOrder: 'desc', ...filters })}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/events/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching events', text: 'Remove a filter, or choose other days.' }
            : {
                title: 'No events yet',
                text: 'Every change to a payment, a customer or a card is an event. In a sandbox, send a test event to see the first one.',
              }
        }
      />
    </Page>
  )
}
