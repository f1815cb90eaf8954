import { access, constants, mkdir } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type App, machineClock } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { createKeySource } from './crypto/oidc-keys.ts'
import { createCommitter } from './db/committer.ts'
import { migrate } from './db/migrate.ts'
import { claimMode } from './db/mode.ts'
import { openDatabase } from './db/open.ts'
import { createRead } from './db/read.ts'
import { createDelivery } from './delivery/delivery.ts'
import { openEnclave } from './enclave/in-process.ts'
import { findOrMakeMasterKey } from './enclave/master-key.ts'
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

/** Throws ConfigError, MasterKeyError, or an error whose message is one line for the operator. */
export async function openService(
  config: Config,
  options: { checkAnswers?: boolean; logFile?: string } = {},
): Promise<Service> {
  await makeDataDir(config.dataDir)
  const db = await openDatabase(config)
  try {
    await migrate(db)
    await claimMode(db, config.mode)
    const masterKey = config.masterKey ?? (await findOrMakeMasterKey(config.dataDir))
    const enclave = await openEnclave(db, masterKey, config.mode, machineClock())
    const isSandbox = config.mode === 'sandbox'
    const app: App = {
      config,
      db,
      read: createRead(db),
      committer: createCommitter(db),
      enclave,
      log: pino({ level: config.logLevel }, pino.destination(options.logFile ?? 2)),
      clock: machineClock,
      rates: isSandbox ? sandboxRates : undefined,
      rail: isSandbox ? sandboxRail : undefined,
      delivery: createDelivery(config),
      identityKeys: createKeySource({
        fetch,
        clock: machineClock,
        onFailure: (issuer, cause) => app.log.warn({ err: cause, issuer }, 'keys of an issuer not fetched'),
      }),
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
