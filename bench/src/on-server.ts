import { setTimeout } from 'node:timers/promises'
import { openEmbedded } from '@countersign/server/storage/engine/embedded'
import type { Database } from '@countersign/server/storage/engine/port'
import { openPostgres } from '@countersign/server/storage/engine/postgres'
import { buildAuthorization, settleSandbox, type Target } from './load.ts'
import { fillLog, LOG_SETTINGS } from './seed.ts'
import {
  type Cluster,
  type Credentials,
  createDeployment,
  type DatabaseKind,
  type Deployment,
  type RunningProcess,
  readCredentials,
  startServer,
} from './server-process.ts'

/** Cluster settings with which all tables fit into PostgreSQL's cache, and no timed checkpoints occur. */
const CLUSTER_SETTINGS = { shared_buffers: '1GB', checkpoint_timeout: '1h', ...LOG_SETTINGS }
const POLL_MS = 20
/**
 * Finds due jobs, and payouts that have not finished at their rail, because these payments have not settled.
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
  /** Resolves once no due work remains. */
  waitUntilIdle(): Promise<void>
}

/** The settings and credentials of a server. */
export interface ServerSetup {
  /** Settings that override the defaults of its folder. */
  env(deployment: Deployment): Promise<Readonly<Record<string, string>>>
  /** Returns the credentials of its platform, creating the platform if necessary. */
  credentials(deployment: Deployment, baseUrl: string): Promise<Credentials>
}

export const SANDBOX: ServerSetup = {
  env: async () => ({}),
  credentials: async (deployment, baseUrl) => readCredentials(deployment, baseUrl),
}

/**
 * Starts a server, creates its data, runs the bench, and removes everything. `settings` are for PostgreSQL.
 */
export async function runOnServer<Seeded>(
  { database, isShort }: Options,
  seed: (db: Database) => Promise<Seeded>,
  run: (bench: Bench<Seeded>) => Promise<void>,
  setUp: ServerSetup = SANDBOX,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const base = await createDeployment(database, { ...CLUSTER_SETTINGS, ...settings })
  const deployment = { ...base, env: { ...base.env, ...(await setUp.env(base)) } }
  const { cluster } = deployment
  let server: RunningProcess | undefined
  let db: Database | undefined
  try {
    let started = await startServer(deployment)
    server = started.server
    const credentials = await setUp.credentials(deployment, started.baseUrl)
    if (cluster) db = await openPostgres(cluster.url, { poolMax: 1 })
    // Only one process at a time can open the embedded database.
    else await server.stop()
    const seedDb = db ?? (await openEmbedded(deployment.dataDir))
    const seeded = await seed(seedDb)
    if (!db) {
      await seedDb.close()
      started = await startServer(deployment)
      server = started.server
    } else if (!isShort) await fillLog(db)
    const { baseUrl } = started
    const target = { baseUrl, pid: server.pid, authorization: buildAuthorization(credentials) }
    const waitUntilIdle = db ? () => waitUntilDone(db) : () => settleSandbox(target)
    await run({ seeded, target, credentials: { ...credentials, baseUrl }, cluster, waitUntilIdle })
  } finally {
    await db?.close()
    await server?.stop()
    await deployment.remove()
  }
}

async function waitUntilDone(db: Database | undefined): Promise<void> {
  while (db && (await db.query(OPEN_WORK)).rows.length > 0) await setTimeout(POLL_MS)
}
