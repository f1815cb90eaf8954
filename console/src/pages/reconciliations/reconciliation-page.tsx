import { DIFFERENCES } from '@countersign/contract/operation/reconciliations'
import { Checkbox } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { type Amount, formatMoney, Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { QueueNav } from '../../ui/queue-nav.tsx'
import { RecordId, shortenId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { MatchForm } from './match-form.tsx'
import { Matches } from './matches.tsx'
import { useDifferingDays, withCurrency } from './reconciliation.ts'
import { buildSelection, type Day as Detail, isMatchable } from './selection.ts'
import { Suggestions } from './suggestions.tsx'

type Difference = Detail['differences'][number]

const route = getRouteApi('/reconciliations/$reconciliationId')
const PARENT = { title: 'Reconciliation', to: '/reconciliations' }
const getPath = (id: string) => `${PARENT.to}/${id}`
const AGES = ['Today', '1 day']
const POLL_MS = 3000

export function ReconciliationPage() {
  const { reconciliationId } = route.useParams()
  const query = useQuery({
    queryKey: ['reconciliations', reconciliationId],
    queryFn: () => countersign.reconciliations.get(reconciliationId),
    // After a match, the day is compared again in the background.
    refetchInterval: ({ state: { data } }) => (data?.status === 'BALANCED' ? false : POLL_MS),
  })
  return (
    <RecordPage query={query} title="Reconciliation" parent={PARENT}>
      {(record) => <Day key={record.id} day={record} />}
    </RecordPage>
  )
}

/** A rail's day: the bank statement, the books, and the differences between them. */
function Day({ day }: { readonly day: Detail }) {
  const { id, rail, date, status, currency, differenceCount } = day
  const queue = useDifferingDays(day)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  return (
    <Page
      title={`${rail}, ${date}, ${currency.code}`}
      aside={<Status state={status} />}
      actions={<QueueNav ids={queue} current={id} getPath={getPath} />}
      parent={PARENT}
    >
      <RecordId id={id} />
      <div className="halves">
        <Statement day={day} />
        <Books day={day} />
      </div>
      <Differences day={day} selected={selected} select={setSelected} />
      {differenceCount > 0 && <Suggestions day={day} select={(ids) => setSelected(new Set(ids))} />}
      <Matches day={day} />
    </Page>
  )
}

function Statement({ day }: { readonly day: Detail }) {
  const { statement, receivedAt } = day
  const money = createMoneyRenderer(day)
  return (
    <Panel title="Bank statement">
      {statement ? (
        <Facts
          items={[
            ['Statement id', statement.id],
            ['Opening balance', money(statement.openingBalance)],
            ['Closing balance', money(statement.closingBalance)],
            ['Entries', `${statement.entryCount}`],
            ['Total of entries', money(statement.entrySum)],
            ['Bank charges', money(statement.charged)],
            ['Expected costs', money(statement.expectedCosts)],
            ['Received', receivedAt && <Time at={receivedAt} />],
          ]}
        />
      ) : (
        <span className="soft">The bank has not sent a statement yet.</span>
      )}
    </Panel>
  )
}

function Books({ day }: { readonly day: Detail }) {
  const { ledger, difference, reconciledAt } = day
  const money = createMoneyRenderer(day)
  return (
    <Panel title="Books">
      <Facts
        items={[
          ['Rail balance', money(ledger?.balance)],
          ['Later movements', money(ledger?.later)],
          ['Difference', money(difference)],
          ['Reconciled', reconciledAt && <Time at={reconciledAt} />],
        ]}
      />
    </Panel>
  )
}

interface DifferencesProps {
  readonly day: Detail
  /** Ids of statement lines and payments. */
  readonly selected: ReadonlySet<string>
  readonly select: (ids: ReadonlySet<string>) => void
}

function Differences({ day, selected, select }: DifferencesProps) {
  const client = useQueryClient()
  const disabledReason = useMissingPermission('APPROVE')
  const selection = buildSelection(day, selected)
  const count = selection.statementEntryIds.length + selection.paymentIds.length
  const finish = () => {
    select(new Set())
    void client.invalidateQueries({ queryKey: ['reconciliations'] })
  }
  const match = (
    <DialogButton
      label={`Match ${count}: ${formatMoney({ amount: selection.difference, currency: day.currency })}`}
      title="Match the selected items?"
      disabledReason={disabledReason}
      onDone={finish}
    >
      {(form) => <MatchForm selection={selection} {...form} />}
    </DialogButton>
  )
  return (
    <Panel title="Differences" isBare actions={count > 0 && match}>
      <ShortTable
        name="Differences"
        rows={day.differences.map((difference, index) => ({ ...difference, key: String(index) }))}
        getId={({ key }) => key}
        empty="The bank and the books agree."
        columns={[
          buildSelectColumn(selected, select),
          ...buildColumns(day.currency),
          ...(day.differences.some(isAdjustable) ? [RESOLVE] : []),
        ]}
      />
    </Panel>
  )
}

function buildSelectColumn(
  selected: ReadonlySet<string>,
  select: (ids: ReadonlySet<string>) => void,
): Column<Difference> {
  return {
    id: 'select',
    header: 'Match',
    width: '4rem',
    cell: ({ about, text }) =>
      isMatchable(about) && (
        <Checkbox
          aria-label={`Select ${text ?? shortenId(about)}`}
          checked={selected.has(about)}
          onChange={({ currentTarget }) => {
            const next = new Set(selected)
            if (currentTarget.checked) next.add(about)
            else next.delete(about)
            select(next)
          }}
        />
      ),
  }
}

/** Returns a function that renders amounts in the day's currency. */
function createMoneyRenderer(day: Detail): (amount: bigint | undefined) => ReactNode {
  return (amount) => {
    const value: Amount | undefined = withCurrency(day, amount)
    return value && <Money amount={value} />
  }
}

function buildColumns(currency: Detail['currency']): readonly Omit<Column<Difference>, 'text'>[] {
  return [
    {
      id: 'reason',
      header: 'Reason',
      width: 'minmax(12rem, 3fr)',
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
      isRightAligned: true,
      priority: 2,
      cell: ({ ageDays }) => AGES[ageDays] ?? `${ageDays} days`,
    },
    {
      id: 'amount',
      header: 'Bank minus books',
      width: 'minmax(9rem, 1fr)',
      isRightAligned: true,
      cell: ({ amount }) => <Money amount={{ amount, currency }} />,
    },
  ]
}

const RESOLVE: Column<Difference> = {
  id: 'resolve',
  header: 'Resolve',
  width: '6rem',
  cell: (difference) => isAdjustable(difference) && <AdjustButton {...difference} />,
}

/** True for a deposit whose amount differs from the one that the bank booked. */
function isAdjustable(difference: Difference): difference is Difference & { readonly about: string } {
  return difference.reason === 'OTHER_AMOUNT' && difference.about?.startsWith('Deposit:') === true
}

function AdjustButton({ about, amount }: { readonly about: string; readonly amount: bigint }) {
  const client = useQueryClient()
  const disabledReason = useMissingPermission('APPROVE')
  return (
    <ActionButton
      label="Adjust"
      successText="Your decision about the deposit is recorded."
      size="xs"
      disabledReason={disabledReason}
      question={{
        title: 'Adjust the deposit to the amount booked by the bank?',
        text: 'The difference is booked. No customer balance changes.',
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
  if (id?.startsWith('Transaction:'))
    return (
      <TextLink to={`/transactions/${id}`}>
        <span className="id">{shortenId(id)}</span>
      </TextLink>
    )
  const words = text ?? (id ? shortenId(id) : 'The statement as a whole')
  return (
    <span className="clipped" title={words}>
      {words}
    </span>
  )
}
