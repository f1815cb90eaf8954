import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { Readable } from '../../ui/readable.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordLink } from '../../ui/record-link.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { getDeliveryState } from './event.ts'

type Event = Awaited<ReturnType<typeof countersign.events.get>>

const route = getRouteApi('/events/$eventId')
const PARENT = { title: 'Webhooks', to: '/events' }
/** The polling interval of an event that is being delivered: a delivery attempt emits no separate event. */
const DELIVERING_MS = 2_000

/** A webhook event: its content and all attempts to deliver it. */
export function EventPage() {
  const { eventId } = route.useParams()
  const query = useQuery({
    queryKey: ['events', 'one', eventId],
    queryFn: () => countersign.events.get(eventId),
    refetchInterval: ({ state: { data } }) => (data?.deliveryStatus === 'PENDING' ? DELIVERING_MS : false),
  })
  return (
    <RecordPage query={query} title="Event" parent={PARENT}>
      {(record) => <EventDetail event={record} />}
    </RecordPage>
  )
}

function EventDetail({ event }: { readonly event: Event }) {
  return (
    <Page
      title={formatConstant(event.type)}
      aside={<Status state={getDeliveryState(event.deliveryStatus)} />}
      actions={<RedeliverButton event={event} />}
      parent={PARENT}
    >
      <RecordId id={event.id} />
      <div className="columns">
        <div className="stacked">
          <Panel title="Event data">
            {event.data === undefined ? (
              <span className="soft">This event has no data.</span>
            ) : (
              <div className="stacked">
                <Readable value={event.data} />
                <Raw value={event.data} />
              </div>
            )}
          </Panel>
        </div>
        <div className="stacked">
          <About event={event} />
          <Deliveries event={event} />
        </div>
      </div>
    </Page>
  )
}

function RedeliverButton({ event }: { readonly event: Event }) {
  const client = useQueryClient()
  const config = useQuery({ queryKey: ['config'], queryFn: () => countersign.config.get() })
  const disabledReason = useMissingPermission('TRANSACT')
  const isUnset = config.data !== undefined && !config.data.webhookEndpoint
  const redeliver = async () => {
    client.setQueryData(['events', 'one', event.id], await countersign.events.redeliver(event.id))
  }
  return (
    <ActionButton
      label={event.deliveryStatus === 'NONE' ? 'Deliver' : 'Deliver again'}
      successText="The event is queued for delivery."
      disabledReason={
        disabledReason ?? (isUnset ? 'Set a webhook endpoint in the settings first.' : undefined)
      }
      act={redeliver}
    />
  )
}

function About({ event }: { readonly event: Event }) {
  return (
    <Panel title="About">
      <Facts
        items={[
          ['Happened', <Time key="at" at={event.timestamp} />],
          ['Record', <RecordLink key="record" id={event.objectId} />],
          ['Number', `${event.sequence} of this record`],
          ['Type', <code key="type">{event.type}</code>],
          [
            'Also',
            <TextLink key="also" to="/events" search={{ objectId: event.objectId }}>
              All events of this record
            </TextLink>,
          ],
        ]}
      />
    </Panel>
  )
}
