import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keysOf } from '@countersign/contract/core/objects'
import type { Database } from '@countersign/server/storage/engine/port'
import { openPostgres } from '@countersign/server/storage/engine/postgres'
import { type AgentPayer, buildAgentSteps, makeAgentPayer } from './agents.ts'
import { buildAuthorizationCall } from './cards.ts'
import { type Call, cycle, send, type Target } from './load.ts'
import { type Bench, type Options, runOnServer } from './on-server.ts'
import { makePayers } from './payers.ts'
import { type Payer, seedCards, seedPayers } from './seed.ts'
import { ROOT } from './server-process.ts'
import { prepareSignedCalls } from './signed.ts'
import { printCounts } from './table.ts'
import { buildTransferCall } from './transfers.ts'
import { COUNT_SETTINGS, type Counts, canCountWrites, countWrites } from './write-counts.ts'

/** The counts by kind of work. */
export type AllCounts = Readonly<Record<string, Counts>>

const FILE = join(ROOT, 'ratchets.json')
const SECTION = 'counts per payment'
/** Only a few accounts, so that rows that are written once per account already exist after the warm-up. */
const ACCOUNTS = 4
const WARM_UP_PIECES = 20
const PIECES = 200

interface SeededRecords {
  readonly payers: readonly Payer[]
  readonly cards: readonly string[]
  readonly db: Database
}

/**
 * Prints the writes of a payment, which do not depend on the machine, and compares them with `ratchets.json`.
 * With `--lower`, stores lower counts there.
 */
export async function runCounts({ lower, ...options }: Options & { readonly lower: boolean }): Promise<void> {
  const counts = await measureCounts(options)
  if (!counts) throw new Error('Counting needs PostgreSQL 15 with pg_walinspect and pg_stat_statements.')
  for (const [name, kindCounts] of Object.entries(counts)) printCounts(name, kindCounts)
  const file = readFile()
  if (lower) {
    writeFileSync(FILE, `${JSON.stringify({ ...file, [SECTION]: counts }, null, 2)}\n`)
    return
  }
  const differences = compareCounts(counts, file[SECTION] ?? {})
  if (differences.length > 0) throw new Error(differences.join('\n'))
}

function readFile(): { readonly [SECTION]?: AllCounts } {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
}

export function readCounts(): AllCounts {
  return readFile()[SECTION] ?? {}
}

/**
 * Repeats each kind of work with a single caller while the database's writes are counted. Undefined if this
 * PostgreSQL cannot count them. `plant` is SQL to run first.
 */
export async function measureCounts(
  options: Options,
  { plant = '', kinds = keysOf(KINDS) }: { plant?: string; kinds?: readonly (keyof typeof KINDS)[] } = {},
): Promise<AllCounts | undefined> {
  const counts: Record<string, Counts> = {}
  let canCount = true
  await runOnServer(
    { ...options, isShort: true },
    async (db) => {
      canCount = await canCountWrites(db)
      const payers = await seedPayers(db, ACCOUNTS)
      return { payers, cards: await seedCards(db, ACCOUNTS) }
    },
    async (bench) => {
      if (!canCount || !bench.cluster) return
      const db = await openPostgres(bench.cluster.url, { poolMax: 1 })
      try {
        if (plant) await db.script(plant)
        for (const kind of kinds) counts[kind] = await countKind(KINDS[kind], bench, { ...bench.seeded, db })
      } finally {
        await db.close()
      }
    },
    undefined,
    COUNT_SETTINGS,
  )
  return canCount ? counts : undefined
}

/** Does one unit of work. */
type WorkUnit = () => Promise<void>
type Kind = (bench: Bench<unknown>, seeded: SeededRecords, pieces: number) => Promise<WorkUnit>

async function countKind(kind: Kind, bench: Bench<unknown>, seeded: SeededRecords): Promise<Counts> {
  const runUnit = await kind(bench, seeded, WARM_UP_PIECES + PIECES)
  const runPieces = async (pieces: number) => {
    for (let n = 0; n < pieces; n++) await runUnit()
    await bench.waitUntilIdle()
    await flushRequestLog(bench.target)
  }
  await runPieces(WARM_UP_PIECES)
  return countWrites(seeded.db, PIECES, () => runPieces(PIECES))
}

/** Searches the request log, which first writes all requests logged so far. */
async function flushRequestLog({ baseUrl, authorization }: Target): Promise<void> {
  const response = await fetch(`${baseUrl}/requests?limit=1`, { headers: { authorization } })
  if (!response.ok) throw new Error(`The server returned ${response.status}: ${await response.text()}`)
}

const KINDS = {
  transfer: async ({ target }, { payers }) => {
    const next = cycle(payers)
    return () => sendCall(target, buildTransferCall(next()))
  },
  'signed payment': async ({ target, credentials }, _, pieces) => {
    const next = cycle(await prepareSignedCalls(target, await makePayers(credentials, ACCOUNTS), pieces))
    return () => sendCall(target, next())
  },
  'card authorization': async ({ target }, { cards }) => {
    const next = cycle(cards)
    return () => sendCall(target, buildAuthorizationCall(next()))
  },
  "agent's payment": async ({ target, credentials }) => {
    const payer = await makeAgentPayer(credentials, 0)
    return prepareAgentPayment({ ...target, authorization: `Bearer ${payer.accessToken}` }, payer)
  },
} as const satisfies Readonly<Record<string, Kind>>

function prepareAgentPayment(target: Target, payer: AgentPayer): WorkUnit {
  const { quote, execute } = buildAgentSteps('/agents/me', [payer])
  return async () => sendCall(target, execute(await send(target, quote())))
}

async function sendCall(target: Target, call: Call): Promise<void> {
  await send(target, call)
}

/**
 * The compared totals. Deletions are not compared, because a background job deletes the rows of several
 * payments together.
 */
const TOTAL_COLUMNS = ['inserts', 'updates', 'indexEntries', 'logBytes', 'statements', 'commits'] as const
/**
 * The log bytes of a single table are not compared, because they depend on how full the table's pages are.
 */
const TABLE_COLUMNS = ['inserts', 'updates', 'indexEntries'] as const
/** The measured averages differ between runs by less than this. */
const NOISE = { ratio: 0.02, count: 0.1 }
const ADVICE = 'If this is intended, run: npm run bench -- counts --lower'

/** Lists the numbers that differ from the stored ones, one per line. */
export function compareCounts(measured: AllCounts, stored: AllCounts): string[] {
  return Object.entries(measured).flatMap(([kind, { total, tables }]) => {
    const storedCounts = stored[kind]
    if (!storedCounts) return [`${kind}: not in ratchets.json. ${ADVICE}`]
    const names = new Set([...Object.keys(tables), ...Object.keys(storedCounts.tables)])
    return [
      ...compareNumbers(kind, TOTAL_COLUMNS, total, storedCounts.total),
      ...[...names].flatMap((name) =>
        compareNumbers(`${kind}, ${name}`, TABLE_COLUMNS, tables[name], storedCounts.tables[name]),
      ),
    ]
  })
}

function compareNumbers<Name extends string>(
  subject: string,
  names: readonly Name[],
  measured: { readonly [N in Name]: number } | undefined,
  stored: { readonly [N in Name]: number } | undefined,
): string[] {
  return names.flatMap((name) => {
    const [value, limit] = [measured?.[name] ?? 0, stored?.[name] ?? 0]
    if (Math.abs(value - limit) <= NOISE.count + limit * NOISE.ratio) return []
    const problem = value > limit ? 'a payment may not cost more' : 'the lower number can be kept'
    return [`${subject}: ${value} ${name} instead of ${limit}: ${problem}. ${ADVICE}`]
  })
}
