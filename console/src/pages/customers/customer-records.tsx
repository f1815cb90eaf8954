import type { Agent as AgentSchema } from '@countersign/contract/agents/agents'
import type { Card as CardSchema } from '@countersign/contract/cards/cards'
import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { CUSTOMER_TRANSACTION_COLUMNS } from '../transactions/columns.tsx'
import { IssueCard } from './issue-card.tsx'

type Card = Static<typeof CardSchema>
type Agent = Static<typeof AgentSchema>
type Columns<Row> = readonly Omit<Column<Row>, 'text'>[]

const LATEST = 10

const CARDS: Columns<Card> = [
  {
    id: 'card',
    header: 'Card',
    width: 'minmax(9rem, 2fr)',
    cell: ({ brand, last4 }) => `${brand ? formatConstant(brand) : 'Card'} ${last4 ? `•••• ${last4}` : ''}`,
  },
  { id: 'form', header: 'Kind', width: 'minmax(5rem, 1fr)', cell: ({ form }) => formatConstant(form) },
  { id: 'state', header: 'Status', width: '8rem', cell: ({ state }) => <Status state={state} /> },
]

const AGENTS: Columns<Agent> = [
  {
    id: 'name',
    header: 'Agent',
    width: 'minmax(9rem, 2fr)',
    cell: ({ name }) => <span className="clipped">{name}</span>,
  },
  {
    id: 'connected',
    header: 'Connected',
    width: 'minmax(6rem, 1fr)',
    cell: ({ isConnected }) => (isConnected ? 'Yes' : 'Not yet'),
  },
  {
    id: 'status',
    header: 'Status',
    width: '8rem',
    cell: ({ isPaused }) => <Status state={isPaused ? 'PAUSED' : 'ACTIVE'} />,
  },
]

interface OfCustomer {
  readonly customerId: string
}

/** The customer's latest transactions, cards and agents. */
export function CustomerRecords({ customerId }: OfCustomer) {
  return (
    <>
      <Transactions customerId={customerId} />
      <Cards customerId={customerId} />
      <Agents customerId={customerId} />
    </>
  )
}

function Transactions({ customerId }: OfCustomer) {
  const transactions = useQuery({
    queryKey: ['transactions', 'of', customerId],
    queryFn: () => countersign.transactions.list({ customerId, limit: LATEST }),
  })
  const all = (
    <TextLink to="/transactions" search={{ customerId }}>
      All
    </TextLink>
  )
  return (
    <Panel title="Transactions" actions={all} isBare>
      <QueryResult query={transactions}>
        {({ data }) => (
          <ShortTable
            name="Transactions"
            columns={CUSTOMER_TRANSACTION_COLUMNS}
            rows={data}
            getId={({ id }) => id}
            getLink={({ id }) => `/transactions/${id}`}
            empty="No money has moved yet."
          />
        )}
      </QueryResult>
    </Panel>
  )
}

function Cards({ customerId }: OfCustomer) {
  const cards = useQuery({
    queryKey: ['cards', 'of', customerId],
    queryFn: () => countersign.cards.list({ cardholderId: customerId, limit: LATEST }),
  })
  return (
    <Panel title="Cards" actions={<IssueCard customerId={customerId} />} isBare>
      <QueryResult query={cards}>
        {({ data }) => (
          <ShortTable
            name="Cards"
            columns={CARDS}
            rows={data}
            getId={({ id }) => id}
            getLink={({ id }) => `/cards/${id}`}
            empty="The customer has no cards."
          />
        )}
      </QueryResult>
    </Panel>
  )
}

function Agents({ customerId }: OfCustomer) {
  const agents = useQuery({
    queryKey: ['agents', 'of', customerId],
    queryFn: () => countersign.agents.list({ customerId, limit: LATEST }),
  })
  return (
    <Panel title="Agents" isBare>
      <QueryResult query={agents}>
        {({ data }) => (
          <ShortTable
            name="Agents"
            columns={AGENTS}
            rows={data}
            getId={({ id }) => id}
            getLink={({ id }) => `/agents/${id}`}
            empty="No agent acts for this customer."
          />
        )}
      </QueryResult>
    </Panel>
  )
}
