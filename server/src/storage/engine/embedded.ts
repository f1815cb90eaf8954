import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { copyDatabaseFiles } from './copy-files.ts'
import { WorkerStream } from './embedded-stream.ts'
import { acquireLock, type Lock, LockHeldError } from './lock.ts'
import { type Database, NoConnection } from './port.ts'
import { Statements } from './postgres-statements.ts'
import { SESSION_OPTIONS } from './session.ts'

const WORKER = new URL('./embedded-worker.mjs', import.meta.url)
/** The name prefix of folders with unfinished files, which were never used. */
const UNFINISHED = 'db.new-'
/** Marks a database moved to PostgreSQL, so that it cannot be used by mistake. */
export const MOVED_FILE = 'moved-to-postgres'
const CHECKPOINT_INTERVAL_MS = 5_000
const VACUUM_INTERVAL_MS = 15_000
/** The PostgreSQL version inside @electric-sql/pglite. Other major versions cannot read its files. */
const POSTGRES_VERSION = '18'
const LOG_FILE_BYTES = 16 * 1024 * 1024

async function openFolder(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (existsSync(join(folder, MOVED_FILE)))
    throw new Error(
      `${folder} was moved to PostgreSQL: set DATABASE_URL. Remove ${join(folder, MOVED_FILE)} to use this database as it was before the move.`,
    )
  let stop = (_error: Error): void => {}
  const lock = acquireLock(join(folder, 'countersign.lock'), () => {
    stop(new Error(`the lock of ${folder} is missing or belongs to another process`))
  })
  try {
    await createFiles(folder)
    const files = join(folder, 'db')
    const engine = await Engine.start(files)
    stop = (error) => engine.fail(error)
    return await connect(engine, files, lock).catch((error) => {
      engine.fail(error)
      throw error
    })
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Opens the embedded database of `dataDir`, creating it on first use. Its files are in `db/`, next to
 * `countersign.lock`; acknowledged writes are on disk. Rejects with a one-line message if another process has
 * the database open, or the disk is full.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const folder = resolve(dataDir)
  try {
    return await openFolder(folder)
  } catch (error) {
    if (error instanceof LockHeldError || !isFull(folder)) throw error
    throw new Error(`the disk of ${folder} is full: free some space, then start again`, { cause: error })
  }
}

/** True if the disk has no room for another log file. The engine does not report why a write failed. */
function isFull(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < LOG_FILE_BYTES
}

/**
 * Creates `db/` unless it exists. The files are created under another name and then renamed, so `db/` is
 * never incomplete, even if this process is killed and its child process runs on for a moment next to a
 * successor.
 */
async function createFiles(folder: string): Promise<void> {
  const directory = join(folder, 'db')
  if (existsSync(join(directory, 'PG_VERSION'))) return checkFiles(directory)
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new Error(`${directory} is not a database: move it away, or choose another COUNTERSIGN_DATA_DIR.`)
  }
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(UNFINISHED)) continue
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const unfinished = await mkdtemp(join(folder, UNFINISHED))
  await runProgram(fileURLToPath(WORKER), unfinished)
  await rename(unfinished, directory)
  const folderHandle = await open(folder, 'r')
  await folderHandle.sync()
  await folderHandle.close()
}

function runProgram(file: string, parameter: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The child's stdin stays open as long as this process lives, so it notices when this process dies.
    const child = spawn(process.execPath, [file, parameter], { stdio: ['pipe', 'ignore', 'pipe'] })
    let errorOutput = ''
    child.stderr.on('data', (text) => {
      errorOutput += text
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`could not create the embedded database: ${errorOutput.trim() || code}`))
    })
  })
}

function checkFiles(directory: string): void {
  const version = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim()
  if (version !== POSTGRES_VERSION) {
    throw new Error(
      `${directory} was created by PostgreSQL ${version}, but this version reads ${POSTGRES_VERSION}.`,
    )
  }
}

async function connect(engine: Engine, files: string, lock: Lock): Promise<Database> {
  // Sets everything that pg would otherwise read from PG… environment variables.
  const client = new pg.Client({
    stream: () => engine.stream,
    pipeline: true,
    host: 'embedded',
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    options: SESSION_OPTIONS,
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
    stopped: engine.stopped,
    query: async (sql, parameters) => {
      engine.assertRunning()
      return statements.run(sql, parameters)
    },
    script: async (sql) => {
      engine.assertRunning()
      // A simple query, which PostgreSQL runs as one transaction.
      await client.query(sql)
    },
    copyFiles: async (target) => {
      engine.assertRunning()
      await engine.hold()
      try {
        await copyDatabaseFiles(files, target)
      } finally {
        engine.release()
      }
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** The worker thread. If it ends unexpectedly, all pending and later statements fail. */
class Engine {
  readonly stream: WorkerStream
  readonly #worker: Worker
  #failure: Error | undefined
  readonly stopped: Promise<Error>
  #resolveStopped: (failure: Error) => void = () => {}

  /** Compiled by the first worker of the process, which halves the startup time of later ones. */
  static #code: WebAssembly.Module | undefined

  static async start(directory: string): Promise<Engine> {
    const worker = startWorker(directory, Engine.#code)
    const { code } = await waitForWorkerEvent(worker, 'open')
    Engine.#code = code
    return new Engine(worker)
  }

  private constructor(worker: Worker) {
    this.#worker = worker
    this.stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve
    })
    this.stream = new WorkerStream(worker)
    worker.on('error', (error) => this.fail(error))
    worker.on('exit', () => this.fail(new Error('its thread exited')))
    worker.on('message', (message: WorkerEvent) => {
      if (message.event === 'failed') this.fail(new Error(message.message))
      if (message.event === 'warning') process.emitWarning(`embedded database: ${message.message}`)
    })
  }

  fail(cause: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = new Error(`the embedded database has stopped: ${cause.message}`, { cause })
    this.stream.destroy(this.#failure)
    this.#resolveStopped(this.#failure)
    void this.#worker.terminate()
  }

  assertRunning(): void {
    if (this.#failure !== undefined) throw new NoConnection(this.#failure.message, { cause: this.#failure })
  }

  /** Runs a checkpoint and blocks further ones until `release`. */
  async hold(): Promise<void> {
    const ready = waitForWorkerEvent(this.#worker, 'held')
    this.#worker.postMessage('hold')
    await ready
  }

  release(): void {
    if (this.#failure === undefined) this.#worker.postMessage('release')
  }

  async close(): Promise<void> {
    if (this.#failure !== undefined) return
    this.#failure = new Error('the database is closed')
    const closed = waitForWorkerEvent(this.#worker, 'closed')
    this.#worker.postMessage('close')
    await closed
    await this.#worker.terminate()
  }
}

/** Messages of the worker other than responses of the database. */
interface WorkerEvent {
  readonly event?: string
  readonly message?: string
  readonly code?: WebAssembly.Module
}

function startWorker(directory: string, code: WebAssembly.Module | undefined): Worker {
  return new Worker(WORKER, {
    workerData: {
      directory,
      code,
      checkpointIntervalMs: CHECKPOINT_INTERVAL_MS,
      vacuumIntervalMs: VACUUM_INTERVAL_MS,
    },
  })
}

function waitForWorkerEvent(worker: Worker, name: string): Promise<WorkerEvent> {
  return new Promise((resolve, reject) => {
    const removeListeners = () => worker.off('error', fail).off('exit', onExit).off('message', onMessage)
    const fail = (error: Error) => {
      removeListeners()
      reject(error)
    }
    const onExit = () => fail(new Error('the embedded database exited'))
    const onMessage = (message: WorkerEvent) => {
      if (message.event === 'failed') fail(new Error(`the embedded database has stopped: ${message.message}`))
      if (message.event !== name) return
      removeListeners()
      resolve(message)
    }
    worker.on('error', fail).on('exit', onExit).on('message', onMessage)
  })
}
