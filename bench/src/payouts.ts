import { measureBulk } from './bulk-payouts.ts'
import { CONNECTIONS, type Figure, type Length, load, pickRandom } from './load.ts'
import { type Bench, type Options, runOnServer } from './on-server.ts'
import { ACCEPTED, Banks, DELIVERED, type PayoutResponse } from './payouts-bank.ts'
import { type Payer, seedPayers } from './seed.ts'
import { formatInteger, printTable } from './table.ts'
import { ACCOUNT_COUNT, buildTransferCall } from './transfers.ts'

const SHORT_ACCOUNTS = 500
const WARM_UP_SECONDS = 2
/** The maximum number of payouts per platform that can wait for a rail at the same time. */
const IN_PROGRESS_MAX = 256
/** The number of times a round fills the slow rail to capacity. */
const WAVES = 10
const SHORT_WAVES = 1
const [FAST_MS, SLOW_MS] = [50, 2000]
/** Payouts alternate between these account numbers. */
const ACCOUNT_NUMBERS = [DELIVERED.number, ACCEPTED.number]

/**
 * Measures the time until payouts settle, in a sandbox and on a production server. The production server's
 * rail is the example bank, a separate process with delayed responses. The two servers take turns, and each
 * has its own database.
 */
export async function runPayouts(options: Options): Promise<void> {
  const accounts = options.isShort ? SHORT_ACCOUNTS : ACCOUNT_COUNT
  await runOnServer(
    options,
    (db) => seedPayers(db, accounts),
    async (sandbox) => {
      await measureBulk(sandbox, options)
      const banks = await Banks.start()
      try {
        await runOnServer(
          options,
          (db) => seedPayers(db, accounts, { rail: DELIVERED.rail, numbers: ACCOUNT_NUMBERS }),
          (production) => measurePayouts({ sandbox, production, banks }, options),
          banks.setUp,
        )
      } finally {
        await banks.stop()
      }
    },
  )
}

interface PayoutServers {
  readonly sandbox: Bench<readonly Payer[]>
  readonly production: Bench<readonly Payer[]>
  readonly banks: Banks
}

/** The results of a round. */
interface Round {
  readonly sandbox: Figure
  readonly fast: Figure
  /** Like `fast`, but the response is ACCEPTED and an event reports the result. */
  readonly byEvent: Figure
  readonly slow: Figure
}

async function measurePayouts(servers: PayoutServers, { seconds, rounds, isShort }: Options): Promise<void> {
  const calls = IN_PROGRESS_MAX * (isShort ? SHORT_WAVES : WAVES)
  await runRound(servers, isShort ? 2 : WARM_UP_SECONDS, IN_PROGRESS_MAX)
  const results: Round[] = []
  for (let n = 0; n < rounds; n++) results.push(await runRound(servers, seconds, calls))
  const buildRow = (name: string, key: keyof Round) => ({
    name,
    figures: results.map((result) => result[key]),
  })
  printTable(
    `Payouts until they have settled, POST /transfer-out over HTTP: through the sandbox rail, and in production through the example bank.
${CONNECTIONS} connections, ${rounds} alternating rounds of ${seconds} s; ${formatInteger(calls)} payouts through the slow bank, which handles up to ${IN_PROGRESS_MAX} at a time.`,
    [
      buildRow('sandbox', 'sandbox'),
      buildRow(`DELIVERED after ${FAST_MS} ms`, 'fast'),
      buildRow(`ACCEPTED after ${FAST_MS} ms, then an event`, 'byEvent'),
      buildRow(`DELIVERED after ${SLOW_MS / 1000} s`, 'slow'),
    ],
  )
}

async function runRound(
  { sandbox, production, banks }: PayoutServers,
  seconds: number,
  calls: number,
): Promise<Round> {
  const pay = (bench: Bench<unknown>, payers: readonly Payer[], length: Length, network?: string) =>
    load(bench.target, length, [() => buildTransferCall(pickRandom(payers), network)], bench.waitUntilIdle)
  const payThroughBank = async (response: PayoutResponse, delayMs: number, length: Length) => {
    await banks.setDelay(response, delayMs)
    const payers = production.seeded.filter(
      (_, n) => ACCOUNT_NUMBERS[n % ACCOUNT_NUMBERS.length] === response.number,
    )
    return pay(production, payers, length, response.network)
  }
  return {
    sandbox: await pay(sandbox, sandbox.seeded, { seconds }),
    fast: await payThroughBank(DELIVERED, FAST_MS, { seconds }),
    byEvent: await payThroughBank(ACCEPTED, FAST_MS, { seconds }),
    slow: await payThroughBank(DELIVERED, SLOW_MS, { calls }),
  }
}
