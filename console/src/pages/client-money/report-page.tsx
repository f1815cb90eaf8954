import { CLIENT_MONEY_REASONS } from '@countersign/contract/operation/client-money'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
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
      {(record) => <Day of={record} />}
    </RecordPage>
  )
}

/** The money owed to customers and the money held by rails at the end of a day, by currency. */
function Day({ of: report }: { readonly of: Report }) {
  const { id, date, asOf, createdAt, currencies } = report
  return (
    <Page title={`Client money, ${date}`} parent={PARENT}>
      <RecordId id={id} />
      <Panel title="Report">
        <Facts
          of={[
            ['As of', <Time key="asOf" at={asOf} />],
            ['Created', <Time key="created" at={createdAt} />],
          ]}
        />
      </Panel>
      <Verification id={id} />
      {currencies.map((one) => (
        <CurrencyPanel key={one.currency.code} of={one} />
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
      <Read query={query} lines={2}>
        {({ isSigned, isLedgerUnchanged }) => (
          <Facts
            of={[
              ['Signature', isSigned ? 'By this server' : 'Wrong: the record was changed'],
              ['Ledger', isLedgerUnchanged ? 'Unchanged since' : 'Changed: other balances at that time'],
            ]}
          />
        )}
      </Read>
    </Panel>
  )
}

function CurrencyPanel({ of: day }: { readonly of: OfCurrency }) {
  const { currency, owed, onHold, held, difference, reasons, rails } = day
  const money = (amount: bigint) => <Money of={{ amount, currency }} />
  return (
    <Panel title={currency.name} isBare>
      <div className="body">
        <Facts
          of={[
            ['Owed to customers', money(owed)],
            ['On hold of it', money(onHold)],
            ['Held by rails', money(held)],
            ['Difference', money(difference)],
          ]}
        />
      </div>
      <ShortTable
        name={`Reasons in ${currency.code}`}
        columns={reasonColumns(money)}
        rows={reasons}
        idOf={({ reason, rail }) => `${reason} ${rail ?? ''}`}
        empty="No difference."
      />
      <ShortTable
        name={`Rails in ${currency.code}`}
        columns={railColumns(money)}
        rows={rails}
        idOf={({ rail }) => rail}
        empty="No rail holds this currency."
      />
    </Panel>
  )
}

type FormatAmount = (amount: bigint) => React.ReactNode

function reasonColumns(money: FormatAmount): readonly Column<Reason>[] {
  return [
    {
      id: 'reason',
      header: 'Reason',
      width: 'minmax(10rem, 2fr)',
      cell: ({ reason }) => <span title={CLIENT_MONEY_REASONS[reason]}>{wordsOf(reason)}</span>,
    },
    { id: 'of', header: 'Rail', width: 'minmax(6rem, 1fr)', priority: 2, cell: ({ rail }) => rail },
    {
      id: 'amount',
      header: 'Amount',
      width: 'minmax(8rem, max-content)',
      isRight: true,
      cell: ({ amount }) => money(amount),
    },
  ]
}

function railColumns(money: FormatAmount): readonly Column<Rail>[] {
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
      header: 'By the ledger',
      width: 'minmax(8rem, max-content)',
      isRight: true,
      priority: 2,
      cell: ({ ledgerBalance }) => money(ledgerBalance),
    },
    {
      id: 'held',
      header: 'Held',
      width: 'minmax(8rem, max-content)',
      isRight: true,
      cell: ({ held }) => money(held),
    },
  ]
}
