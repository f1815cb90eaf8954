import { describeSchedule } from '@countersign/contract/payments/schedule-words'
import { PAYMENT_OCCURRENCE_STATES } from '@countersign/contract/states/schedule-states'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { AccountLink } from '../../ui/account-name.tsx'
import type { Column } from '../../ui/column.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordId, shortenId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { StatusList } from '../../ui/status-list.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { describePayee, type PaymentOccurrence, type PaymentSchedule } from './schedule.ts'
import { ScheduleActions } from './schedule-actions.tsx'

const route = getRouteApi('/schedules/$paymentScheduleId')
const PARENT = { title: 'Schedules', to: '/schedules' }

export function SchedulePage() {
  const { paymentScheduleId } = route.useParams()
  const query = useQuery({
    queryKey: ['schedules', 'one', paymentScheduleId],
    queryFn: () => countersign.paymentSchedules.get(paymentScheduleId),
  })
  return (
    <RecordPage query={query} title="Schedule" parent={PARENT}>
      {(record) => <Schedule schedule={record} />}
    </RecordPage>
  )
}

function Schedule({ schedule }: { readonly schedule: PaymentSchedule }) {
  return (
    <Page
      title={schedule.name ?? 'Schedule'}
      aside={<Status state={schedule.status} />}
      actions={<ScheduleActions schedule={schedule} />}
      parent={PARENT}
    >
      <RecordId id={schedule.id} />
      <div className="halves">
        <About schedule={schedule} />
        <Upcoming schedule={schedule} />
      </div>
      <Occurrences scheduleId={schedule.id} />
    </Page>
  )
}

function About({ schedule }: { readonly schedule: PaymentSchedule }) {
  const { customerId, source, amount, remittanceInformation, noticeSeconds, skippedDates } = schedule
  const hours = noticeSeconds / 3600
  return (
    <Panel title="Payment">
      <Facts
        items={[
          ['Amount', <Money key="amount" amount={amount} />],
          ['Payee', describePayee(schedule)],
          ['From', <AccountLink key="from" id={source.accountId} />],
          [
            'Customer',
            customerId && (
              <TextLink to={`/customers/${customerId}`}>
                <CustomerName id={customerId} />
              </TextLink>
            ),
          ],
          ['Rule', describeSchedule(schedule)],
          ['Event before', `${Number.isInteger(hours) ? hours : hours.toFixed(1)} h`],
          ['If missed', schedule.ifMissed === 'PAY' ? 'Paid late, once' : 'Not paid'],
          ['Remittance', remittanceInformation],
          ['Skipped', skippedDates.length > 0 && skippedDates.join(', ')],
          ['Created', <Time key="created" at={schedule.createdAt} />],
          ['Ended', schedule.endedAt && <Time at={schedule.endedAt} />],
        ]}
      />
    </Panel>
  )
}

function Upcoming({ schedule: { upcoming } }: { readonly schedule: PaymentSchedule }) {
  return (
    <Panel title="Next dates" isBare>
      <ShortTable
        name="Next dates"
        rows={upcoming}
        getId={({ date }) => date}
        empty="No payments are due."
        columns={[
          {
            id: 'date',
            header: 'Date',
            width: 'minmax(6rem, 1fr)',
            cell: ({ date }) => <span className="figures">{date}</span>,
          },
          {
            id: 'time',
            header: 'Paid',
            width: 'minmax(8rem, 1fr)',
            isRightAligned: true,
            cell: ({ paysAt }) => <Time at={paysAt} />,
          },
        ]}
      />
    </Panel>
  )
}

const COLUMNS: readonly Column<PaymentOccurrence>[] = [
  {
    id: 'date',
    header: 'Date',
    width: '7rem',
    cell: ({ date }) => <span className="figures">{date}</span>,
  },
  { id: 'status', header: 'Status', width: '8rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'result',
    header: 'Result',
    width: 'minmax(9rem, 2fr)',
    cell: ({ error, transactionId }) =>
      transactionId ? (
        <TextLink to={`/transactions/${transactionId}`}>{shortenId(transactionId)}</TextLink>
      ) : (
        <span className="clipped" title={error?.message}>
          {error?.message}
        </span>
      ),
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: ({ amount }) => <Money amount={amount} />,
  },
]

function Occurrences({ scheduleId }: { readonly scheduleId: string }) {
  return (
    <Panel title="Payments">
      <StatusList
        name="Payments"
        states={PAYMENT_OCCURRENCE_STATES}
        search={route.useSearch()}
        queryKey={['schedules', 'occurrences', scheduleId]}
        path={`/payment-schedules/${scheduleId}/occurrences`}
        read={(query) => countersign.paymentSchedules.occurrences(scheduleId, query)}
        columns={COLUMNS}
        getId={({ id }) => id}
        emptyFiltered={{ title: 'No matching payments' }}
        empty={{ title: 'No payments announced yet' }}
      />
    </Panel>
  )
}
