import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Actor } from '../../ui/actor.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { TransactionRecord } from '../transactions/columns.tsx'
import { OUTCOME_WORDS, type PaymentDecision } from './decision.ts'

/** The decisions and proposals about a payment. Renders nothing without decisions. */
export function Decisions({ transaction }: { readonly transaction: TransactionRecord }) {
  const { id, updatedAt } = transaction
  const { data } = useQuery({
    queryKey: ['transactions', id, 'decisions', updatedAt],
    queryFn: () => countersign.transactions.decisions(id, { limit: 100 }),
  })
  if (!data || data.data.length === 0) return null
  return (
    <Panel title="Decisions">
      {data.data.map((decision) => (
        <Decision key={decision.id} decision={decision} />
      ))}
    </Panel>
  )
}

function Decision({ decision }: { readonly decision: PaymentDecision }) {
  const { id, status, outcome, charge, reason, evidence, railEventId, reversal, decidedBy, createdAt } =
    decision
  return (
    <Facts
      items={[
        ['Outcome', OUTCOME_WORDS[outcome].label],
        ['Status', <Status key="status" state={status} />],
        ['Reversal', reversal && <Status key="reversal" state={reversal.status} />],
        ['Failure reason', reversal?.failure],
        ['Charge', charge && <Money amount={charge} />],
        ['By', <Actor key="by" actor={decidedBy} />],
        ['At', <Time key="at" at={createdAt} />],
        ['Reason', reason],
        ['Note', evidence.note],
        ['Statement lines', evidence.statementEntryIds?.join(', ')],
        ['Document', evidence.documentId],
        ['Report', railEventId],
        ['Id', <RecordId key="id" id={id} isShort />],
      ]}
    />
  )
}
