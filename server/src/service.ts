import { access, constants, mkdir } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { createTries, type TryLimits } from './agents/tries.ts'
import { type App, machineClock } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { createKeySource } from './crypto/oidc-keys.ts'
import { createCommitter } from './db/committer.ts'
import { createLookup } from './db/lookup.ts'
import { claimMode } from './db/mode.ts'
import { openDatabase } from './db/open.ts'
import type { Database } from './db/port.ts'
import { createRead } from './db/read.ts'
import { retrying } from './db/retry.ts'
import { migrate } from './db/schema/migrate.ts'
import { createDelivery } from './delivery/delivery.ts'
import { findOrMakeDataKeys } from './enclave/data-keys.ts'
import { openEnclave } from './enclave/in-process.ts'
import { findOrMakeMasterKey } from './enclave/master-key.ts'
import { reseal } from './enclave/reseal.ts'
import { baseUrlOf } from './first-platform.ts'
import { JOB_HANDLERS } from './handlers.ts'
import { createServer, type ServerOptions } from './http/server.ts'
import { createJobRunner, type JobRunner } from './jobs/runner.ts'
import { releaseClaims } from './jobs/store.ts'
import { createLog } from './observability/log.ts'
import { createMetrics } from './observability/metrics.ts'
import { getJsonFrom } from './outgoing/send.ts'
import { createConfigCache } from './platforms/config-cache.ts'
import { sandboxRail } from './rails/sandbox-rail.ts'
import { createHttpRates } from './rates/http-rates.ts'
import type { RateProvider } from './rates/rates.ts'
import { createSandboxRates } from './rates/sandbox-rates.ts'
import { createSandboxCardProcessor } from './sandbox/card-processor.ts'
import { advanceClock } from './sandbox/clock.ts'
import { Turns } from './turns.ts'

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
  options: ServerOptions & {
    logFile?: string
    wrapDatabase?: (db: Database) => Database
    /** In place of those of `agents/tries.ts`. */
    tryLimits?: TryLimits
    /** In place of that of `sandbox/clock.ts`. */
    advanceWebhooksMs?: number
  } = {},
): Promise<Service> {
  await makeDataDir(config.dataDir)
  const opened = await openDatabase(config)
  const bare = options.wrapDatabase?.(opened) ?? opened
  const db = retrying(bare)
  try {
    await migrate(db)
    await claimMode(db, config.mode)
    const masterKey = config.masterKey ?? (await findOrMakeMasterKey(config.dataDir))
    const dataKeys = await findOrMakeDataKeys(db, masterKey, machineClock())
    const enclave = await openEnclave(db, dataKeys, config.mode, machineClock())
    const isSandbox = config.mode === 'sandbox'
    const metrics = createMetrics(db, machineClock, config.mode)
    const lookup = createLookup(db)
    const app: App = {
      config,
      db,
      read: createRead(db),
      lookup,
      withConfig: createConfigCache(lookup),
      // It tries again by itself, and counts.
      committer: createCommitter(bare, metrics),
      enclave,
      log: createLog(config.logLevel, options.logFile),
      metrics,
      clock: machineClock,
      rates: createRates(config, (cause) => app.log.warn({ err: cause }, 'rates not fetched')),
      rail: isSandbox ? sandboxRail : undefined,
      cardProcessor: isSandbox ? createSandboxCardProcessor(enclave) : undefined,
      origin: () => config.publicUrl ?? addressOf(server, config),
      delivery: createDelivery(config),
      identityKeys: createKeySource({
        get: getJsonFrom('public'),
        clock: machineClock,
        onFailure: (issuer, cause) => app.log.warn({ err: cause, issuer }, 'keys of an issuer not fetched'),
      }),
      tries: createTries(machineClock, options.tryLimits),
      commit: (op, writes) => jobs.commit(op, writes),
      turns: new Turns(),
      wakeJobs: () => jobs.wake(),
      advanceClock: (platformId, target) =>
        advanceClock(app, jobs, platformId, target, options.advanceWebhooksMs),
    }
    const jobs = createJobRunner(app, JOB_HANDLERS)
    const server = createServer(app, options)
    let closing = false
    let resealed: Promise<void> | undefined
    server.addHook('onReady', async () => {
      if (db.kind === 'embedded') await releaseClaims(app)
      jobs.start()
      resealed = reseal(db, dataKeys, machineClock, () => closing).then(
        (count) => {
          if (count > 0) app.log.info({ count }, 'sealed under the newest data key')
        },
        (error) => app.log.error({ err: error }, 'sealing under the newest data key failed'),
      )
      // So that the first caller finds rates, and the operator a line in the log where there are none.
      app.rates?.snapshot().catch(() => {})
    })
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
        await resealed
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Where this process listens; with PUBLIC_URL callers come by another address. */
function addressOf(server: FastifyInstance, { host, port }: Config): string {
  const address = server.server.address()
  const listening = typeof address === 'object' && address !== null ? address.port : port
  return new URL(baseUrlOf(host, listening)).origin
}

/** The source of the settings; without one the sandbox has its own, production none. */
function createRates({ rates, mode }: Config, onFailure: (cause: unknown) => void): RateProvider | undefined {
  if (rates) return createHttpRates({ ...rates, get: getJsonFrom('any'), clock: machineClock, onFailure })
  return mode === 'sandbox' ? createSandboxRates(machineClock) : undefined
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.W_OK)
  } catch (error) {
    throw new ConfigError(`COUNTERSIGN_DATA_DIR cannot be used: ${(error as Error).message}`)
  }
}
