import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { WorkerStream } from './embedded-stream.ts'
import { acquireLock, type Lock } from './lock.ts'
import type { Database } from './port.ts'
import { Statements } from './postgres-statements.ts'

const CHECKPOINT_INTERVAL_MS = 5_000
const VACUUM_INTERVAL_MS = 15_000
/** The PostgreSQL inside @electric-sql/pglite. Its files are not readable by another major version. */
const POSTGRES_VERSION = '18'

/**
 * The embedded database of `dataDir`, made on first use: its files in `db/`, beside them `countersign.lock`. Rejects
 * with one line when another process has it open. An answered write is on the disk.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let stop = (_error: Error): void => {}
  const lock = acquireLock(join(folder, 'countersign.lock'), () => {
    stop(new Error(`another process has taken over ${folder}`))
  })
  try {
    await createFiles(folder)
    const engine = await Engine.start(join(folder, 'db'))
    stop = (error) => engine.fail(error)
    return await connect(engine, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Makes `db/`, in a worker of its own whose memory (three times that of the running database) goes with it. The
 * marker stands for as long as the files are not complete: files that it is found beside were never used.
 */
async function createFiles(folder: string): Promise<void> {
  const directory = join(folder, 'db')
  const marker = join(folder, 'db.incomplete')
  if (existsSync(marker)) await rm(directory, { recursive: true, force: true })
  else if (existsSync(join(directory, 'PG_VERSION'))) return checkFiles(directory)
  else if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new Error(`${directory} is not a database: move it away, or choose another COUNTERSIGN_DATA_DIR`)
  }
  const file = await open(marker, 'w')
  await file.sync()
  await file.close()
  const worker = startWorker({ directory, create: true })
  try {
    await nextEvent(worker, 'created')
  } finally {
    await worker.terminate()
  }
  await rm(marker)
}

function checkFiles(directory: string): void {
  const version = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim()
  if (version !== POSTGRES_VERSION) {
    throw new Error(`${directory} is of PostgreSQL ${version}, and this version reads ${POSTGRES_VERSION}`)
  }
}

async function connect(engine: Engine, lock: Lock): Promise<Database> {
  // Everything that pg would otherwise take from PG… variables of the environment is given here.
  const client = new pg.Client({
    stream: () => engine.stream,
    pipeline: true,
    host: 'embedded',
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    options: '-c TimeZone=UTC',
  })
  client.on('error', () => {})
  await client.connect()
  const statements = new Statements((config) => client.query(config))
  let closed: Promise<void> | undefined
  const close = async () => {
    await client.end()
    await engine.close()
    lock.release()
  }
  return {
    kind: 'embedded',
    query: async (sql, parameters) => {
      engine.assertRunning()
      return statements.run(sql, parameters)
    },
    script: async (sql) => {
      engine.assertRunning()
      // Sent as one simple query, which PostgreSQL runs as one transaction.
      await client.query(sql)
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** The worker, and what to do when it ends unasked: every statement under way and every later one fails. */
class Engine {
  readonly stream: WorkerStream
  readonly #worker: Worker
  #failure: Error | undefined

  static async start(directory: string): Promise<Engine> {
    const worker = startWorker({ directory })
    await nextEvent(worker, 'open')
    return new Engine(worker)
  }

  private constructor(worker: Worker) {
    this.#worker = worker
    this.stream = new WorkerStream(worker)
    worker.on('error', (error) => this.fail(error))
    worker.on('message', (message: { event?: string; message?: string }) => {
      if (message.event === 'warning') process.emitWarning(`embedded database: ${message.message}`)
    })
  }

  fail(cause: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = new Error(`the embedded database has stopped: ${cause.message}`, { cause })
    this.stream.destroy(this.#failure)
    void this.#worker.terminate()
  }

  assertRunning(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  async close(): Promise<void> {
    if (this.#failure !== undefined) return
    const closed = nextEvent(this.#worker, 'closed')
    this.#worker.postMessage('close')
    await closed
    await this.#worker.terminate()
  }
}

function startWorker(data: { directory: string; create?: boolean }): Worker {
  return new Worker(new URL('./embedded-worker.mjs', import.meta.url), {
    workerData: {
      ...data,
      checkpointIntervalMs: CHECKPOINT_INTERVAL_MS,
      vacuumIntervalMs: VACUUM_INTERVAL_MS,
    },
  })
}

function nextEvent(worker: Worker, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the embedded database has ended')))
    worker.on('message', (message: { event?: string }) => {
      if (message.event === name) resolve()
    })
  })
}
