import { Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { NewWebhookEndpoint } from './new-webhook-endpoint.tsx'
import { useConfig } from './settings-form.tsx'

const KEY = ['webhook-endpoints'] as const
/** Polled, because a change of an endpoint's health emits no event. */
const REFETCH_MS = 5_000

type Endpoint = Awaited<ReturnType<typeof countersign.webhookEndpoints.get>>

/** All webhook receivers: the `webhookEndpoint` of the configuration, and additional endpoints. */
export function WebhookEndpoints() {
  const disabledReason = useMissingPermission('MANAGE')
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: () => countersign.webhookEndpoints.list(),
    refetchInterval: REFETCH_MS,
  })
  const refreshData = () => void client.invalidateQueries({ queryKey: KEY })
  return (
    <Panel
      title="Endpoints"
      actions={<NewWebhookEndpoint disabledReason={disabledReason} onDone={refreshData} />}
    >
      {error && <ErrorState error={error} />}
      {!error && !data && <Loading lines={2} />}
      {data?.data.length === 0 && (
        <Text c="dimmed">
          Add servers that receive some or all events: bookkeeping, support, a data warehouse.
        </Text>
      )}
      <Stack gap="md">
        <ConfiguredEndpoint />
        {data?.data.map((endpoint) => (
          <EndpointRow
            key={endpoint.id}
            endpoint={endpoint}
            disabledReason={disabledReason}
            onDone={refreshData}
          />
        ))}
      </Stack>
    </Panel>
  )
}

/** The `webhookEndpoint` of the configuration, which receives every event. It is edited above. */
function ConfiguredEndpoint() {
  const { data: config } = useConfig()
  if (!config?.webhookEndpoint) return null
  return (
    <section aria-label="Main endpoint">
      <Group gap="xs">
        <Text fw={600}>Main endpoint</Text>
        <Status state="ENABLED" />
      </Group>
      <div className="anywhere">{config.webhookEndpoint}</div>
      <Text size="sm" c="dimmed">
        All types
      </Text>
    </section>
  )
}

interface RowProps {
  readonly endpoint: Endpoint
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}

function EndpointRow({ endpoint, disabledReason, onDone }: RowProps) {
  const { id, url, description, status } = endpoint
  const name = description ?? url
  const isEnabled = status === 'ENABLED'
  const set = (next: 'ENABLED' | 'PAUSED') => () => countersign.webhookEndpoints.update(id, { status: next })
  return (
    <Group component="section" aria-label={name} justify="space-between" align="flex-start" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
        <Group gap="xs">
          <Text fw={600} className="clipped" title={name}>
            {name}
          </Text>
          <Status state={status} />
        </Group>
        {description && <div className="anywhere">{url}</div>}
        <Text size="sm" c="dimmed">
          {describeTypes(endpoint)}
        </Text>
        <Health endpoint={endpoint} />
      </div>
      <Group gap="xs">
        <ActionButton
          label={isEnabled ? 'Pause' : 'Resume'}
          successText={isEnabled ? 'Endpoint paused.' : 'Endpoint resumed.'}
          size="xs"
          disabledReason={disabledReason}
          act={set(isEnabled ? 'PAUSED' : 'ENABLED')}
          onDone={onDone}
        />
        <ActionButton
          label="Delete"
          successText="Endpoint deleted."
          color="red"
          size="xs"
          disabledReason={disabledReason}
          act={() => countersign.webhookEndpoints.delete(id)}
          onDone={onDone}
          question={{
            title: `Delete ${name}?`,
            text: 'It receives no more events. Events that were not delivered to it are lost.',
          }}
        />
      </Group>
    </Group>
  )
}

function describeTypes({ eventTypes, payload, latestBalanceOnly }: Endpoint): string {
  const types = eventTypes ? eventTypes.map(formatConstant).join(', ') : 'All types'
  return [types, payload === 'THIN' && 'without data', latestBalanceOnly && 'latest balance only']
    .filter(Boolean)
    .join(' · ')
}

function Health({ endpoint: { status, disabledReason, health } }: { readonly endpoint: Endpoint }) {
  const { oldestUndeliveredAt, retrying, failed, lastDeliveredAt, lastFailure } = health
  if (status === 'DISABLED')
    return (
      <Text size="sm" c="red">
        {disabledReason === 'GONE' ? 'It responded 410.' : 'It received nothing for seven days.'}
      </Text>
    )
  return (
    <Text size="sm" c={health.failingSince ? 'red' : 'dimmed'}>
      {oldestUndeliveredAt ? (
        <>
          Waiting since <Time at={oldestUndeliveredAt} />
        </>
      ) : (
        'No events waiting'
      )}
      {retrying > 0 && ` · ${retrying} to retry`}
      {failed > 0 && ` · ${failed} given up`}
      {health.failingSince && lastFailure && ` · last failure: ${lastFailure}`}
      {lastDeliveredAt && (
        <>
          {' '}
          · last delivery <Time at={lastDeliveredAt} />
        </>
      )}
    </Text>
  )
}
