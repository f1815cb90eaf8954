import { setTimeout } from 'node:timers/promises'
import { openEmbedded } from '@countersign/server/storage/engine/embedded'
import type { Database } from '@countersign/server/storage/engine/port'
import { openPostgres } from '@countersign/server/storage/engine/postgres'
import { basic, settleSandbox, type Target } from './load.ts'
import { LOG_SETTINGS, wearInLog } from './seed.ts'
import {
  type Cluster,
  type Credentials,
  type DatabaseKind,
  newPlace,
  type Place,
  type RunningProcess,
  readCredentials,
  startServer,
} from './server-process.ts'

/**
 * Settings for every database of the cluster: all tables fit into PostgreSQL's cache, and there are no timed
 * checkpoints.
 */
const CLUSTER_SETTINGS = { shared_buffers: '1GB', checkpoint_timeout: '1h', ...LOG_SETTINGS }
const POLL_MS = 20
/**
 * Finds due jobs, and payouts that have not finished at their rail, because those payments have not settled.
 */
const OPEN_WORK = `SELECT 1 FROM rail_payments WHERE state IN ('GIVEN', 'ACCEPTED')
  UNION ALL SELECT 1 FROM jobs WHERE due_at <= now() LIMIT 1`

export interface Options {
  readonly database: DatabaseKind
  /** Seconds per part of a round. */
  readonly seconds: number
  readonly rounds: number
  /**
   * True for a run of a few seconds that only shows that the bench works, with little data and no warm-up.
   */
  readonly isShort: boolean
}

/** A running server with accounts. */
export interface Bench<Seeded> {
  readonly seeded: Seeded
  readonly target: Target
  readonly credentials: Credentials
  readonly cluster: Cluster | undefined
  /** Resolves once no due work is left. */
  waitUntilIdle(): Promise<void>
}

/** The setup of a server. */
export interface SetUp {
  /** Settings that override the defaults of its folder. */
  env(place: Place): Promise<Readonly<Record<string, string>>>
  /** Returns the credentials of its platform, creating the platform if necessary. */
  credentials(place: Place, baseUrl: string): Promise<Credentials>
}

const SANDBOX: SetUp = {
  env: async () => ({}),
  credentials: async (place, baseUrl) => readCredentials(place, baseUrl),
}

/**
 * Starts a server, creates its data, runs the bench, and removes everything. `settings` are for PostgreSQL.
 */
export async function onServer<Seeded>(
  { database, isShort }: Options,
  seed: (db: Database) => Promise<Seeded>,
  run: (bench: Bench<Seeded>) => Promise<void>,
  setUp: SetUp = SANDBOX,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const bare = await newPlace(database, { ...CLUSTER_SETTINGS, ...settings })
  const place = { ...bare, env: { ...bare.env, ...(await setUp.env(bare)) } }
  const { cluster } = place
  let server: RunningProcess | undefined
  let db: Database | undefined
  try {
    let started = await startServer(place)
    server = started.server
    const credentials = await setUp.credentials(place, started.baseUrl)
    if (cluster) db = await openPostgres(cluster.url, { poolMax: 1 })
    // Only one process at a time can open the embedded database.
    else await server.stop()
    const seeding = db ?? (await openEmbedded(place.dataDir))
    const seeded = await seed(seeding)
    if (!db) {
      await seeding.close()
      started = await startServer(place)
      server = started.server
    } else if (!isShort) await wearInLog(db)
    const { baseUrl } = started
    const target = { baseUrl, pid: server.pid, authorization: basic(credentials) }
    const waitUntilIdle = db ? () => untilDone(db) : () => settleSandbox(target)
    await run({ seeded, target, credentials: { ...credentials, baseUrl }, cluster, waitUntilIdle })
  } finally {
    await db?.close()
    await server?.stop()
    await place.remove()
  }
}

async function untilDone(db: Database | undefined): Promise<void> {
  while (db && (await db.query(OPEN_WORK)).rows.length > 0) await setTimeout(POLL_MS)
}
