import type { MatchSuggestionKind } from '@countersign/contract/operation/reconciliation-matches'
import type { Answer } from '@countersign/sdk'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import type { Day } from './selection.ts'

type Suggestion = Answer<'reconciliation_match_suggestion_list'>['body']['data'][number]

const KIND_WORDS: Readonly<Record<MatchSuggestionKind, string>> = {
  PAYMENT: 'A line and its payment',
  BATCH: 'Several payments in one line',
  PARTS: 'One payment in several lines',
  REVERSAL: 'A line and its reversal',
  CHARGE: 'A payment minus a bank charge',
}

interface SuggestionsProps {
  readonly day: Day
  readonly select: (ids: readonly string[]) => void
}

/**
 * Suggests lines and payments that may belong together. A click only selects them; it does not match them
 * yet.
 */
export function Suggestions({ day, select }: SuggestionsProps) {
  const { id, currency } = day
  const query = useQuery({
    queryKey: ['reconciliations', id, 'suggestions'],
    queryFn: async () => (await countersign.reconciliations.matchSuggestions(id)).data,
  })
  const columns: readonly Column<Suggestion>[] = [
    {
      id: 'kind',
      header: 'Suggestion',
      width: 'minmax(14rem, 3fr)',
      cell: ({ kind, text }) => (
        <span className="clipped" title={text ?? KIND_WORDS[kind]}>
          {KIND_WORDS[kind]}
        </span>
      ),
    },
    {
      id: 'signs',
      header: 'Matching fields',
      width: 'minmax(9rem, 1fr)',
      priority: 2,
      cell: ({ signs }) => signs.map(formatConstant).join(', '),
    },
    {
      id: 'difference',
      header: 'Difference',
      width: 'minmax(8rem, 1fr)',
      isRightAligned: true,
      cell: ({ difference }) => <Money amount={{ amount: difference, currency }} />,
    },
    {
      id: 'select',
      header: 'Choose',
      width: '6rem',
      cell: ({ statementEntryIds, paymentIds }) => (
        <Button variant="default" size="xs" onClick={() => select([...statementEntryIds, ...paymentIds])}>
          Select
        </Button>
      ),
    },
  ]
  return (
    <Panel title="Suggested matches" isBare>
      <QueryResult query={query} lines={2}>
        {(rows) => (
          <ShortTable
            name="Suggested matches"
            rows={rows}
            getId={({ statementEntryIds, paymentIds }) => [...statementEntryIds, ...paymentIds].join(' ')}
            empty="No matching lines and payments were found."
            columns={columns}
          />
        )}
      </QueryResult>
    </Panel>
  )
}
