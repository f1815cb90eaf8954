import { setTimeout } from 'node:timers/promises'
import { getErrorCode, getErrorMessage, getErrorSentence } from '../../base/formats/thrown-errors.ts'
import type { Config } from '../../base/settings/config.ts'
import { ConfigError } from '../../base/settings/config-error.ts'
import { VERSION } from '../../base/settings/version.ts'
import type { App } from '../../kernel/operation/app.ts'
import { createOperatorConsoleLink, getConsoleUrl } from '../../people/members/operator.ts'
import { listenForAdmin } from '../commands/socket.ts'
import { type Output, openOutput } from '../observability/output.ts'
import { requestLines } from '../observability/request-lines.ts'
import { ensureFirstPlatform, formatBaseUrl } from '../service/first-platform.ts'
import { listenForProbes, type ProbeListener } from '../service/health-listener.ts'
import { openService, type Service } from '../service/service.ts'

/**
 * Serves until SIGINT or SIGTERM, then drains and closes (`COUNTERSIGN_DRAIN_SECONDS`). Resolves once the
 * server listens.
 */
export async function serve(config: Config): Promise<void> {
  const out = openOutput(1)
  const service = await openService(config, {
    webhookThread: new URL('./webhook-thread.js', import.meta.url),
    ...(config.requestLines ? { showRequest: requestLines(out) } : {}),
  })
  const { app } = service
  const { db, log } = app
  let probes: ProbeListener | undefined
  const close = closeOnce(config, out, async () => {
    log.info(config.stopping, 'closing')
    service.drain()
    await setTimeout(config.stopping.drainSeconds * 1_000)
    await service.close()
    await probes?.close()
  })
  process.on('SIGINT', close)
  process.on('SIGTERM', close)
  process.on('SIGHUP', () => void reload(service))
  void service.stopped?.then((error) => endBroken(service, error))
  try {
    await service.server.listen({ host: config.host, port: config.port })
    probes = await listenIfSet(service, config)
    const address = service.server.server.address()
    const port = typeof address === 'object' && address ? address.port : config.port
    const { host, mode, pathPrefix } = config
    log.info({ version: VERSION, mode, database: db.kind, host, port }, 'listening')
    const baseUrl = formatBaseUrl(host, port, pathPrefix)
    if (db.kind === 'embedded') await takeCommands(app, baseUrl)
    const first = mode === 'sandbox' ? await ensureFirstPlatform(app, baseUrl) : undefined
    const consoleUrl = await buildConsoleRow(app, first?.platformId)
    if (mode === 'production' && config.publicUrl === undefined)
      openOutput(2).write(`countersign: ${NO_PUBLIC_URL}\n`)
    out.write(renderBanner(config, baseUrl, first?.path, consoleUrl))
  } catch (error) {
    await service.close()
    throw explainListenError(error, { ...config, setting: 'PORT' })
  }
}

/** Listens on `HEALTH_PORT` if it is set. Throws ConfigError. */
async function listenIfSet({ server }: Service, config: Config): Promise<ProbeListener | undefined> {
  const { host, healthPort } = config
  if (healthPort === undefined) return undefined
  try {
    return await listenForProbes(server, { host, healthPort })
  } catch (error) {
    throw explainListenError(error, { host, port: healthPort, setting: 'HEALTH_PORT' })
  }
}

/** Ends the process, so that its supervisor starts a new one, which recovers the data from disk. */
function endBroken({ app }: Service, error: Error): void {
  app.log.fatal({ err: error }, 'embedded database stopped')
  openOutput(2).write(`countersign: ${error.message}. Restart the server. No acknowledged write is lost.\n`)
  process.exit(1)
}

/** Reloads the rails file and the screened addresses. An invalid file changes nothing. Does not throw. */
async function reload({ app, reloadRails, reloadScreening }: Service): Promise<void> {
  try {
    await reloadRails()
    app.log.info({ rails: app.rails.list().map(({ name }) => name) }, 'reloaded rails')
  } catch (error) {
    app.log.error({ err: error }, 'failed to reload rails')
    openOutput(2).write(`countersign: ${getErrorSentence(error)} The rails are unchanged.\n`)
  }
  try {
    await reloadScreening()
  } catch (error) {
    app.log.error({ err: error }, 'failed to reload screened addresses')
    openOutput(2).write(`countersign: ${getErrorSentence(error)} The screened addresses are unchanged.\n`)
  }
}

/** Runs the operator's commands in this process, because it has the embedded database open. */
async function takeCommands(app: App, baseUrl: string): Promise<void> {
  const { dataDir } = app.config
  const socket = await listenForAdmin(dataDir, async (args) => {
    const { runCommand } = await import('../commands/admin.ts')
    return runCommand(app, args, baseUrl)
  })
  if (!socket)
    app.log.warn({ dataDir }, 'path too long for the admin socket: stop the server to run operator commands')
}

/**
 * Converts an error that the operator can fix to a line naming the setting. Returns any other error
 * unchanged.
 */
function explainListenError(
  error: unknown,
  { host, port, setting }: { readonly host: string; readonly port: number; readonly setting: string },
): unknown {
  const hasCall = error instanceof Error && 'syscall' in error
  if (!hasCall || (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo')) return error
  const code = getErrorCode(error)
  if (code === 'EADDRINUSE')
    return new ConfigError(`${setting} ${port} is already in use on ${host}. Choose another ${setting}.`)
  if (code === 'EACCES')
    return new ConfigError(`This user is not allowed to open ${setting} ${port}. Choose another ${setting}.`)
  return new ConfigError(`HOST ${host} is not an address of this machine (${code}).`)
}

/** Only the server warns about this, because commands need no public URL. */
const NO_PUBLIC_URL =
  'PUBLIC_URL is not set, so links and passkeys use the address in the request, and cookies do not require HTTPS. Set it to the address that people use.'

/** Production stores no credentials. The command works in the repository folder without installation. */
const CREATE_CREDENTIALS = 'not stored; create them with: npx countersign platform create --name NAME'

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '::1']

/**
 * The URL of the console. For a sandbox that only this machine can reach, it is a one-time sign-in link,
 * because anyone who sees this terminal also sees the credentials.
 */
async function buildConsoleRow(app: App, platformId: string | undefined): Promise<string> {
  const isLocal = LOOPBACK_HOSTS.includes(app.config.host) && platformId !== undefined
  return isLocal ? `${await createOperatorConsoleLink(app, platformId)} (one-time link)` : getConsoleUrl(app)
}

function renderBanner(
  config: Config,
  baseUrl: string,
  credentials: string | undefined,
  consoleUrl: string,
): string {
  const origin = new URL(baseUrl).origin
  const rows: (readonly [name: string, value: string])[] = [
    ['API', baseUrl],
    ['Reference', `${origin}/docs`],
    ['Console', consoleUrl],
    ['Database', config.databaseUrl ? 'PostgreSQL (DATABASE_URL)' : `embedded, in ${config.dataDir}`],
    ['Credentials', credentials ?? CREATE_CREDENTIALS],
    ...(config.mode === 'sandbox' && credentials
      ? [['Try next', 'npm run demo (in another terminal)'] as const]
      : []),
    ['Stop', 'Ctrl-C'],
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`)
  return `\nCountersign is ready (${config.mode})\n\n${lines.join('\n')}\n\n`
}

/** The time for the steps after the last request: finishing jobs and closing the database. */
const CLOSE_MS_MAX = 5_000

/** Ignores a second signal while closing, because npm forwards the signal that the terminal already sent. */
function closeOnce({ stopping }: Config, out: Output, close: () => Promise<void>): () => void {
  let closing = false
  return () => {
    if (closing) return
    closing = true
    out.write('Closing. Finishing requests and jobs in progress.\n')
    const msMax = (stopping.drainSeconds + stopping.stopSeconds) * 1_000 + CLOSE_MS_MAX
    const tooLate = setTimeout(msMax, 'late', { ref: false }).then(() => {
      throw new Error(
        `the server did not close within ${msMax / 1_000} seconds. The next start completes the work in progress.`,
      )
    })
    Promise.race([close(), tooLate]).then(
      () => process.exit(0),
      (error) => {
        openOutput(2).write(`countersign: ${getErrorMessage(error)}\n`)
        process.exit(1)
      },
    )
  }
}
