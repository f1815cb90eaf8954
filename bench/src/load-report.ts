import { availableParallelism } from 'node:os'
import type { Figure } from './measure.ts'
import type { DatabaseKind } from './server-process.ts'
import { median, ratio, table, whole } from './table.ts'

export interface LoadOptions {
  readonly database: DatabaseKind
  /** How long each part of a round runs. */
  readonly seconds: number
  readonly rounds: number
}

export const ROWS = ['bare', 'get', 'quote', 'execute', 'settled', 'verify'] as const
export type Row = (typeof ROWS)[number]
export type Figures = Record<Row, Figure[]>

interface Setting {
  readonly connections: number
  readonly wallets: number
  readonly bytes: number
}

export const DATABASES = { embedded: 'the embedded database', postgres: 'PostgreSQL' } as const

export function printLoad(figures: Figures, options: LoadOptions, setting: Setting): void {
  const of = (row: Row, what: keyof Figure) => median(figures[row].map((figure) => figure[what]))
  const rate = (row: Row) => of(row, 'perSecond')
  const names: Record<Row, string> = {
    bare: `bare Fastify route, the same ${setting.bytes} bytes`,
    get: 'GET /transactions/{id}',
    quote: 'POST /quotes, from a wallet',
    execute: 'execute a quote: 202, then the signature',
    settled: 'the same, until all have settled',
    verify: 'raw P-256 verifications, one core',
  }
  const cells = (row: Row): string[] => {
    const rates = figures[row].map(({ perSecond }) => perSecond)
    return [
      names[row],
      whole(rate(row)),
      `${whole(Math.min(...rates))}-${whole(Math.max(...rates))}`,
      ratio(rate(row), rate('bare')),
      ratio(rate(row), rate('verify')),
    ]
  }
  const { database, rounds, seconds } = options
  write(`
Under load, on ${DATABASES[database]}: ${setting.connections} connections, ${setting.wallets} wallets, ${count(rounds, 'round')} of ${seconds} s, medians.
Load and server share ${availableParallelism()} cores. Quotes are made, and signed for, before the executing is timed.

${table([['', 'per second', 'lowest-highest', 'of bare', 'of P-256'], ...ROWS.map(cells)])}
Where the time goes, in µs of processor time per piece of work:
${table([
  ['', 'main thread', ...(database === 'embedded' ? ['database'] : ['other threads'])],
  ...(['bare', 'get', 'quote', 'execute', 'settled'] as const).map((row) => [
    names[row],
    whole(of(row, 'mainUs')),
    whole(of(row, 'othersUs')),
  ]),
])}`)
  write(`${shares(of, database)}\n`)
}

/** Execution is timed while earlier payments settle, so its whole cost is that of settled payments. */
function shares(of: (row: Row, what: keyof Figure) => number, database: DatabaseKind): string {
  const main = of('settled', 'mainUs')
  const all = main + of('settled', 'othersUs')
  const http = 2 * of('bare', 'mainUs')
  const signature = of('verify', 'mainUs')
  const share = (part: number) => `${Math.round((100 * part) / all)} %`
  const parts = [
    `${share(signature)} checking one signature`,
    `${share(http)} the HTTP of two requests`,
    `${share(main - signature - http)} our own work on them and on the settlement`,
    ...(database === 'embedded'
      ? [`${share(all - main)} reading and committing in the database's thread`]
      : []),
  ]
  const rest =
    database === 'postgres' ? ' PostgreSQL works in its own processes, which are not included.' : ''
  return `  A signed payment until it has settled takes ${whole(all)} µs: ${parts.join(', ')}.${rest}`
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

function write(text: string): void {
  process.stdout.write(text)
}
