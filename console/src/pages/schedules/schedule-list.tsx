import { present, wordOf } from '@countersign/contract/core/objects'
import { scheduleInWords } from '@countersign/contract/payments/schedule-words'
import { PAYMENT_SCHEDULE_STATES } from '@countersign/contract/states/schedule-states'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { csvAddress } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, validValues } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useListed } from '../../ui/use-listed.ts'
import { NewSchedule } from './new-schedule.tsx'
import type { PaymentSchedule } from './schedule.ts'

const route = getRouteApi('/schedules')

const FILTERS: readonly Filter[] = [{ name: 'status', label: 'Status', choices: PAYMENT_SCHEDULE_STATES }]

const COLUMNS: readonly Column<PaymentSchedule>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(7rem, 1fr)',
    cell: ({ name }) => <span className="clipped">{name ?? 'Without a name'}</span>,
  },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status of={status} /> },
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
    cell: (one) => (
      <span className="clipped" title={scheduleInWords(one)}>
        {scheduleInWords(one)}
      </span>
    ),
  },
  {
    id: 'next',
    header: 'Next',
    width: '8rem',
    isRight: true,
    priority: 2,
    cell: ({ upcoming: [next] }) => next && <Time at={next.paysAt} />,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRight: true,
    cell: ({ amount }) => <Money of={amount} />,
  },
]

export function ScheduleList() {
  const search = validValues(FILTERS, route.useSearch())
  const filters = present({ status: wordOf(PAYMENT_SCHEDULE_STATES, search.status) })
  const list = useListed(['schedules', 'list', filters], (page) =>
    countersign.paymentSchedules.list({ ...filters, ...page }),
  )
  return (
    <Page title="Schedules" actions={<NewSchedule />}>
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Payment schedules"
        file={csvAddress('/payment-schedules', filters)}
        columns={COLUMNS}
        list={list}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/schedules/${id}`}
        empty={
          filters.status
            ? { title: 'No schedule matches', text: 'Take the filter away.' }
            : {
                title: 'No schedules yet',
                text: 'Create one here, or with POST /payment-schedules, to pay at a time or by a rule.',
              }
        }
      />
    </Page>
  )
}
