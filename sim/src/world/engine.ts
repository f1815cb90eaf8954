import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Database } from '../../../server/src/storage/engine/port.ts'
import { Statements } from '../../../server/src/storage/engine/postgres-statements.ts'
import { SESSION_OPTIONS } from '../../../server/src/storage/engine/session.ts'
import { migrate } from '../../../server/src/storage/schema/migrate.ts'
import { freezeTime } from '../machine/globals.ts'
import { clearTables, prepareClearing } from './clearing.ts'

/**
 * The database for all runs of this process, which is empty when a run starts, and a folder for their files.
 */
export interface Engine {
  readonly db: Database
  readonly folder: string
  /** Empties all tables and the folder, so that no server reads another run's files. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** The simulated time at which every run begins. */
export const START_MS = Date.UTC(2026, 0, 15, 12)
/** If this folder exists, files in it are stored in memory. */
const IN_MEMORY = '/dev/shm'

/**
 * The server's embedded database, in memory and in this thread. The simulation around it causes losses of
 * data and connections.
 */
export async function openEngine(): Promise<Engine> {
  const folder = await mkdtemp(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'countersign-sim-'))
  const engine = await createEngine()
  const db = await connect(engine)
  await migrate(db)
  await prepareClearing(db)
  return {
    db,
    folder,
    async clear() {
      await clearTables(db)
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder)
    },
    async close() {
      await db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A database cluster that the engine has created, stored next to the program, because creating a cluster
 * takes far longer than reading one.
 */
const CLUSTER = fileURLToPath(new URL('./cluster.tar', import.meta.url))

async function createEngine(): Promise<PGlite> {
  if (!existsSync(CLUSTER)) await createCluster()
  freezeTime(START_MS)
  return await PGlite.create({ loadDataDir: new Blob([await readFile(CLUSTER)]) })
}

/** Creates the cluster in real time, because creating it fails while time is frozen. */
async function createCluster(): Promise<void> {
  const engine = await PGlite.create()
  const cluster = await engine.dumpDataDir('none')
  await engine.close()
  const tempFile = `${CLUSTER}.${process.pid}.part`
  await writeFile(tempFile, Buffer.from(await cluster.arrayBuffer()))
  await rename(tempFile, CLUSTER)
}

/**
 * Makes the database plan each statement only once. Otherwise it would plan many statements again for each
 * set of values, which takes longer than running them on tables with a few rows.
 */
const KEEPS_PLANS = '-c plan_cache_mode=force_generic_plan'

async function connect(engine: PGlite): Promise<Database> {
  const client = new pg.Client({
    stream: () => new EngineSocket(engine) as never,
    host: 'embedded',
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    options: `${SESSION_OPTIONS} ${KEEPS_PLANS}`,
  })
  await client.connect()
  const statements = new Statements((config) => client.query(config))
  return {
    kind: 'embedded',
    query: (sql, parameters) => statements.run(sql, parameters),
    script: async (sql) => {
      await client.query(sql)
    },
    close: async () => {
      await client.end()
      await engine.close()
    },
  }
}

/**
 * Replaces the socket that the pg client writes to. Data written together reaches the engine in one piece.
 */
class EngineSocket extends EventEmitter {
  readonly writable = true
  readonly #engine: PGlite
  #written: Uint8Array[] = []
  #isCorked = false

  constructor(engine: PGlite) {
    super()
    this.#engine = engine
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  setNoDelay(): void {}

  cork(): void {
    this.#isCorked = true
  }

  uncork(): void {
    this.#isCorked = false
    this.#flush()
  }

  write(bytes: Uint8Array, written?: () => void): boolean {
    this.#written.push(bytes)
    if (!this.#isCorked) this.#flush()
    written?.()
    return true
  }

  end(): void {
    process.nextTick(() => this.emit('close'))
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#written)
    this.#written = []
    const parts: Uint8Array[] = []
    // The first message of a connection has no type. The other messages are streamed, so that the engine's
    // own client does not read the responses.
    if (bytes[0] === 0) parts.push(this.#engine.execProtocolRawSync(bytes))
    else
      void this.#engine.execProtocolRawStream(bytes, {
        syncToFs: false,
        onRawData: (tempFile) => parts.push(Uint8Array.from(tempFile)),
      })
    if (parts.length > 0) this.emit('data', Buffer.concat(parts))
  }
}
