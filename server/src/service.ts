import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type App, machineClock } from './app.ts'
import type { Config } from './config.ts'
import { createCommitter } from './db/committer.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { createRead } from './db/read.ts'
import { openEnclave } from './enclave/in-process.ts'
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
export async function openService(config: Config, options: { checkAnswers?: boolean } = {}): Promise<Service> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
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
      wakeJobs: () => jobs.wake(),
      advanceClock: (platformId, target) => advanceClock(app, jobs, platformId, target),
    }
    const jobs = createJobRunner(app, JOB_HANDLERS)
    const server = createServer(app, options)
    server.addHook('onReady', async () => jobs.start())
    return {
      app,
      jobs,
      server,
      async close() {
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

/** The sandbox's own key: made once, readable by its owner alone. Production is given its key instead. */
async function findOrMakeMasterKey(dataDir: string): Promise<Uint8Array> {
  const path = join(dataDir, 'master.key')
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(randomBytes(MASTER_KEY_BYTES).toString('hex'))
    await file.sync()
    await file.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from((await readFile(path, 'utf8')).trim(), 'hex')
}
