import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues, toTimeRange } from '../../ui/filters.tsx'
import { RecordName } from '../../ui/listed-name.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { type Agent, formatLimit, getAgentState } from './agent.ts'

const route = getRouteApi('/agents')

const FILTERS: readonly Filter[] = [
  { name: 'customerId', label: 'Customer', record: 'customer' },
  { name: 'state', label: 'State', choices: ['PAUSED', 'NOT_PAUSED'] },
  { name: 'connected', label: 'Connection', choices: ['CONNECTED', 'NOT_CONNECTED'] },
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

const formatMonthlyUsage = ({ policy: { spendingLimits }, usage }: Agent) =>
  formatLimit(usage.monthlySpend, spendingLimits.currency)

const COLUMNS: readonly Column<Agent>[] = [
  {
    id: 'name',
    header: 'Agent',
    width: 'minmax(9rem, 2fr)',
    cell: ({ name }) => (
      <span className="clipped" title={name}>
        {name}
      </span>
    ),
  },
  {
    id: 'customer',
    header: 'Acts for',
    width: 'minmax(8rem, 2fr)',
    priority: 2,
    cell: ({ customerId }) => <RecordName id={customerId} />,
  },
  {
    id: 'state',
    header: 'State',
    width: '8rem',
    cell: (agent) => <Status state={getAgentState(agent)} />,
  },
  {
    id: 'today',
    header: 'Actions today',
    width: '7rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ usage }) => <span className="figures">{usage.dailyTransactionCount}</span>,
  },
  {
    id: 'month',
    header: 'This month',
    width: 'minmax(7rem, 1fr)',
    isRightAligned: true,
    cell: (agent) => <span className="figures">{formatMonthlyUsage(agent)}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '9.5rem',
    isRightAligned: true,
    priority: 3,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function AgentList() {
  const { customerId, state, connected, from, to } = keepValidValues(FILTERS, route.useSearch())
  const filters = {
    ...(customerId ? { customerId } : {}),
    ...(state ? { isPaused: state === 'PAUSED' } : {}),
    ...(connected ? { isConnected: connected === 'CONNECTED' } : {}),
    ...toTimeRange(from, to),
  }
  const list = usePagedList(['agents', 'list', filters], (page) =>
    countersign.agents.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Agents">
      <Filters filters={FILTERS} values={{ customerId, state, connected, from, to }} />
      <DataTable
        name="Agents"
        file={buildCsvUrl('/agents', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/agents/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching agents', text: 'Remove a filter.' }
            : {
                title: 'No agents yet',
                text: 'An agent is a program that acts for one customer within a policy. Your backend creates agents with POST /agents.',
              }
        }
      />
    </Page>
  )
}
