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
import { standStill } from '../machine/globals.ts'
import { clear, prepareClearing } from './clearing.ts'

/** The database under all runs of this process, which begin with an empty one, and a folder for their files. */
export interface Engine {
  readonly db: Database
  readonly folder: string
  /** Empties all tables, and the folder: otherwise starting servers would read the files of another run. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Every run begins at this moment. */
export const START_MS = Date.UTC(2026, 0, 15, 12)
/** If this folder exists, its files are in memory. */
const IN_MEMORY = '/dev/shm'

/**
 * The server's embedded database, without a disk and in this thread: the simulation above it decides about
 * losses.
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
      await clear(db)
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
 * A database cluster as the engine creates it, stored next to the program: creating it takes far longer than
 * reading it.
 */
const CLUSTER = fileURLToPath(new URL('./cluster.tar', import.meta.url))

async function createEngine(): Promise<PGlite> {
  if (!existsSync(CLUSTER)) await makeCluster()
  standStill(START_MS)
  return await PGlite.create({ loadDataDir: new Blob([await readFile(CLUSTER)]) })
}

/** Creates the cluster in real time: it is refused while time is frozen. */
async function makeCluster(): Promise<void> {
  const engine = await PGlite.create()
  const cluster = await engine.dumpDataDir('none')
  await engine.close()
  const part = `${CLUSTER}.${process.pid}.part`
  await writeFile(part, Buffer.from(await cluster.arrayBuffer()))
  await rename(part, CLUSTER)
}

/**
 * The database plans each statement once. Otherwise it would plan many of them again for each set of values,
 * which costs more than the statement on tables of a few rows.
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
 * The engine as the socket that pg's client writes to. Data written together reaches the engine in one piece.
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
    this.#give()
  }

  write(bytes: Uint8Array, written?: () => void): boolean {
    this.#written.push(bytes)
    if (!this.#isCorked) this.#give()
    written?.()
    return true
  }

  end(): void {
    process.nextTick(() => this.emit('close'))
  }

  #give(): void {
    const bytes = Buffer.concat(this.#written)
    this.#written = []
    const parts: Uint8Array[] = []
    // The first message of a connection has no type. The others are not read by the engine's own client as well.
    if (bytes[0] === 0) parts.push(this.#engine.execProtocolRawSync(bytes))
    else
      void this.#engine.execProtocolRawStream(bytes, {
        syncToFs: false,
        onRawData: (part) => parts.push(Uint8Array.from(part)),
      })
    if (parts.length > 0) this.emit('data', Buffer.concat(parts))
  }
}
