import { type Call, type Figure, load, pickRandom } from './load.ts'
import { type Bench, type Options, runOnServer } from './on-server.ts'
import { Pgbench, type TpcB } from './pgbench.ts'
import { type Payer, seedPayers } from './seed.ts'
import { printTable } from './table.ts'

export const ACCOUNT_COUNT = 10_000
const SHORT_ACCOUNTS = 500
const WARM_UP_SECONDS = 2
let callCount = 0

/**
 * Measures durable `POST /transfer-out` calls from many accounts and from a single one. On PostgreSQL,
 * pgbench runs in the same rounds.
 */
export async function runTransfers(options: Options): Promise<void> {
  const { seconds, rounds, isShort } = options
  const accounts = isShort ? SHORT_ACCOUNTS : ACCOUNT_COUNT
  await runOnServer(
    options,
    (db) => seedPayers(db, accounts),
    async (bench) => {
      const pgbench = await Pgbench.prepare(bench.cluster, isShort)
      await measureTransfers(bench, bench.seeded, isShort ? 2 : WARM_UP_SECONDS)
      const tpcB: TpcB[] = []
      const spread: Figure[] = []
      const hot: Figure[] = []
      for (let n = 0; n < rounds; n++) {
        if (pgbench) tpcB.push(await pgbench.measure(seconds))
        spread.push(await measureTransfers(bench, bench.seeded, seconds))
        hot.push(await measureTransfers(bench, bench.seeded.slice(0, 1), seconds))
      }
      printTable(
        `Durable POST /transfer-out over HTTP${pgbench ? ' alongside pgbench (TPC-B) on the same PostgreSQL, fsync on' : ' on the embedded database'}.
32 connections, ${accounts} accounts, ${rounds} alternating rounds of ${seconds} s.`,
        [
          ...(pgbench ? [{ name: 'pgbench', figures: tpcB }] : []),
          { name: 'transfers', figures: spread },
          { name: 'transfers from one account', figures: hot },
        ],
      )
    },
  )
}

function measureTransfers(
  bench: Bench<readonly Payer[]>,
  payers: readonly Payer[],
  seconds: number,
): Promise<Figure> {
  return load(bench.target, { seconds }, [() => buildTransferCall(pickRandom(payers))], bench.waitUntilIdle)
}

/** Builds a one-cent payout from an account to its bank account, optionally over a given network. */
export function buildTransferCall({ accountId, bankAccountId }: Payer, network?: string): Call {
  const destination = { accountId: bankAccountId, ...(network === undefined ? {} : { paymentRail: network }) }
  return {
    path: '/transfer-out',
    body: { source: { accountId }, destination, amount: 1 },
    headers: { 'Idempotency-Key': `transfer-${process.pid}-${callCount++}` },
    status: 201,
  }
}
