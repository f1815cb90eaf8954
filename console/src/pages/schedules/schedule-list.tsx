import { describeSchedule } from '@countersign/contract/payments/schedule-words'
import { PAYMENT_SCHEDULE_STATES } from '@countersign/contract/states/schedule-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import type { Column } from '../../ui/column.ts'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { StatusList } from '../../ui/status-list.tsx'
import { Time } from '../../ui/time.tsx'
import { NewSchedule } from './new-schedule.tsx'
import type { PaymentSchedule } from './schedule.ts'

const route = getRouteApi('/schedules')

const COLUMNS: readonly Column<PaymentSchedule>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(7rem, 1fr)',
    cell: ({ name }) => <span className="clipped">{name ?? 'Without a name'}</span>,
  },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'payee',
    header: 'Payee',
    width: 'minmax(7rem, 1fr)',
    priority: 2,
    cell: ({ payee }) => <span className="clipped">{payee?.name ?? payee?.account}</span>,
  },
  {
    id: 'rule',
    header: 'Rule',
    width: 'minmax(8rem, 2fr)',
    priority: 2,
    cell: (schedule) => (
      <span className="clipped" title={describeSchedule(schedule)}>
        {describeSchedule(schedule)}
      </span>
    ),
  },
  {
    id: 'next',
    header: 'Next',
    width: '8rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ upcoming: [next] }) => next && <Time at={next.paysAt} />,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
]

export function ScheduleList() {
  return (
    <Page title="Schedules" actions={<NewSchedule />}>
      <StatusList
        name="Payment schedules"
        states={PAYMENT_SCHEDULE_STATES}
        search={route.useSearch()}
        queryKey={['schedules', 'list']}
        path="/payment-schedules"
        read={(query) => countersign.paymentSchedules.list(query)}
        columns={COLUMNS}
        getId={({ id }) => id}
        getLink={({ id }) => `/schedules/${id}`}
        emptyFiltered={{ title: 'No matching schedules', text: 'Remove the filter.' }}
        empty={{
          title: 'No schedules yet',
          text: 'Create one here, or with POST /payment-schedules, to pay at a time or by a rule.',
        }}
      />
    </Page>
  )
}
