import type { Database } from '@countersign/server/db/engine/port'
import { openPostgres } from '@countersign/server/db/engine/postgres'
import { type Connection, openConnections } from './connections.ts'
import { Log } from './log.ts'
import { Api } from './payments.ts'
import { LOG_SETTINGS, wearInLog } from './seed.ts'
import {
  type Cluster,
  type Credentials,
  newPlace,
  type Place,
  type RunningProcess,
  readCredentials,
  startServer,
} from './server-process.ts'

/** For every database of the cluster: all tables fit into PostgreSQL's own cache, and no checkpoint comes by its time. */
const CLUSTER_SETTINGS = { shared_buffers: '1GB', checkpoint_timeout: '1h', ...LOG_SETTINGS }

/** A server on its own cluster, with the seeded accounts and connections to it. */
export interface CommitBench<Seeded> {
  readonly seeded: Seeded
  readonly db: Database
  readonly log: Log
  readonly server: RunningProcess
  readonly credentials: Credentials
  readonly api: Api
  /** The origin of the server. */
  readonly origin: string
  readonly connections: readonly Connection[]
}

/** What kind of server is started. */
export interface SetUp {
  /** Settings beside those of its place. */
  env(place: Place): Promise<Readonly<Record<string, string>>>
  /** Its platform, which is there afterwards. */
  credentials(place: Place, baseUrl: string): Promise<Credentials>
}

const SANDBOX: SetUp = {
  env: async () => ({}),
  credentials: async (place, baseUrl) => readCredentials(place, baseUrl),
}

/** Measures commits: starts a server on PostgreSQL, seeds it, wears the log in, and removes everything at the end. */
export async function onPostgres<Seeded>(
  clients: number,
  seed: (db: Database, cluster: Cluster) => Promise<Seeded>,
  run: (bench: CommitBench<Seeded>) => Promise<void>,
  setUp: SetUp = SANDBOX,
): Promise<void> {
  const bare = await newPlace('postgres', CLUSTER_SETTINGS)
  const place = { ...bare, env: { ...bare.env, ...(await setUp.env(bare)) } }
  let server: RunningProcess | undefined
  let db: Database | undefined
  let connections: readonly Connection[] = []
  try {
    const started = await startServer(place)
    server = started.server
    db = await openPostgres(place.cluster!.url, { poolMax: 1 })
    const credentials = await setUp.credentials(place, started.baseUrl)
    const seeded = await seed(db, place.cluster!)
    await wearInLog(db)
    const { tokenId, clientSecret } = credentials
    const { origin, port, pathname } = new URL(started.baseUrl)
    const api = new Api(pathname, `${tokenId}:${clientSecret}`)
    connections = await openConnections(Number(port), clients)
    const log = new Log(db, place.cluster!)
    await run({ seeded, db, log, server, credentials, api, origin, connections })
  } finally {
    // A server that stops waits for those who have a connection.
    for (const connection of connections) connection.close()
    await db?.close()
    await server?.stop()
    await place.remove()
  }
}
