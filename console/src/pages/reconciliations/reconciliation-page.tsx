import {
  DIFFERENCES,
  type ReconciliationWithDifferences,
} from '@countersign/contract/operation/reconciliations'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { Facts } from '../../ui/facts.tsx'
import { type Amount, Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordId, shortId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { inCurrencyOf } from './reconciliation.ts'

type Detail = Static<typeof ReconciliationWithDifferences>
type Difference = Detail['differences'][number]

const route = getRouteApi('/reconciliations/$reconciliationId')
const PARENT = { title: 'Reconciliation', to: '/reconciliations' }

export function ReconciliationPage() {
  const { reconciliationId } = route.useParams()
  const query = useQuery({
    queryKey: ['reconciliations', reconciliationId],
    queryFn: () => countersign.reconciliations.get(reconciliationId),
  })
  return (
    <RecordPage query={query} title="Reconciliation" parent={PARENT}>
      {(record) => <Day of={record} />}
    </RecordPage>
  )
}

/** One day of a rail: the bank's statement next to the books, and the differences between the two. */
function Day({ of }: { readonly of: Detail }) {
  const { id, rail, date, status, currency } = of
  return (
    <Page title={`${rail}, ${date}, ${currency.code}`} aside={<Status of={status} />} parent={PARENT}>
      <RecordId id={id} />
      <div className="halves">
        <Statement of={of} />
        <Books of={of} />
      </div>
      <Differences of={of} />
    </Page>
  )
}

function Statement({ of }: { readonly of: Detail }) {
  const { statement, receivedAt } = of
  const money = moneyIn(of)
  return (
    <Panel title="Statement of the bank">
      {statement ? (
        <Facts
          of={[
            ['Named', statement.id],
            ['Begins with', money(statement.openingBalance)],
            ['Ends with', money(statement.closingBalance)],
            ['Entries', `${statement.entryCount}`],
            ['Sum of its entries', money(statement.entrySum)],
            ['Charged', money(statement.charged)],
            ['Expected costs', money(statement.expectedCosts)],
            ['Arrived', receivedAt && <Time at={receivedAt} />],
          ]}
        />
      ) : (
        <span className="soft">The bank has not sent it yet.</span>
      )}
    </Panel>
  )
}

function Books({ of }: { readonly of: Detail }) {
  const { ledger, difference, reconciledAt } = of
  const money = moneyIn(of)
  return (
    <Panel title="Books">
      <Facts
        of={[
          ['Balance of the rail', money(ledger?.balance)],
          ['Moved since', money(ledger?.later)],
          ['Difference', money(difference)],
          ['Compared', reconciledAt && <Time at={reconciledAt} />],
        ]}
      />
    </Panel>
  )
}

function Differences({ of }: { readonly of: Detail }) {
  return (
    <Panel title="Differences" isBare>
      <ShortTable
        name="Differences"
        rows={of.differences.map((difference, at) => ({ ...difference, key: String(at) }))}
        idOf={({ key }) => key}
        empty="The bank and the books agree."
        columns={columnsIn(of.currency)}
      />
    </Panel>
  )
}

/** Shows amounts in the currency of the day. */
function moneyIn(of: Detail): (amount: bigint | undefined) => ReactNode {
  return (amount) => {
    const value: Amount | undefined = inCurrencyOf(of, amount)
    return value && <Money of={value} />
  }
}

function columnsIn(currency: Detail['currency']): readonly Omit<Column<Difference>, 'text'>[] {
  return [
    {
      id: 'reason',
      header: 'Why',
      width: 'minmax(14rem, 3fr)',
      cell: ({ reason }) => (
        <span className="clipped" title={DIFFERENCES[reason]}>
          {DIFFERENCES[reason]}
        </span>
      ),
    },
    {
      id: 'about',
      header: 'About',
      width: 'minmax(9rem, 1fr)',
      cell: ({ about, text }) => <About id={about} text={text} />,
    },
    {
      id: 'age',
      header: 'Age',
      width: '5rem',
      isRight: true,
      priority: 2,
      cell: ({ ageDays }) => (ageDays === 1 ? '1 day' : `${ageDays} days`),
    },
    {
      id: 'amount',
      header: 'Bank above the books',
      width: 'minmax(9rem, 1fr)',
      isRight: true,
      cell: ({ amount }) => <Money of={{ amount, currency }} />,
    },
    {
      id: 'resolve',
      header: 'Resolve',
      width: '6rem',
      cell: (difference) => <AdjustButton difference={difference} />,
    },
  ]
}

/** For a deposit that the bank has booked with another amount. */
function AdjustButton({ difference: { reason, about, amount } }: { readonly difference: Difference }) {
  const client = useQueryClient()
  const denied = useDenied('APPROVE')
  if (reason !== 'OTHER_AMOUNT' || !about?.startsWith('Deposit:')) return null
  return (
    <ActionButton
      label="Adjust"
      done="Your decision about the deposit is recorded."
      size="xs"
      denied={denied}
      ask={{
        title: 'Adjust the deposit to what the bank has booked?',
        text: 'The difference is booked. The balance of no customer changes.',
        needsReason: true,
      }}
      act={async (reason) => {
        const deposit = await countersign.deposits.get(about)
        await countersign.deposits.adjust(about, { amount: deposit.amount.amount + amount, reason })
      }}
      onDone={() => void client.invalidateQueries({ queryKey: ['reconciliations'] })}
    />
  )
}

function About({ id, text }: { readonly id: string | undefined; readonly text: string | undefined }) {
  if (id?.startsWith('Transaction:')) return <TextLink to={`/transactions/${id}`}>{shortId(id)}</TextLink>
  const words = text ?? (id ? shortId(id) : 'The statement as a whole')
  return (
    <span className="clipped" title={words}>
      {words}
    </span>
  )
}
