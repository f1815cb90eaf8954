import { CLIENT_MONEY_REASONS } from '@countersign/contract/operation/client-money'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import type { Report } from './report-list.tsx'

type OfCurrency = Report['currencies'][number]
type Reason = OfCurrency['reasons'][number]
type Rail = OfCurrency['rails'][number]

const route = getRouteApi('/client-money/$reportId')
const PARENT = { title: 'Client money', to: '/client-money' }

export function ReportPage() {
  const { reportId } = route.useParams()
  const query = useQuery({
    queryKey: ['client-money', reportId],
    queryFn: () => countersign.clientMoneyReports.get(reportId),
  })
  return (
    <RecordPage query={query} title="Client-money report" parent={PARENT}>
      {(record) => <Day report={record} />}
    </RecordPage>
  )
}

/** The money owed to customers and the money held by rails at the end of a day, by currency. */
function Day({ report }: { readonly report: Report }) {
  const { id, date, asOf, createdAt, currencies } = report
  return (
    <Page title={`Client money, ${date}`} parent={PARENT}>
      <RecordId id={id} />
      <Panel title="Report">
        <Facts
          items={[
            ['As of', <Time key="asOf" at={asOf} />],
            ['Created', <Time key="created" at={createdAt} />],
          ]}
        />
      </Panel>
      <Verification id={id} />
      {currencies.map((day) => (
        <CurrencyPanel key={day.currency.code} day={day} />
      ))}
    </Page>
  )
}

/** The signature and the ledger are verified each time the page is opened. */
function Verification({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ['client-money', id, 'verification'],
    queryFn: () => countersign.clientMoneyReports.verify(id),
  })
  return (
    <Panel title="Verification">
      <QueryResult query={query} lines={2}>
        {({ isSigned, isLedgerUnchanged }) => (
          <Facts
            items={[
              ['Signature', isSigned ? 'Valid' : 'Invalid: the record was changed'],
              ['Ledger', isLedgerUnchanged ? 'Unchanged since' : 'Changed: the balances at that time differ'],
            ]}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

function CurrencyPanel({ day }: { readonly day: OfCurrency }) {
  const { currency, owed, onHold, held, difference, reasons, rails } = day
  const money = (amount: bigint) => <Money amount={{ amount, currency }} />
  return (
    <Panel title={currency.name} isBare>
      <div className="body">
        <Facts
          items={[
            ['Owed to customers', money(owed)],
            ['Owed and on hold', money(onHold)],
            ['Held by rails', money(held)],
            ['Difference', money(difference)],
          ]}
        />
      </div>
      <ShortTable
        name={`Reasons in ${currency.code}`}
        columns={buildReasonColumns(money)}
        rows={reasons}
        getId={({ reason, rail }) => `${reason} ${rail ?? ''}`}
        empty="No difference."
      />
      <ShortTable
        name={`Rails in ${currency.code}`}
        columns={buildRailColumns(money)}
        rows={rails}
        getId={({ rail }) => rail}
        empty="No rail holds this currency."
      />
    </Panel>
  )
}

type FormatAmount = (amount: bigint) => React.ReactNode

function buildReasonColumns(money: FormatAmount): readonly Column<Reason>[] {
  return [
    {
      id: 'reason',
      header: 'Reason',
      width: 'minmax(10rem, 2fr)',
      cell: ({ reason }) => <span title={CLIENT_MONEY_REASONS[reason]}>{formatConstant(reason)}</span>,
    },
    { id: 'of', header: 'Rail', width: 'minmax(6rem, 1fr)', priority: 2, cell: ({ rail }) => rail },
    {
      id: 'amount',
      header: 'Amount',
      width: 'minmax(8rem, max-content)',
      isRightAligned: true,
      cell: ({ amount }) => money(amount),
    },
  ]
}

function buildRailColumns(money: FormatAmount): readonly Column<Rail>[] {
  return [
    { id: 'rail', header: 'Rail', width: 'minmax(8rem, 2fr)', cell: ({ rail }) => rail },
    {
      id: 'statement',
      header: 'Latest statement',
      width: '8rem',
      priority: 2,
      cell: ({ statement }) => statement?.date ?? 'None',
    },
    {
      id: 'ledger',
      header: 'Ledger balance',
      width: 'minmax(8rem, max-content)',
      isRightAligned: true,
      priority: 2,
      cell: ({ ledgerBalance }) => money(ledgerBalance),
    },
    {
      id: 'held',
      header: 'Held',
      width: 'minmax(8rem, max-content)',
      isRightAligned: true,
      cell: ({ held }) => money(held),
    },
  ]
}
