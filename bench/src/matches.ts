import type { OpenLine, OpenPayment } from '@countersign/server/operation/matches/signs'
import { suggestSorted } from '@countersign/server/operation/matches/suggest'
import { selectSides } from '@countersign/server/operation/reconciliations/store'
import { readIsoMessages } from '@countersign/server/outside/bank-files/formats/iso-messages'
import { readTwice } from '@countersign/server/outside/bank-files/formats/read-twice'
import { camtEntry, camtFile } from '@countersign/server/outside/bank-files/formats/samples.testing'
import type { Database } from '@countersign/server/storage/engine/port'
import { type Options, runOnServer } from './on-server.ts'
import { type SeededDay, seedStatement } from './seed.ts'
import { findMedian, formatInteger, formatTable } from './table.ts'

const LINES = 100_000
const SHORT_LINES = 2_000
/** Number of payments with the same amount. Their references distinguish them. */
const PER_AMOUNT = 10
/**
 * One line in 50 has a different amount than its payment, so neither of the two has a counterpart with the
 * same amount.
 */
const DIFFERENT_EVERY = 50
const DAY_MS = 24 * 60 * 60 * 1000

/** Seconds, and memory use in MiB after a tenth of the lines and after all of them. */
interface Measurement {
  readonly seconds: number
  readonly memory: readonly [number, number]
}

interface Round {
  readonly read: Measurement
  readonly compared: Measurement
  readonly matched: Measurement
}

/**
 * Measures in each round how fast a CAMT.053 statement is read, how fast it is compared with the same number
 * of payments in the database, and how fast matches are suggested if no line names its payment. The statement
 * is read twice, as by the server: once to validate it, and once for its records.
 */
export async function runMatches(options: Options): Promise<void> {
  const lines = options.isShort ? SHORT_LINES : LINES
  await runOnServer(
    options,
    async (db) => {
      const day = await seedStatement(db, lines, DIFFERENT_EVERY)
      const rounds: Round[] = []
      for (let n = 0; n < options.rounds; n++)
        rounds.push({
          compared: await compareDay(db, day, lines),
          read: await readStatement(lines),
          matched: suggestAll(lines),
        })
      return rounds
    },
    async ({ seeded }) => printRounds(lines, seeded),
  )
}

function printRounds(lines: number, rounds: readonly Round[]): void {
  const buildRow = (name: string, part: keyof Round) => [
    name,
    formatInteger(findMedian(rounds.map((round) => lines / round[part].seconds))),
    rounds.map((round) => `${round[part].memory.map(formatInteger).join(' → ')} MiB`).join(', '),
    findMedian(rounds.map((round) => round.read.seconds / round[part].seconds)).toFixed(2),
  ]
  process.stdout.write(
    `\n${formatInteger(lines)} lines of a statement, and as many payments.\n` +
      formatTable([
        ['', 'per second', 'memory from a tenth to the last', 'ratio'],
        buildRow('statement read', 'read'),
        buildRow('compared by the database', 'compared'),
        buildRow('matches suggested', 'matched'),
      ]),
  )
}

/**
 * Compares the day's lines with the payments that they name, as the server does after a statement has
 * arrived.
 */
async function compareDay(db: Database, { platform, query }: SeededDay, lines: number): Promise<Measurement> {
  const stopwatch = new Stopwatch(lines)
  stopwatch.recordCount(lines)
  const { items } = await selectSides({ db, platform }, query)
  if (items.length !== Math.floor(lines / DIFFERENT_EVERY))
    throw new Error(`${items.length} payments differ.`)
  return stopwatch.end()
}

async function readStatement(lines: number): Promise<Measurement> {
  const stopwatch = new Stopwatch(lines)
  let entries = 0
  for await (const message of readTwice(() => statementBytes(lines), readIsoMessages)) {
    if (message.of !== 'ACCOUNT' || message.record.type !== 'entry') continue
    entries++
    stopwatch.recordCount(entries)
  }
  if (entries !== lines) throw new Error(`${entries} of ${lines} entries were read.`)
  return stopwatch.end()
}

function suggestAll(lines: number): Measurement {
  const stopwatch = new Stopwatch(lines)
  let found = 0
  for (const { lines: matched } of suggestSorted(openLines(lines), openPayments(lines))) {
    found += matched.length
    stopwatch.recordCount(found)
  }
  if (found < lines - 2 * Math.ceil(lines / DIFFERENT_EVERY))
    throw new Error(`${found} of ${lines} lines were matched.`)
  return stopwatch.end()
}

/** Measures the elapsed time, and the memory use at two points. */
class Stopwatch {
  readonly #lines: number
  readonly #startedMs = performance.now()
  #early: number | undefined

  constructor(lines: number) {
    this.#lines = lines
  }

  recordCount(count: number): void {
    if (this.#early === undefined && count >= this.#lines / 10) this.#early = readResidentMib()
  }

  end(): Measurement {
    const late = readResidentMib()
    return { seconds: (performance.now() - this.#startedMs) / 1000, memory: [this.#early ?? late, late] }
  }
}

function readResidentMib(): number {
  return process.memoryUsage.rss() / 1024 ** 2
}

const getReference = (n: number) => `CS${n.toString(16).toUpperCase().padStart(10, '0')}`
const getAmount = (n: number) => BigInt(1000 + 2 * Math.floor(n / PER_AMOUNT))
const isDifferent = (n: number) => n % DIFFERENT_EVERY === DIFFERENT_EVERY - 1

/** Lines ordered by amount. Lines with the same amount are in a different order than their payments. */
function* openLines(count: number): Generator<OpenLine> {
  for (let n = 0; n < count; n++) {
    const payment = n - (n % PER_AMOUNT) + (PER_AMOUNT - 1 - (n % PER_AMOUNT))
    const amount = getAmount(n) + (isDifferent(n) ? 1n : 0n)
    yield { id: `line-${n}`, amount, atMs: DAY_MS, text: `SEPA order ${getReference(payment)} Ada Lovelace` }
  }
}

function* openPayments(count: number): Generator<OpenPayment> {
  for (let n = 0; n < count; n++) {
    const known = { references: [getReference(n)], names: ['Ada Lovelace'] }
    yield { id: `payment-${n}`, booked: getAmount(n), lineIds: [], lineSum: 0n, atMs: 0, ...known }
  }
}

/** A statement file with this number of entries, in chunks. */
async function* statementBytes(count: number): AsyncGenerator<Uint8Array> {
  const file = camtFile({ entries: [] })
  const end = file.indexOf('</Stmt>')
  yield Buffer.from(file.slice(0, end))
  for (let n = 0; n < count; n++) {
    const amount = `${getAmount(n) / 100n}.${String(getAmount(n) % 100n).padStart(2, '0')}`
    const transaction = { endToEndId: getReference(n), amount, debtor: 'Ada Lovelace', text: `Order ${n}` }
    const entry = {
      amount,
      direction: 'CRDT',
      servicerReference: `SVC-${n}`,
      transactions: [transaction],
    } as const
    yield Buffer.from(`${camtEntry(entry, '08')}\n`)
  }
  yield Buffer.from(file.slice(end))
}
