import { availableParallelism } from 'node:os'
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
import { CLIENTS, PGBENCH_SCALE, SIDES, WALLETS } from './payment-sides.ts'
import type { TpcB } from './pgbench.ts'
import { median, table, whole } from './table.ts'

export interface SignedOptions {
  /** About how long each part of a round runs. */
  readonly seconds: number
  readonly rounds: number
}

interface Round {
  readonly pgbench: TpcB
  readonly signed: Part
}

/** Measures the signed call of the execution of quotes beside pgbench on the same cluster, in turn. Prints a table. */
export async function runSigned({ seconds, rounds }: SignedOptions): Promise<void> {
  await SIDES.signed(true, async (side) => {
    const done: Round[] = []
    for (let n = 0; n < rounds; n++)
      done.push({
        pgbench: await side.pgbench(seconds),
        signed: await side.measure('signed', seconds),
      })
    print(done, seconds)
  })
}

function print(rounds: readonly Round[], seconds: number): void {
  const row = (name: string, pick: (value: (round: Round) => number) => number) => [
    name,
    whole(pick(({ pgbench }) => pgbench.perSecond)),
    whole(pick(({ signed }) => signed.perSecond)),
    whole(pick(({ signed }) => signed.settledPerSecond)),
    pick(({ signed, pgbench }) => signed.settledPerSecond / pgbench.perSecond).toFixed(2),
  ]
  const tpcB = median(rounds.map(({ pgbench }) => pgbench.postgresUs))
  const ofTpcB = median(rounds.map(({ signed, pgbench }) => signed.settled.postgresUs / pgbench.postgresUs))
  process.stdout.write(`
The signed call of the execution of a quote, until settled, beside pgbench (TPC-B, scale ${PGBENCH_SCALE}) on the same PostgreSQL, fsync on.
Quotes, first calls and signatures are made before and do not count. ${CLIENTS} clients, ${WALLETS} wallets, ${rounds.length} rounds of about
${seconds} s in turn. All of it shares ${availableParallelism()} cores.

${table([
  ['per second', 'pgbench', 'signed', 'settled', 'ratio'],
  ...rounds.map((round, n) => row(`round ${n + 1}`, (value) => value(round))),
  row('median', (value) => median(rounds.map(value))),
])}
${table([
  ['per payment', ''],
  ...figureRows(
    [...REQUEST_FIGURES.slice(2), ...CPU_FIGURES, ...POSTGRES_FIGURES, ...LOG_FIGURES],
    [rounds.map(({ signed }) => signed)],
  ),
])}
A transaction of pgbench takes ${whole(tpcB)} µs of PostgreSQL, a signed payment ${ofTpcB.toFixed(2)} of it.
${LOG_NOTE}

What a signed payment writes, table by table:
${tablesOf(rounds.map(({ signed }) => signed))}`)
}
