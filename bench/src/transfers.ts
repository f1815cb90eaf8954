import { availableParallelism } from 'node:os'
import { embeddedTransfers } from './embedded-transfers.ts'
import type { Part } from './part.ts'
import {
  CPU_FIGURES,
  figureRows,
  LOG_FIGURES,
  LOG_NOTE,
  POSTGRES_FIGURES,
  REQUEST_FIGURES,
  tablesOf,
} from './part-report.ts'
import { ACCOUNTS, CLIENTS, PGBENCH_SCALE, SIDES } from './payment-sides.ts'
import type { TpcB } from './pgbench.ts'
import type { DatabaseKind } from './server-process.ts'
import { median, table, whole } from './table.ts'

export interface TransfersOptions {
  /** Undefined: PostgreSQL, and the embedded database for a round at the end. */
  readonly database: DatabaseKind | undefined
  /** How long each part of a round runs. */
  readonly seconds: number
  readonly rounds: number
}

interface Round {
  readonly pgbench: TpcB
  readonly spread: Part
  readonly hot: Part
}

/** Measures durable `POST /transfer-out`, on PostgreSQL beside pgbench on the same cluster, in turn. Prints tables. */
export async function runTransfers({ database, seconds, rounds }: TransfersOptions): Promise<void> {
  if (database !== 'embedded') {
    await SIDES.transfers(true, async (side) => {
      const done: Round[] = []
      for (let n = 0; n < rounds; n++) {
        done.push({
          pgbench: await side.pgbench(seconds),
          spread: await side.measure('spread', seconds),
          hot: await side.measure('hot', seconds),
        })
      }
      print(done, seconds)
    })
  }
  if (database !== 'postgres') await printEmbedded(seconds, database === undefined ? 1 : rounds)
}

function print(rounds: readonly Round[], seconds: number): void {
  const row = (name: string, pick: (value: (round: Round) => number) => number) => [
    name,
    whole(pick(({ pgbench }) => pgbench.perSecond)),
    whole(pick(({ spread }) => spread.perSecond)),
    pick(({ spread, pgbench }) => spread.perSecond / pgbench.perSecond).toFixed(2),
    whole(pick(({ spread }) => spread.settledPerSecond)),
    pick(({ spread, pgbench }) => spread.settledPerSecond / pgbench.perSecond).toFixed(2),
    whole(pick(({ hot }) => hot.perSecond)),
    whole(pick(({ hot }) => hot.settledPerSecond)),
    pick(({ hot, spread }) => hot.settledPerSecond / spread.settledPerSecond).toFixed(2),
  ]
  const parts = [rounds.map(({ spread }) => spread), rounds.map(({ hot }) => hot)]
  const tpcB = median(rounds.map(({ pgbench }) => pgbench.postgresUs))
  const ofTpcB = median(rounds.map(({ spread, pgbench }) => spread.settled.postgresUs / pgbench.postgresUs))
  process.stdout.write(`
Durable POST /transfer-out over HTTP beside pgbench (TPC-B, scale ${PGBENCH_SCALE}) on the same PostgreSQL, fsync on.
${CLIENTS} clients, ${whole(ACCOUNTS)} accounts, ${rounds.length} rounds of ${seconds} s in turn. All of it shares ${availableParallelism()} cores.

${table([
  [
    'per second',
    'pgbench',
    'transfers',
    'ratio',
    'settled',
    'ratio',
    'one hot account',
    'settled',
    'of spread',
  ],
  ...rounds.map((round, n) => row(`round ${n + 1}`, (value) => value(round))),
  row('median', (value) => median(rounds.map(value))),
])}
Settled is the rate until the last transfer of a part has settled. The settling runs beside the requests.

${table([
  ['per transfer', 'spread', 'hot account'],
  ...figureRows([...REQUEST_FIGURES.slice(2), ...CPU_FIGURES, ...POSTGRES_FIGURES, ...LOG_FIGURES], parts),
])}
A transaction of pgbench takes ${whole(tpcB)} µs of PostgreSQL, a settled transfer ${ofTpcB.toFixed(2)} of it.
${LOG_NOTE}

What a settled transfer writes, spread, table by table:
${tablesOf(parts[0]!)}`)
}

async function printEmbedded(seconds: number, rounds: number): Promise<void> {
  const done = await embeddedTransfers(seconds, rounds)
  const parts = [done.map(({ spread }) => spread), done.map(({ hot }) => hot)]
  process.stdout.write(`
The same on the embedded database, ${rounds} round${rounds === 1 ? '' : 's'} of ${seconds} s; its thread is among the others.
${table([
  ['per transfer', 'spread', 'hot account'],
  ...figureRows(
    [...REQUEST_FIGURES, ...CPU_FIGURES].filter(({ of }) => !Number.isNaN(of(done[0]!.spread))),
    parts,
  ),
])}`)
}
