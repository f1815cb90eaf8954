import { Button, Timeline } from '@mantine/core'
import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { getMeaning } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import {
  type Entry,
  mergeSources,
  type Source,
  toAuditEntry,
  toEventEntry,
  toPaymentEntry,
  toPurchaseEntry,
} from './timeline-entries.ts'

const STEP = 10
/** The API's maximum page size. */
const ENTRIES_MAX = 100
/** Maximum per kind. The lists show the rest. */
const RECORDS_MAX = 5
const FIRST = 10

const COLORS = { done: 'green', moving: 'blue', waits: 'yellow', failed: 'red', ended: 'gray' } as const

interface ListPage<Row> {
  readonly data: readonly Row[]
  readonly hasMore: boolean
}

/** Builds a query for the latest records of one kind, as timeline entries. */
function buildSourceQuery<Row>(
  key: readonly unknown[],
  read: () => PromiseLike<ListPage<Row>>,
  toEntry: (row: Row) => Entry,
) {
  return {
    queryKey: key,
    queryFn: async (): Promise<Source> => {
      const { data, hasMore } = await read()
      return { entries: data.map(toEntry), hasMore }
    },
    placeholderData: keepPreviousData,
  }
}

/** Loads a customer's history: payments, purchases, API calls, and verification events. */
function useTimeline(customerId: string, limit: number) {
  const page = { limit }
  const cards = useQuery({
    queryKey: ['cards', 'of', customerId],
    queryFn: () => countersign.cards.list({ cardholderId: customerId, limit: FIRST }),
  })
  const cases = useQuery({
    queryKey: ['verifications', 'newest', customerId],
    queryFn: () => countersign.verifications.list({ customerId, limit: RECORDS_MAX }),
  })
  const records = [customerId, ...(cases.data?.data ?? []).map(({ id }) => id)]
  const results = useQueries({
    queries: [
      buildSourceQuery(
        ['audit', 'of', customerId, limit],
        () => countersign.auditEvents.list({ customerId, ...page }),
        toAuditEntry,
      ),
      buildSourceQuery(
        ['transactions', 'timeline', customerId, limit],
        () => countersign.transactions.list({ customerId, ...page }),
        toPaymentEntry,
      ),
      ...records.map((objectId) =>
        buildSourceQuery(
          ['events', 'timeline', objectId, limit],
          () => countersign.events.list({ objectId, sortOrder: 'desc', ...page }),
          toEventEntry,
        ),
      ),
      ...(cards.data?.data ?? [])
        .slice(0, RECORDS_MAX)
        .map(({ id }) =>
          buildSourceQuery(
            ['cards', 'timeline', id, limit],
            () => countersign.cards.transactions(id, page),
            toPurchaseEntry,
          ),
        ),
    ],
  })
  return { results, isListed: cards.data !== undefined && cases.data !== undefined }
}

export function CustomerTimeline({ customerId }: { readonly customerId: string }) {
  const [limit, setLimit] = useState(STEP)
  const { results, isListed } = useTimeline(customerId, limit)
  const isReading =
    !isListed || results.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData)
  const { entries, hasMore } = mergeSources(results.flatMap(({ data }) => data ?? []))
  const canReadMore = hasMore && limit < ENTRIES_MAX
  return (
    <Panel
      title="Timeline"
      actions={
        <TextLink to="/audit" search={{ customerId }}>
          Audit trail
        </TextLink>
      }
    >
      <div className="stacked" aria-busy={isReading}>
        <Failure results={results} />
        {entries.length === 0 && (isReading ? <Loading lines={4} /> : <EmptyTimeline />)}
        <Timeline bulletSize={12} lineWidth={2} active={entries.length}>
          {entries.map((entry) => (
            <Timeline.Item
              key={entry.id}
              color={entry.state === undefined ? 'gray' : COLORS[getMeaning(entry.state)]}
              title={<EntryTitle entry={entry} />}
            >
              <span className="soft">
                <Time at={entry.at} />
                {entry.detail !== undefined && ` · ${entry.detail}`}
              </span>
            </Timeline.Item>
          ))}
        </Timeline>
        {canReadMore && (
          <Button
            variant="default"
            size="xs"
            loading={isReading}
            onClick={() => setLimit(Math.min(limit * 2, ENTRIES_MAX))}
          >
            Show earlier
          </Button>
        )}
      </div>
    </Panel>
  )
}

function EmptyTimeline() {
  return <span className="soft">Nothing has happened yet.</span>
}

function EntryTitle({ entry: { title, state, to } }: { readonly entry: Entry }) {
  return (
    <span className="anywhere">
      {to === undefined ? title : <TextLink to={to}>{title}</TextLink>}{' '}
      {state !== undefined && <Status state={state} />}
    </span>
  )
}

/** Shows the error of kinds that could not be loaded, next to the entries of the others. */
function Failure({ results }: { readonly results: readonly UseQueryResult<Source>[] }) {
  const failed = results.find(({ isError }) => isError)
  return failed ? <ErrorState error={failed.error} retry={() => void failed.refetch()} /> : null
}
