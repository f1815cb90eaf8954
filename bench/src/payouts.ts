import { measureBulk } from './bulk-payouts.ts'
import { anyOf, CONNECTIONS, type Figure, type Length, load } from './load.ts'
import { type Bench, type Options, onServer } from './on-server.ts'
import { ACCEPTED, type Answering, Banks, DELIVERED } from './payouts-bank.ts'
import { type Payer, seedPayers } from './seed.ts'
import { formatInteger, printTable } from './table.ts'
import { ACCOUNTS, transferCall } from './transfers.ts'

const SHORT_ACCOUNTS = 500
const WARM_UP_SECONDS = 2
/** The maximum number of a platform's payouts that wait for their rail at the same time. */
const IN_PROGRESS_MAX = 256
/** The number of times that the slow rail is filled in one part. */
const WAVES = 10
const SHORT_WAVES = 1
const [FAST_MS, SLOW_MS] = [50, 2000]
/** The account numbers to which payouts go, in turn. */
const NUMBERS = [DELIVERED.number, ACCEPTED.number]

/**
 * Measures payouts until they have settled, in a sandbox and on a production server. The latter's rail is the
 * example bank, a separate process that responds late. The two take turns, each with its own database.
 */
export async function runPayouts(options: Options): Promise<void> {
  const accounts = options.isShort ? SHORT_ACCOUNTS : ACCOUNTS
  await onServer(
    options,
    (db) => seedPayers(db, accounts),
    async (sandbox) => {
      await measureBulk(sandbox, options)
      const banks = await Banks.start()
      try {
        await onServer(
          options,
          (db) => seedPayers(db, accounts, { rail: DELIVERED.rail, numbers: NUMBERS }),
          (production) => measure({ sandbox, production, banks }, options),
          banks.setUp,
        )
      } finally {
        await banks.stop()
      }
    },
  )
}

interface Sides {
  readonly sandbox: Bench<readonly Payer[]>
  readonly production: Bench<readonly Payer[]>
  readonly banks: Banks
}

/** The columns of a round. */
interface Round {
  readonly sandbox: Figure
  readonly fast: Figure
  /** Like `fast`, but the response has the status ACCEPTED, and an event follows. */
  readonly byEvent: Figure
  readonly slow: Figure
}

async function measure(sides: Sides, { seconds, rounds, isShort }: Options): Promise<void> {
  const calls = IN_PROGRESS_MAX * (isShort ? SHORT_WAVES : WAVES)
  await round(sides, isShort ? 2 : WARM_UP_SECONDS, IN_PROGRESS_MAX)
  const done: Round[] = []
  for (let n = 0; n < rounds; n++) done.push(await round(sides, seconds, calls))
  const row = (name: string, key: keyof Round) => ({ name, figures: done.map((one) => one[key]) })
  printTable(
    `Payouts until they have settled, POST /transfer-out over HTTP: by the sandbox's rail, and in production by the example bank.
${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s in turn; ${formatInteger(calls)} payouts by the slow bank, which has up to ${IN_PROGRESS_MAX} at the same time.`,
    [
      row('sandbox', 'sandbox'),
      row(`DELIVERED after ${FAST_MS} ms`, 'fast'),
      row(`ACCEPTED after ${FAST_MS} ms, then an event`, 'byEvent'),
      row(`DELIVERED after ${SLOW_MS / 1000} s`, 'slow'),
    ],
  )
}

async function round({ sandbox, production, banks }: Sides, seconds: number, calls: number): Promise<Round> {
  const pay = (bench: Bench<unknown>, payers: readonly Payer[], length: Length, network?: string) =>
    load(bench.target, length, [() => transferCall(anyOf(payers), network)], bench.waitUntilIdle)
  const payBy = async (bank: Answering, answerMs: number, length: Length) => {
    await banks.behave(bank, answerMs)
    const payers = production.seeded.filter((_, n) => NUMBERS[n % NUMBERS.length] === bank.number)
    return pay(production, payers, length, bank.network)
  }
  return {
    sandbox: await pay(sandbox, sandbox.seeded, { seconds }),
    fast: await payBy(DELIVERED, FAST_MS, { seconds }),
    byEvent: await payBy(ACCEPTED, FAST_MS, { seconds }),
    slow: await payBy(DELIVERED, SLOW_MS, { calls }),
  }
}
