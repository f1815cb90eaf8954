import { type Config, ConfigError } from './config.ts'
import { baseUrlOf, ensureFirstPlatform } from './first-platform.ts'
import { VERSION } from './observability/version.ts'
import { openService } from './service.ts'

/** Serves until SIGINT or SIGTERM, then drains and closes. Resolves once it listens. */
export async function serve(config: Config): Promise<void> {
  const service = await openService(config)
  const { db, log } = service.app
  const close = closeOnce(() => {
    log.info({}, 'closing')
    return service.close()
  })
  process.on('SIGINT', close)
  process.on('SIGTERM', close)
  try {
    await service.server.listen({ host: config.host, port: config.port })
    const address = service.server.server.address()
    const port = typeof address === 'object' && address ? address.port : config.port
    const { host, mode } = config
    log.info({ version: VERSION, mode, database: db.kind, host, port }, 'listening')
    const baseUrl = baseUrlOf(host, port)
    const credentials = mode === 'sandbox' ? await ensureFirstPlatform(service.app, baseUrl) : undefined
    process.stdout.write(banner(config, baseUrl, credentials))
  } catch (error) {
    await service.close()
    throw listenError(config, error as NodeJS.ErrnoException)
  }
}

/** What an operator can put right, in a line that names the setting; any other error as it is. */
function listenError({ host, port }: Config, error: NodeJS.ErrnoException): Error {
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return error
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`PORT ${port} is in use on ${host}; choose another PORT.`)
  if (error.code === 'EACCES')
    return new ConfigError(`PORT ${port} may not be used by this user; choose another PORT.`)
  return new ConfigError(`HOST ${host} is not an address of this machine (${error.code}).`)
}

/** Production keeps no credentials. The command works from the repository's folder, without being installed. */
function makeSome({ databaseUrl }: Config): string {
  // The embedded database belongs to one process.
  const when = databaseUrl ? 'make some' : 'stop, then make some'
  return `none here; ${when}: node cli/dist/main.js platform create --name NAME`
}

function banner(config: Config, baseUrl: string, credentials: string | undefined): string {
  const origin = new URL(baseUrl).origin
  const rows = [
    ['API', baseUrl],
    ['Reference', `${origin}/docs`],
    ['Database', config.databaseUrl ? 'PostgreSQL (DATABASE_URL)' : `embedded, in ${config.dataDir}`],
    ['Credentials', credentials ?? makeSome(config)],
    ...(config.mode === 'sandbox' && credentials ? [['Try next', 'npm run demo (in another terminal)']] : []),
    ['Stop', 'Ctrl-C'],
  ]
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(12)}${value}`)
  return `\nCountersign is ready (${config.mode})\n\n${lines.join('\n')}\n\n`
}

/** A second signal while closing is part of the first: npm passes on what the terminal has sent already. */
function closeOnce(close: () => Promise<void>): () => void {
  let closing = false
  return () => {
    if (closing) return
    closing = true
    process.stdout.write('Closing: finishing what is under way.\n')
    close().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`countersign: ${(error as Error).message}\n`)
        process.exit(1)
      },
    )
  }
}
