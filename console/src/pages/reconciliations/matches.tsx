import { MATCH_TRANSITIONS } from '@countersign/contract/states/match-states'
import type { ItemOf } from '@countersign/sdk'
import { Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Actor } from '../../ui/actor.tsx'
import type { Column } from '../../ui/column.ts'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import type { Day } from './selection.ts'

type Match = ItemOf<'reconciliation_match_list'>

/** Number of matches shown, newest first. */
const ROWS_MAX = 20

const COLUMNS: readonly Column<Match>[] = [
  { id: 'status', header: 'Status', width: '7rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(10rem, 3fr)',
    cell: ({ reason }) => (
      <span className="clipped" title={reason}>
        {reason}
      </span>
    ),
  },
  {
    id: 'lines',
    header: 'Lines',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: ({ lineSum, currency }) => <Money amount={{ amount: lineSum, currency }} />,
  },
  {
    id: 'difference',
    header: 'Booked',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ difference, currency }) =>
      difference ? (
        <span title={difference.account}>
          <Money amount={{ amount: difference.amount, currency }} />
        </span>
      ) : (
        'Nothing'
      ),
  },
  {
    id: 'by',
    header: 'By',
    width: 'minmax(7rem, 1fr)',
    priority: 2,
    cell: ({ matchedBy }) => <Actor actor={matchedBy} />,
  },
  { id: 'actions', header: 'Change', width: '16rem', cell: (match) => <MatchButtons match={match} /> },
]

/** The latest matches for the rail and currency of a day. */
export function Matches({ day: { rail, currency } }: { readonly day: Day }) {
  const filters = { rail, currency: currency.code, limit: ROWS_MAX }
  const query = useQuery({
    queryKey: ['reconciliations', 'matches', filters],
    queryFn: async () => (await countersign.reconciliationMatches.list(filters)).data,
  })
  return (
    <Panel title="Matches" isBare>
      <QueryResult query={query} lines={2}>
        {(rows) => (
          <ShortTable
            name="Matches"
            rows={rows}
            getId={({ id }) => id}
            empty="No lines have been matched with payments yet."
            columns={COLUMNS}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

function MatchButtons({ match }: { readonly match: Match }) {
  const client = useQueryClient()
  const disabledReason = useMissingPermission('APPROVE')
  const onDone = () => void client.invalidateQueries({ queryKey: ['reconciliations'] })
  const { id, status, difference, currency, rail, statementEntryIds, paymentIds, reason } = match
  const transitions = MATCH_TRANSITIONS[status]
  const shared = { size: 'xs', disabledReason, onDone } as const
  return (
    <Group gap="xs" wrap="nowrap">
      {transitions.agree && (
        <ActionButton
          {...shared}
          label="Approve"
          successText="Your approval of the match is recorded."
          question={{ title: 'Match these lines and payments?', text: reason }}
          act={async () =>
            await countersign.reconciliationMatches.create({
              ...{ rail, currency: currency.code, statementEntryIds, paymentIds, reason },
              ...(difference ? { difference } : {}),
            })
          }
        />
      )}
      {transitions.undo && (
        <ActionButton
          {...shared}
          label="Undo"
          successText="Your decision to undo the match is recorded."
          question={{
            title: 'Undo this match?',
            text: 'Its lines and payments become unmatched again, and the booked difference is reversed.',
            needsReason: true,
          }}
          act={async (reason) => await countersign.reconciliationMatches.undo(id, { reason })}
        />
      )}
      {transitions.close && (
        <ActionButton
          {...shared}
          label="Close"
          successText="Match closed."
          question={{ title: 'Close this match?', text: 'A closed match cannot be undone. No money moves.' }}
          act={async () => await countersign.reconciliationMatches.close(id)}
        />
      )}
    </Group>
  )
}
