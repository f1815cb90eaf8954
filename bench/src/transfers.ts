import { type Call, type Figure, load, pickRandom } from './load.ts'
import { type Bench, type Options, runOnServer } from './on-server.ts'
import { Pgbench, type TpcB } from './pgbench.ts'
import { type Payer, seedPayers } from './seed.ts'
import { printTable } from './table.ts'

export const ACCOUNTS = 10_000
const SHORT_ACCOUNTS = 500
const WARM_UP_SECONDS = 2
let callCount = 0

/**
 * Measures durable `POST /transfer-out` calls from many accounts and from a single one. On PostgreSQL,
 * pgbench runs in the same rounds.
 */
export async function runTransfers(options: Options): Promise<void> {
  const { seconds, rounds, isShort } = options
  const accounts = isShort ? SHORT_ACCOUNTS : ACCOUNTS
  await runOnServer(
    options,
    (db) => seedPayers(db, accounts),
    async (bench) => {
      const pgbench = await Pgbench.prepare(bench.cluster, isShort)
      await transfers(bench, bench.seeded, isShort ? 2 : WARM_UP_SECONDS)
      const tpcB: TpcB[] = []
      const spread: Figure[] = []
      const hot: Figure[] = []
      for (let n = 0; n < rounds; n++) {
        if (pgbench) tpcB.push(await pgbench.measure(seconds))
        spread.push(await transfers(bench, bench.seeded, seconds))
        hot.push(await transfers(bench, bench.seeded.slice(0, 1), seconds))
      }
      printTable(
        `Durable POST /transfer-out over HTTP${pgbench ? ' next to pgbench (TPC-B) on the same PostgreSQL, fsync on' : ' on the embedded database'}.
32 connections, ${accounts} accounts, ${rounds} rounds of ${seconds} s in turn.`,
        [
          ...(pgbench ? [{ name: 'pgbench', figures: tpcB }] : []),
          { name: 'transfers', figures: spread },
          { name: 'transfers of one account', figures: hot },
        ],
      )
    },
  )
}

function transfers(
  bench: Bench<readonly Payer[]>,
  payers: readonly Payer[],
  seconds: number,
): Promise<Figure> {
  return load(bench.target, { seconds }, [() => buildTransferCall(pickRandom(payers))], bench.waitUntilIdle)
}

/** A payment of one cent from an account to its bank account, through the given network if any. */
export function buildTransferCall({ accountId, bankAccountId }: Payer, network?: string): Call {
  const destination = { accountId: bankAccountId, ...(network === undefined ? {} : { paymentRail: network }) }
  return {
    path: '/transfer-out',
    body: { source: { accountId }, destination, amount: 1 },
    headers: { 'Idempotency-Key': `transfer-${process.pid}-${callCount++}` },
    status: 201,
  }
}
