import type { AgentDecisionRecord } from '@countersign/contract/agents/agents'
import type { Static } from 'typebox'
import type { Column } from '../../ui/column.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { formatLimit } from './agent.ts'
import { describeDecision } from './policy-words.ts'

type Decision = Static<typeof AgentDecisionRecord>

const formatRequestedAmount = ({ decision: { amount, currency } }: Decision) =>
  amount === undefined || currency === undefined ? '–' : formatLimit(amount, currency)

/** Columns for the policy's decisions and their reasons. */
export const DECISIONS: readonly Column<Decision>[] = [
  {
    id: 'outcome',
    header: 'Decision',
    width: '8.5rem',
    cell: ({ decision }) => <Status state={decision.outcome} />,
  },
  {
    id: 'why',
    header: 'Reason',
    width: 'minmax(10rem, 3fr)',
    priority: 2,
    cell: ({ decision }) => (
      <span className="clipped" title={describeDecision(decision)}>
        {describeDecision(decision)}
      </span>
    ),
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(6rem, 1fr)',
    isRightAligned: true,
    cell: (row) => <span className="figures">{formatRequestedAmount(row)}</span>,
  },
  {
    id: 'at',
    header: 'At',
    width: '9rem',
    isRightAligned: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]
