import { setTimeout } from 'node:timers/promises'
import { runCommand } from './admin/admin.ts'
import { listenForAdmin } from './admin/socket.ts'
import { codeOf, messageOf } from './formats/thrown.ts'
import { consoleAddress, consoleLinkForOperator } from './members/operator.ts'
import { requestLines } from './observability/request-lines.ts'
import type { App } from './op/app.ts'
import { baseUrlOf, ensureFirstPlatform } from './service/first-platform.ts'
import { openService, type Service } from './service/service.ts'
import type { Config } from './settings/config.ts'
import { ConfigError } from './settings/config-error.ts'
import { VERSION } from './settings/version.ts'

/** Serves until SIGINT or SIGTERM, then drains and closes (`COUNTERSIGN_DRAIN_SECONDS`). Resolves once it listens. */
export async function serve(config: Config): Promise<void> {
  const service = await openService(config, {
    ...(config.requestLines ? { showRequest: requestLines(process.stdout) } : {}),
  })
  const { app } = service
  const { db, log } = app
  const close = closeOnce(config, async () => {
    log.info(config.stopping, 'closing')
    service.drain()
    await setTimeout(config.stopping.drainSeconds * 1_000)
    return service.close()
  })
  process.on('SIGINT', close)
  process.on('SIGTERM', close)
  process.on('SIGHUP', () => void reload(service))
  void service.stopped?.then((error) => endBroken(service, error))
  try {
    await service.server.listen({ host: config.host, port: config.port })
    const address = service.server.server.address()
    const port = typeof address === 'object' && address ? address.port : config.port
    const { host, mode } = config
    log.info({ version: VERSION, mode, database: db.kind, host, port }, 'listening')
    const baseUrl = baseUrlOf(host, port)
    if (db.kind === 'embedded') await takeCommands(app, baseUrl)
    const first = mode === 'sandbox' ? await ensureFirstPlatform(app, baseUrl) : undefined
    const consoleUrl = await consoleRow(app, first?.platformId)
    process.stdout.write(banner(config, baseUrl, first?.path, consoleUrl))
  } catch (error) {
    await service.close()
    throw listenError(config, error)
  }
}

/** Ends the process, so that its supervisor starts another one: that one recovers what is on the disk. */
function endBroken({ app }: Service, error: Error): void {
  app.log.fatal({ err: error }, 'the embedded database has stopped')
  process.stderr.write(
    `countersign: ${error.message}. Start the server again: nothing that was answered is lost.\n`,
  )
  process.exit(1)
}

/** Reads the files of rails and of screened addresses again. One that is not right changes nothing. Does not throw. */
async function reload({ app, reloadRails, reloadScreening }: Service): Promise<void> {
  try {
    await reloadRails()
    app.log.info({ rails: app.rails.list().map(({ name }) => name) }, 'rails read again')
  } catch (error) {
    app.log.error({ err: error }, 'the rails stay as they were')
    process.stderr.write(`countersign: ${messageOf(error)} The rails stay as they were.\n`)
  }
  try {
    await reloadScreening()
  } catch (error) {
    app.log.error({ err: error }, 'the screened addresses stay as they were')
    process.stderr.write(`countersign: ${messageOf(error)} The screened addresses stay as they were.\n`)
  }
}

/** Runs the operator's commands in this process, which has the embedded database to itself. */
async function takeCommands(app: App, baseUrl: string): Promise<void> {
  const { dataDir } = app.config
  const socket = await listenForAdmin(dataDir, (args) => runCommand(app, args, baseUrl))
  if (!socket)
    app.log.warn(
      { dataDir },
      "the path is too long for a socket: stop the server to run the operator's commands",
    )
}

/** An error that the operator can fix, as a line that names the setting; any other error unchanged. */
function listenError({ host, port }: Config, error: unknown): unknown {
  const hasCall = error instanceof Error && 'syscall' in error
  if (!hasCall || (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo')) return error
  const code = codeOf(error)
  if (code === 'EADDRINUSE') return new ConfigError(`PORT ${port} is in use on ${host}; choose another PORT.`)
  if (code === 'EACCES')
    return new ConfigError(`PORT ${port} may not be opened by this user; choose another PORT.`)
  return new ConfigError(`HOST ${host} is not an address of this machine (${code}).`)
}

/** Production keeps no credentials. The command works from the repository's folder, without being installed. */
const MAKE_SOME = 'none stored here; to create some: npx countersign platform create --name NAME'

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '::1']

/**
 * Where the console is. A sandbox that only this machine reaches gets a link that opens it signed in, once: whoever sees this
 * terminal also sees the credentials.
 */
async function consoleRow(app: App, platformId: string | undefined): Promise<string> {
  const isOurs = LOOPBACK_HOSTS.includes(app.config.host) && platformId !== undefined
  return isOurs ? `${await consoleLinkForOperator(app, platformId)} (once)` : consoleAddress(app)
}

function banner(
  config: Config,
  baseUrl: string,
  credentials: string | undefined,
  consoleUrl: string,
): string {
  const origin = new URL(baseUrl).origin
  const rows = [
    ['API', baseUrl],
    ['Reference', `${origin}/docs`],
    ['Console', consoleUrl],
    ['Database', config.databaseUrl ? 'PostgreSQL (DATABASE_URL)' : `embedded, in ${config.dataDir}`],
    ['Credentials', credentials ?? MAKE_SOME],
    ...(config.mode === 'sandbox' && credentials ? [['Try next', 'npm run demo (in another terminal)']] : []),
    ['Stop', 'Ctrl-C'],
  ]
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(12)}${value}`)
  return `\nCountersign is ready (${config.mode})\n\n${lines.join('\n')}\n\n`
}

/** How long what comes after the requests may take: the rest of the jobs, and closing the database. */
const CLOSE_MS_MAX = 5_000

/** Ignores a second signal while closing: npm repeats the signal that the terminal has already sent. */
function closeOnce({ stopping }: Config, close: () => Promise<void>): () => void {
  let closing = false
  return () => {
    if (closing) return
    closing = true
    process.stdout.write('Closing: finishing requests and jobs in progress.\n')
    const msMax = (stopping.drainSeconds + stopping.stopSeconds) * 1_000 + CLOSE_MS_MAX
    const tooLate = setTimeout(msMax, 'late', { ref: false }).then(() => {
      throw new Error(
        `still not closed after ${msMax / 1_000} seconds: what was under way is done by the next start`,
      )
    })
    Promise.race([close(), tooLate]).then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`countersign: ${messageOf(error)}\n`)
        process.exit(1)
      },
    )
  }
}
