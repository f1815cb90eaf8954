import { randomBytes } from 'node:crypto'
import { access, constants, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type App, machineClock } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { createCommitter } from './db/committer.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { createRead } from './db/read.ts'
import { createDelivery } from './delivery/delivery.ts'
import { MasterKeyError, openEnclave } from './enclave/in-process.ts'
import { JOB_HANDLERS } from './handlers.ts'
import { createServer } from './http/server.ts'
import { createJobRunner, type JobRunner } from './jobs/runner.ts'
import { sandboxRail } from './rails/sandbox-rail.ts'
import { sandboxRates } from './rates/sandbox-rates.ts'
import { advanceClock } from './sandbox/clock.ts'

/** The service, put together: its database is open and migrated; it listens once `server.listen` is called. */
export interface Service {
  readonly app: App
  readonly jobs: JobRunner
  readonly server: FastifyInstance
  /** Drains requests, finishes due work that is under way, closes the database. */
  close(): Promise<void>
}

const MASTER_KEY_BYTES = 32

/** Throws ConfigError, MasterKeyError, or an error whose message is one line for the operator. */
export async function openService(
  config: Config,
  options: { checkAnswers?: boolean } = {},
): Promise<Service> {
  await makeDataDir(config.dataDir)
  const db = await openDatabase(config)
  try {
    await migrate(db)
    const masterKey = config.masterKey ?? (await findOrMakeMasterKey(config.dataDir))
    const enclave = await openEnclave(db, masterKey, config.mode, machineClock())
    const isSandbox = config.mode === 'sandbox'
    const app: App = {
      config,
      db,
      read: createRead(db),
      committer: createCommitter(db),
      enclave,
      log: pino({ level: config.logLevel }, pino.destination(2)),
      clock: machineClock,
      rates: isSandbox ? sandboxRates : undefined,
      rail: isSandbox ? sandboxRail : undefined,
      delivery: createDelivery(config),
      wakeJobs: () => jobs.wake(),
      advanceClock: (platformId, target) => advanceClock(app, jobs, platformId, target),
    }
    const jobs = createJobRunner(app, JOB_HANDLERS)
    const server = createServer(app, options)
    server.addHook('onReady', async () => jobs.start())
    let closing = false
    // Otherwise a connection that was busy at the signal would stay open for the client's next request.
    server.addHook('onSend', (_request, reply, _payload, done) => {
      if (closing) reply.header('Connection', 'close')
      done()
    })
    return {
      app,
      jobs,
      server,
      async close() {
        closing = true
        // For an answer whose head is out already.
        server.server.keepAliveTimeout = 1
        await server.close()
        await jobs.stop()
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.W_OK)
  } catch (error) {
    throw new ConfigError(`COUNTERSIGN_DATA_DIR cannot be used: ${(error as Error).message}`)
  }
}

/** The sandbox's own key: made once, readable by its owner alone. Production is given its key instead. */
async function findOrMakeMasterKey(dataDir: string): Promise<Uint8Array> {
  const path = join(dataDir, 'master.key')
  const text = (await readIfThere(path)) ?? (await makeMasterKey(dataDir, path))
  if (!/^[0-9a-f]{64}$/i.test(text.trim()))
    throw new MasterKeyError(
      `${path} does not hold a key, which is 64 hex digits: put the file back that was there.`,
    )
  return Buffer.from(text.trim(), 'hex')
}

/**
 * Of processes that make it at the same time, the first one's stands. The file appears with its whole content and is
 * on the disk before anything is sealed with it: without this key the database is lost.
 */
async function makeMasterKey(dataDir: string, path: string): Promise<string> {
  const temporary = `${path}.${process.pid}.new`
  await writeFile(temporary, randomBytes(MASTER_KEY_BYTES).toString('hex'), { mode: 0o600, flush: true })
  try {
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  const entries = await open(dataDir, 'r')
  await entries.sync()
  await entries.close()
  return readFile(path, 'utf8')
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
