import { Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { formatConstant, getMeaning } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import type { TransactionRecord } from './columns.tsx'

const STEPS_MAX = 100

const COLORS = { done: 'green', moving: 'blue', waits: 'yellow', failed: 'red', ended: 'gray' } as const

interface Step {
  readonly key: string
  readonly at: string
  readonly state: string
  readonly eventId?: string
}

/** The states that a payment has passed through, from its events. */
export function History({ transaction }: { readonly transaction: TransactionRecord }) {
  const { id } = transaction
  const query = useQuery({
    queryKey: ['events', 'of', id, transaction.updatedAt],
    queryFn: () => countersign.events.list({ objectId: id, limit: STEPS_MAX }),
  })
  return (
    <Panel title="Timeline">
      <QueryResult query={query} lines={4}>
        {({ data }) => {
          const steps = buildSteps(transaction, data)
          return (
            <Timeline bulletSize={12} lineWidth={2} active={steps.length}>
              {steps.map(({ key, at, state, eventId }) => (
                <Timeline.Item
                  key={key}
                  color={COLORS[getMeaning(state)]}
                  title={
                    eventId ? (
                      <TextLink to={`/events/${eventId}`}>{formatConstant(state)}</TextLink>
                    ) : (
                      formatConstant(state)
                    )
                  }
                >
                  <span className="soft">
                    <Time at={at} />
                  </span>
                </Timeline.Item>
              ))}
            </Timeline>
          )
        }}
      </QueryResult>
    </Panel>
  )
}

function buildSteps(
  { createdAt, settledAt, updatedAt, status }: TransactionRecord,
  events: readonly { readonly id: string; readonly type: string; readonly timestamp: string }[],
): readonly Step[] {
  const eventEntries = events.map(({ id, type, timestamp }) => ({
    key: id,
    at: timestamp,
    state: type.slice(type.indexOf('.') + 1),
    eventId: id,
  }))
  const hasCurrentState = eventEntries.some(({ state }) => state === status)
  // Some changes emit no event, such as the start of an incoming payment, so the current state is added.
  const now = hasCurrentState ? [] : [{ key: 'now', at: settledAt ?? updatedAt, state: status }]
  return [{ key: 'created', at: createdAt, state: 'CREATED' }, ...eventEntries, ...now]
}
