import { access, constants, mkdir } from 'node:fs/promises'
import { RailsFile } from '@countersign/contract/connectors/rails-file'
import { createWireSpelling } from '@countersign/contract/core/wire-word'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../base/settings/config.ts'
import { ConfigError } from '../../base/settings/config-error.ts'
import { createRequestLog } from '../../kernel/audit/request-log.ts'
import { findOrMakeDataKeys } from '../../kernel/enclave/data-keys.ts'
import { openEnclave } from '../../kernel/enclave/in-process.ts'
import type { Keyring } from '../../kernel/enclave/keyring.ts'
import { findOrMakeMasterKey } from '../../kernel/enclave/master-key.ts'
import { reseal } from '../../kernel/enclave/reseal.ts'
import { openSpool, type Spool } from '../../kernel/files/spool.ts'
import { type App, machineClock, newRequestId } from '../../kernel/operation/app.ts'
import { Workers } from '../../kernel/operation/background.ts'
import { FairGate, type GateSize } from '../../kernel/operation/fair-gate.ts'
import { Turns } from '../../kernel/operation/turns.ts'
import { createJobRunner, type JobRunner } from '../../kernel/outbox/job-runner.ts'
import { releaseClaims } from '../../kernel/outbox/store.ts'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { AttemptLimits } from '../../kernel/ports/failed-attempts.ts'
import type { FileStore } from '../../kernel/ports/file-store.ts'
import type { Rails } from '../../kernel/ports/rail.ts'
import { type Opening, startOpeningAccounts } from '../../money/deposits/open-missing-accounts.ts'
import { RailRegistry } from '../../money/rails/registry.ts'
import { startStatementPolling } from '../../operation/reconciliations/statement-polling.ts'
import { startBankFileWorker } from '../../outside/bank-files/bank-file-worker.ts'
import { findFollowedBlock } from '../../outside/chains/records.ts'
import { startChainWorker } from '../../outside/chains/worker/start-chain-worker.ts'
import { loadRails } from '../../outside/connectors/load-rails.ts'
import type { Loading } from '../../outside/connectors/loading.ts'
import { type OpenedScreening, openScreening } from '../../outside/providers/open-screening.ts'
import { advanceClock } from '../../outside/sandbox/clock.ts'
import { sandboxRail, sandboxRails } from '../../outside/sandbox/rail.ts'
import { sandboxScreening } from '../../outside/sandbox/screening.ts'
import { createConfigCache } from '../../people/platforms/config-cache.ts'
import { findOldestPlatform } from '../../people/platforms/platforms.ts'
import { Sender } from '../../people/webhook-endpoints/sender.ts'
import { createEventStreams } from '../../people/webhooks/event-streams.ts'
import { SeriesThread } from '../../people/webhooks/series-thread.ts'
import { claimMode } from '../../storage/engine/mode.ts'
import { openDatabase } from '../../storage/engine/open.ts'
import type { Database } from '../../storage/engine/port.ts'
import { withRetries } from '../../storage/engine/retry.ts'
import { createRead } from '../../storage/read/read.ts'
import type { Replica } from '../../storage/read/replica.ts'
import { assertDistributed } from '../../storage/schema/citus.ts'
import { continueFeed } from '../../storage/schema/continue-feed.ts'
import { migrate } from '../../storage/schema/migrate.ts'
import { validator } from '../http/request/validate.ts'
import { createLog } from '../observability/log.ts'
import { createMetrics } from '../observability/metrics.ts'
import { openOutput } from '../observability/output.ts'
import type { OpenedTracing } from '../observability/tracing.ts'
import { createFailedAttempts } from '../rate-limits/failed-attempts.ts'
import { RequestLimits } from '../rate-limits/request-limits.ts'
import { startBackgroundWork } from './background-work.ts'
import { warnOfDatabase } from './database-warnings.ts'
import { formatBaseUrl } from './first-platform.ts'
import { Shutdown } from './graceful-shutdown.ts'
import { HANDLERS, JOB_HANDLERS, WEBHOOK_RESPONSE_RULES } from './handlers.ts'
import { createServer, type ServerOptions } from './http-server.ts'
import { findOpenFilesMax } from './open-files.ts'
import { createFileStore, createOutside } from './outside.ts'
import { openReplica } from './replica.ts'
import { closeTraces, openStorage, openTraces, type Storage } from './traces.ts'

/** Validates a rails file. Throws an error that names the field. */
const checkRailsFile = validator(RailsFile, 'body')

/**
 * The assembled service. Its database is open and migrated, and it listens once `server.listen` is called.
 */
export interface Service {
  readonly app: App
  readonly jobs: JobRunner
  readonly server: FastifyInstance
  /**
   * Reloads RAILS_FILE. Payments in progress stay on their rail. If it throws ConfigError, nothing has
   * changed.
   */
  reloadRails(): Promise<void>
  /** Reloads SCREENING_FILE. If it throws ConfigError, nothing has changed. */
  reloadScreening(): Promise<void>
  /**
   * Resolves with the reason if the embedded database has stopped permanently. The process must then exit.
   */
  readonly stopped: Promise<Error> | undefined
  /**
   * Announces the shutdown while still serving requests: `/readyz` returns 503, and each response closes its
   * connection.
   */
  drain(): void
  /**
   * Finishes the requests and jobs in progress, and closes the database. Idle connections are closed
   * immediately, busy ones after `COUNTERSIGN_STOP_SECONDS` at the latest.
   */
  close(): Promise<void>
}

type ServiceOptions = ServerOptions & {
  logFile?: string
  /** Replaces `openDatabase` of `engine/open.ts`. */
  openDatabase?: (config: Config) => Promise<Database>
  /** Replaces `ATTEMPT_LIMITS` of `ports/failed-attempts.ts`. */
  attemptLimits?: AttemptLimits
  /** Replaces `GATE_SIZE` of `operation/fair-gate.ts`. */
  gateSize?: GateSize
  /** The program of a thread that sends webhooks; without it the main thread sends them. */
  webhookThread?: URL
  /** Replaces the limit in `sandbox/clock.ts`. */
  advanceWebhooksMs?: number
}

/** Throws ConfigError, MasterKeyError, or an error with a one-line message for the operator. */
export async function openService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  await makeDataDir(config.dataDir)
  const bare = await (options.openDatabase ?? openDatabase)(config)
  try {
    const db = withRetries(bare)
    const stepsLeft = await migrate(db)
    await assertDistributed(db)
    const isRestored = await continueFeed(db)
    await claimMode(db, config.mode)
    const masterKey = config.masterKey ?? (await findOrMakeMasterKey(config.dataDir))
    const dataKeys = await findOrMakeDataKeys(db, masterKey, machineClock())
    const enclave = await openEnclave(db, dataKeys, config.mode, machineClock())
    const fileStore = await createFileStore(config)
    const spool = await openSpool(config.dataDir, newRequestId(machineClock()))
    const metrics = createMetrics(db, machineClock, config.mode)
    const log = createLog(config.logLevel, openOutput(options.logFile ?? 2, metrics.logLinesDropped))
    await warnOfDatabase(db, config, log, { isRestored, stepsLeft })
    const tracing = await openTraces(config, metrics, log)
    const replica = await openReplica(db, config, metrics, log, tracing)
    const loading: Loading = {
      environment: process.env,
      check: checkRailsFile,
      clock: machineClock,
      enclave,
      followedBlock: (rail) => findFollowedBlock({ db }, rail),
      ...{ log, tracing },
      onNodeAlert: (rail) => metrics.chainAlert(rail, 'nodes'),
    }
    const rails = await openRails(config, db, loading)
    const screened = await openScreened(config, log)
    const storage = openStorage({ bare, db, metrics, tracing })
    return assemble(config, options, {
      ...{ bare, db, storage, dataKeys, enclave, fileStore, spool, rails, replica },
      ...{ metrics, log, tracing, loading, screened },
      openFilesMax: options.openFilesMax ?? (await findOpenFilesMax()),
    })
  } catch (error) {
    await bare.close()
    throw error
  }
}

/** The opened parts of the service. */
interface Stores {
  /** The database without retries. `db` retries. */
  readonly bare: Database
  readonly db: Database
  readonly storage: Storage
  readonly dataKeys: Keyring
  readonly enclave: Enclave
  readonly fileStore: FileStore
  readonly spool: Spool
  readonly rails: Rails
  readonly replica: Replica | undefined
  readonly metrics: App['metrics']
  readonly log: App['log']
  readonly tracing: OpenedTracing | undefined
  /** The context for loading the rails file. */
  readonly loading: Loading
  readonly screened: OpenedScreening | undefined
  readonly openFilesMax: number | undefined
}

/** Assembles the service. Parts that depend on each other look each other up on first use. */
function assemble(config: Config, options: ServiceOptions, stores: Stores): Service {
  const { bare, db, enclave, fileStore, spool, rails, replica, metrics, log, tracing, screened } = stores
  const { readApart, ...storage } = stores.storage
  const { openFilesMax } = stores
  const wire = createWireSpelling(config.wireWord)
  const requestLog = createRequestLog(db, config.requestLogDays, metrics)
  const app: App = {
    config,
    requestLog,
    wire,
    ...storage,
    replica,
    withConfig: createConfigCache(storage.lookup),
    enclave,
    ...{ log, metrics, tracing },
    clock: machineClock,
    fileStore,
    spool,
    rails,
    screening: screened?.screening,
    ...createOutside(config, enclave, log),
    origin: () => config.publicUrl ?? getListenUrl(server, config),
    eventStreams: createEventStreams({ read: readApart, wire, log }),
    failedAttempts: createFailedAttempts(machineClock, options.attemptLimits),
    commit: (op, writes) => jobs.commit(op, writes),
    turns: new Turns(),
    gate: new FairGate(options.gateSize),
    wakeJobs: () => jobs.wake(),
    workers: new Workers(),
    advanceClock: (platformId, target) =>
      advanceClock(app, { jobs, sender }, platformId, target, options.advanceWebhooksMs),
  }
  const jobs = createJobRunner(app, JOB_HANDLERS)
  const thread = options.webhookThread && new SeriesThread(options.webhookThread)
  const sender = new Sender(app, WEBHOOK_RESPONSE_RULES, thread?.send)
  const leaving = new Shutdown()
  const limits = new RequestLimits(config.requestLimits, machineClock, newRequestId(machineClock()))
  const server = createServer(app, HANDLERS, {
    ...options,
    openFilesMax,
    leaving,
    limits,
    logRequest: requestLog.add,
  })
  return {
    app,
    jobs,
    server,
    stopped: bare.stopped,
    drain: () => leaving.begin(),
    ...startService(server, app, jobs, { sender, thread, leaving, limits, stores }),
  }
}

/** Opens the sandbox's rails, or the rails in the operator's file. */
async function openRails(config: Config, db: Database, loading: Loading): Promise<Rails> {
  if (config.mode === 'sandbox' && !config.railsFile) return sandboxRails
  const read = createRead(db)
  let oldest: string | undefined
  const registry = new RailRegistry(
    async () => {
      // The oldest platform never changes.
      oldest ??= await findOldestPlatform(read)
      return oldest
    },
    config.mode === 'sandbox' ? sandboxRail : undefined,
  )
  if (config.railsFile) await fillRails(registry, config.railsFile, config.mode, loading)
  return registry
}

/** Opens address screening: the sandbox's list, or the configured sources. Throws ConfigError. */
async function openScreened(
  { mode, screening }: Config,
  log: App['log'],
): Promise<OpenedScreening | undefined> {
  if (mode === 'sandbox') return { screening: sandboxScreening }
  return (
    screening &&
    openScreening(screening, machineClock, (cause) =>
      log.error({ err: cause }, 'failed to refresh screened addresses'),
    )
  )
}

/** Loads the rails file. Throws ConfigError. */
async function fillRails(
  registry: RailRegistry,
  path: string,
  mode: Config['mode'],
  loading: Loading,
): Promise<void> {
  const rails = await loadRails(path, loading)
  const bankRail = rails.find(({ entry }) => entry.kind !== 'evm')
  if (mode === 'sandbox' && bankRail)
    throw new ConfigError(
      `RAILS_FILE, rail ${bankRail.name}: kind ${bankRail.entry.kind} is only available in production. A sandbox can only have chains.`,
    )
  const faucet = rails.find(({ entry }) => entry.kind === 'evm' && entry.faucet !== undefined)
  if (mode === 'production' && faucet)
    throw new ConfigError(`RAILS_FILE, rail ${faucet.name}: a faucet is only available in a sandbox.`)
  registry.replace(rails)
}

/** Parts that run alongside the app. */
interface Companions {
  readonly sender: Sender
  readonly thread: SeriesThread | undefined
  readonly leaving: Shutdown
  readonly limits: RequestLimits
  readonly stores: Stores
}

/** Starts the workers of a server. Returns the one that must be restarted with the rails, if any. */
function startWorkers(app: App, sender: Sender, limits: RequestLimits): Opening | undefined {
  for (const worker of startBackgroundWork(app, limits)) app.workers.add(worker)
  app.workers.add(sender.start(), 'events', 'webhooks')
  app.workers.add({ wake: () => sender.endpointAdded(), stop: async () => {} }, 'webhook_endpoints')
  const isProduction = app.config.mode === 'production'
  if (isProduction) {
    app.workers.add(startStatementPolling(app), undefined, 'statements')
    app.workers.add(startBankFileWorker(app), 'bank_payments', 'bank files')
  }
  if (!isProduction && !app.config.railsFile) return undefined
  const opening = startOpeningAccounts(app)
  app.workers.add(opening, 'internal_accounts', 'account opening')
  app.workers.add(startChainWorker(app), 'chain_payments', 'chains')
  return opening
}

/**
 * Starts jobs and resealing as soon as the server is ready. Returns functions to stop them and to reload the
 * rails.
 */
function startService(
  server: FastifyInstance,
  app: App,
  jobs: JobRunner,
  { sender, thread, leaving, limits, stores }: Companions,
): Pick<Service, 'close' | 'reloadRails' | 'reloadScreening'> {
  let isClosing = false
  let resealed: Promise<void> | undefined
  let opening: Opening | undefined
  server.addHook('onReady', async () => {
    if (app.db.kind === 'embedded') await Promise.all([releaseClaims(app), sender.releaseClaims()])
    jobs.start()
    resealed = resealAll(app, stores.dataKeys, () => isClosing)
    opening = startWorkers(app, sender, limits)
    // Fetches rates before the first call, or logs that they are missing.
    app.rates?.snapshot().catch(() => {})
  })
  const close = async () => {
    isClosing = true
    leaving.begin()
    const stopMs = app.config.stopping.stopSeconds * 1_000
    const endMs = performance.now() + stopMs
    await app.eventStreams.close()
    // Also affects connections whose response headers were already sent.
    server.server.keepAliveTimeout = 1
    const serverClosed = server.close()
    leaving.endSilent()
    const stopTimer = setTimeout(() => leaving.endAll(), stopMs)
    await serverClosed
    clearTimeout(stopTimer)
    await jobs.stop()
    await resealed
    await app.workers.stop()
    await thread?.stop()
    await app.requestLog.flush().catch(() => {})
    await stores.spool.close()
    await app.replica?.close()
    await app.db.close()
    await closeTraces(stores.tracing, endMs)
  }
  const reloadRails = async () => {
    const { railsFile } = app.config
    if (!railsFile || !(stores.rails instanceof RailRegistry)) return
    await fillRails(stores.rails, railsFile, app.config.mode, stores.loading)
    opening?.restart()
    jobs.wake()
  }
  const reloadScreening = async () => stores.screened?.file?.reload()
  return { close, reloadRails, reloadScreening }
}

/** Reseals data sealed with older data keys, until done or stopped. Never rejects. */
async function resealAll(app: App, dataKeys: Keyring, isStopped: () => boolean): Promise<void> {
  try {
    const count = await reseal(app.db, dataKeys, app.clock, isStopped)
    if (count !== undefined) app.log.info({ count }, 'resealed all data under the newest data key')
  } catch (error) {
    app.log.error({ err: error }, 'failed to reseal data under the newest data key')
  }
}

/** The URL on which this process listens. If PUBLIC_URL is set, callers use that instead. */
function getListenUrl(server: FastifyInstance, { host, port }: Config): string {
  const address = server.server.address()
  const listening = typeof address === 'object' && address !== null ? address.port : port
  return new URL(formatBaseUrl(host, listening)).origin
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new ConfigError(`COUNTERSIGN_DATA_DIR cannot be used: ${reason}.`)
  }
}
