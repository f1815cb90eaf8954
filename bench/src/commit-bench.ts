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

/** Measures commits: starts a server on PostgreSQL, seeds it, wears the log in, and removes everything at the end. */
export async function onPostgres<Seeded>(
  clients: number,
  seed: (db: Database, cluster: Cluster) => Promise<Seeded>,
  run: (bench: CommitBench<Seeded>) => Promise<void>,
): Promise<void> {
  const place = await newPlace('postgres', CLUSTER_SETTINGS)
  let server: RunningProcess | undefined
  let db: Database | undefined
  try {
    const started = await startServer(place)
    server = started.server
    db = await openPostgres(place.cluster!.url, { poolMax: 1 })
    const seeded = await seed(db, place.cluster!)
    await wearInLog(db)
    const credentials = readCredentials(place, started.baseUrl)
    const { tokenId, clientSecret } = credentials
    const { origin, port, pathname } = new URL(started.baseUrl)
    const api = new Api(pathname, `${tokenId}:${clientSecret}`)
    const connections = await openConnections(Number(port), clients)
    const log = new Log(db, place.cluster!)
    await run({ seeded, db, log, server, credentials, api, origin, connections })
    for (const connection of connections) connection.close()
  } finally {
    await db?.close()
    await server?.stop()
    await place.remove()
  }
}
