import { availableParallelism } from 'node:os'
import { PAUSE_MS } from '../../console/src/data/paced-reads.ts'
import { type Figure, load, pickRandom } from './load.ts'
import { type Bench, type Options, runOnServer } from './on-server.ts'
import { type ConsolePage, OpenConsole, readPage, signIn } from './open-console.ts'
import { type Payer, seedPayers } from './seed.ts'
import { readPostgresTime, readProcessorTime } from './server-process.ts'
import { findMedian, printTable } from './table.ts'
import { ACCOUNT_COUNT, buildTransferCall } from './transfers.ts'

const SHORT_ACCOUNTS = 500
const WARM_UP_SECONDS = 2
const READS = 20
const PAGES = ['overview', 'transactions'] as const satisfies readonly ConsolePage[]

/** Measures durable `POST /transfer-out` calls alone and with one open console page, in the same rounds. */
export async function runConsole(options: Options): Promise<void> {
  const { seconds, rounds, isShort } = options
  const accounts = isShort ? SHORT_ACCOUNTS : ACCOUNT_COUNT
  await runOnServer(
    options,
    (db) => seedPayers(db, accounts),
    async (bench) => {
      await measureTransfers(bench, WARM_UP_SECONDS)
      const withoutPage: Figure[] = []
      const withPage = PAGES.map((page) => ({ page, figures: [] as Figure[], readMs: [] as number[] }))
      for (let n = 0; n < rounds; n++) {
        withoutPage.push(await measureTransfers(bench, seconds))
        for (const { page, figures, readMs } of withPage) {
          const open = await OpenConsole.open(bench.credentials, page)
          figures.push(await measureTransfers(bench, seconds))
          await open.close()
          readMs.push(...open.readMs)
        }
      }
      printTable(
        `Durable POST /transfer-out over HTTP, alone and with one open page of the console.
32 connections, ${accounts} accounts, ${rounds} alternating rounds of ${seconds} s.`,
        [
          { name: 'transfers', figures: withoutPage },
          ...withPage.map(({ page, figures }) => ({ name: `transfers, ${page} open`, figures })),
        ],
      )
      for (const { page, readMs } of withPage) await printCost(bench, page, readMs)
    },
  )
}

function measureTransfers(bench: Bench<readonly Payer[]>, seconds: number): Promise<Figure> {
  return load(
    bench.target,
    { seconds },
    [() => buildTransferCall(pickRandom(bench.seeded))],
    bench.waitUntilIdle,
  )
}

/** Prints the cost of the requests of an open page, measured without any other load. */
async function printCost(
  { target: { pid }, credentials }: Bench<unknown>,
  page: ConsolePage,
  readMs: readonly number[],
): Promise<void> {
  const member = await signIn(credentials)
  const readCpuUs = () => {
    const { main, others } = readProcessorTime(pid)
    return main + others + readPostgresTime()
  }
  await readPage(member, page)
  const before = readCpuUs()
  for (let n = 0; n < READS; n++) await readPage(member, page)
  const eachMs = (readCpuUs() - before) / READS / 1000
  const share = (100 * eachMs) / PAUSE_MS / availableParallelism()
  process.stdout.write(
    `  ${page}: ${readMs.length} reads under load, ${findMedian(readMs).toFixed(0)} ms each; ${eachMs.toFixed(1)} ms of processor time for a read, ${share.toFixed(2)} % of all cores\n`,
  )
}
