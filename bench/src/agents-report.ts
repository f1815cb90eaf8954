import { availableParallelism } from 'node:os'
import { type Budget, REQUESTS_PER_SECOND } from './budget.ts'
import { ACCOUNT_RULES } from './decisions.ts'
import { count, DATABASES, type LoadOptions } from './load-report.ts'
import type { Figure } from './measure.ts'
import { median, table, whole } from './table.ts'

const ROWS = ['platform', 'agent'] as const
type Row = (typeof ROWS)[number]
export type AgentFigures = Readonly<Record<Row, Figure[]>>

const NAMES: Readonly<Record<Row, string>> = {
  platform: 'quote and execute, by the platform',
  agent: 'quote and execute, by agents',
}

export interface AgentsReport {
  readonly figures: AgentFigures
  /** In µs. */
  readonly decision: { readonly median: number; readonly p99: number }
  readonly budget: Budget
  readonly options: LoadOptions
  readonly setting: { readonly connections: number; readonly agents: number; readonly servers: number }
}

export function noAgentFigures(): AgentFigures {
  return { platform: [], agent: [] }
}

export function printAgents({ figures, decision, budget, options, setting }: AgentsReport): void {
  const { database, rounds, seconds } = options
  const isPostgres = database === 'postgres'
  const of = (row: Row, what: keyof Figure) => median(figures[row].map((figure) => figure[what]))
  // Computed per round, because the machine is not equally busy in all rounds.
  const shares = figures.agent.map(({ perSecond }, n) => perSecond / figures.platform[n]!.perSecond)
  const cells = (row: Row): string[] => {
    const rates = figures[row].map(({ perSecond }) => perSecond)
    return [
      NAMES[row],
      whole(of(row, 'perSecond')),
      `${whole(Math.min(...rates))}-${whole(Math.max(...rates))}`,
      row === 'agent' ? median(shares).toFixed(2) : '1',
      whole(of(row, 'mainUs')),
      whole(of(row, 'othersUs')),
      ...(isPostgres ? [whole(of(row, 'postgresUs'))] : []),
    ]
  }
  process.stdout.write(`
Agents, on ${DATABASES[database]}: ${setting.connections} connections, ${setting.agents} agents of a customer each, ${count(rounds, 'round')} of ${seconds} s in turn, medians.
Load and server${isPostgres ? ', PostgreSQL too,' : ''} share ${availableParallelism()} cores. Times are µs of processor time per payment, beside what settles meanwhile.

${table([
  [
    '',
    'per second',
    'lowest-highest',
    "of the platform's",
    'main thread',
    isPostgres ? 'other threads' : 'database',
    ...(isPostgres ? ['PostgreSQL'] : []),
  ],
  ...ROWS.map(cells),
])}
One decision of a policy with all permissions, ${ACCOUNT_RULES} accounts, a rule for each, and all limits:
  median ${decision.median.toFixed(1)} µs, 99 of 100 within ${decision.p99.toFixed(1)} µs

A limit of the day for ${whole(budget.fit)} payments, asked for ${whole(budget.asked)} times at ${REQUESTS_PER_SECOND} requests a second, at ${count(setting.servers, 'server')}:
${table([
  ['requests per second, as sent', whole(budget.perSecond)],
  ['done', whole(budget.done)],
  ['denied', whole(budget.denied)],
  ['over the limit, in cents of the ledger', `${budget.over}`],
  ['usage in the record', budget.isUsageRight ? 'is what left the account' : 'is NOT what left the account'],
])}`)
}
