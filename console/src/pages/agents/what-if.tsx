import type { ReplayedAction as ReplayedSchema } from '@countersign/contract/agents/policy-replay'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { buildChange, type Draft } from './policy-draft.ts'

type ReplayedRequest = Static<typeof ReplayedSchema>
type Replay = Awaited<ReturnType<typeof countersign.agents.replayPolicy>>

const TYPING_MS = 400

/**
 * The decisions that the edited policy would have made about last week's actions. `draft` is undefined while
 * it is invalid.
 */
export function WhatIf({ agentId, draft }: { readonly agentId: string; readonly draft: Draft | undefined }) {
  const [settled] = useDebouncedValue(draft, TYPING_MS)
  const query = useQuery({
    queryKey: ['agents', 'replay', agentId, settled],
    queryFn: () => countersign.agents.replayPolicy(agentId, { policy: buildChange(settled!) }),
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <Panel title="What if: last week under this draft" isBare>
      {draft === undefined ? (
        <p className="none soft">Correct the marked fields above to see the decisions under this draft.</p>
      ) : (
        <QueryResult query={query}>{(replay) => <Result replay={replay} />}</QueryResult>
      )}
    </Panel>
  )
}

function Result({ replay }: { readonly replay: Replay }) {
  return (
    <>
      {replay.counts.actions > 0 && (
        <p className="none" role="status">
          {describeCounts(replay)}
        </p>
      )}
      <ShortTable
        name="What if"
        rows={replay.data.toReversed()}
        getId={({ decisionId }) => decisionId}
        columns={COLUMNS}
        empty="This agent has made no requests in the last week."
      />
    </>
  )
}

function describeCounts({ counts, isCut }: Replay): string {
  const { actions, changed, wouldBe } = counts
  const total = `${isCut ? 'The first ' : ''}${actions === 1 ? '1 action' : `${actions} actions`}`
  const otherwise =
    changed === 0
      ? 'no decisions would change'
      : `${changed} ${changed === 1 ? 'decision' : 'decisions'} would change`
  return `${total}: ${otherwise}. ${wouldBe.ALLOWED} allowed, ${wouldBe.APPROVAL_REQUIRED} sent for approval, ${wouldBe.DENIED} denied.`
}

const COLUMNS = [
  {
    id: 'payee',
    header: 'Action',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ actionType, payee }: ReplayedRequest) => (
      <span className="clipped" title={payee}>
        {payee ?? formatConstant(actionType)}
      </span>
    ),
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(6rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }: ReplayedRequest) => <Money amount={amount} />,
  },
  { id: 'was', header: 'Was', width: '8.5rem', cell: ({ was }: ReplayedRequest) => <Status state={was} /> },
  {
    id: 'wouldBe',
    header: 'Would be',
    width: '8.5rem',
    cell: ({ was, wouldBe }: ReplayedRequest) =>
      was === wouldBe ? <span className="soft">The same</span> : <Status state={wouldBe} />,
  },
  {
    id: 'why',
    header: 'Reason',
    width: 'minmax(12rem, 2fr)',
    cell: ({ words }: ReplayedRequest) => (
      <span className="clipped" title={words}>
        {words}
      </span>
    ),
  },
  {
    id: 'at',
    header: 'At',
    width: '9rem',
    isRightAligned: true,
    cell: ({ at }: ReplayedRequest) => <Time at={at} />,
  },
]
