import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { DATABASE_FILE, ownDatabase, SECRETS_FILE, TEST_MASTER_KEY } from '../../../test/databases.testing.ts'
import { timeLimit } from '../../../test/machine-speed.ts'
import { readConfig } from '../../src/base/settings/config.ts'
import { createPlatform, formatBaseUrl } from '../../src/edge/service/first-platform.ts'
import { openService, type Service } from '../../src/edge/service/service.ts'
import { createOp, type Op } from '../../src/kernel/operation/app.ts'
import { makePlatform } from '../../src/people/platforms/platforms.ts'
import { Client } from './client.testing.ts'

export type Settings = Readonly<Record<string, string>>

export type Options = Parameters<typeof openService>[1] & {
  /** If false, there is no port, and no background jobs run until the first `server.inject()`. */
  readonly listens?: boolean
  /** For `world()`: the folder whose log is checked and whose database is removed at the end of the run. */
  readonly sharedIn?: string
}

/** A server that several test files use, so no test closes it. */
export type SharedServer = Omit<TestServer, 'close'>

type Line = Readonly<Record<string, unknown>>

/** A server running in this process. */
export interface TestServer extends Service {
  readonly dataDir: string
  /** The URL of the API, and of the server. Available only while it listens. */
  readonly baseUrl: string
  readonly origin: string
  newPlatform(): Promise<Client>
  /** Creates an operation of a new platform, for tests that call code instead of the API. */
  newOp(): Promise<Op>
  /** The log. Empty unless the settings have a LOG_LEVEL. */
  logText(): string
  log(): Line[]
  /**
   * Waits for the log line of a request, by its own id or the caller's. The access line may be written after the
   * response has arrived.
   */
  lineOf(requestId: string, msg?: string): Promise<Line>
  metrics(): Promise<string>
  /** Sends these bytes, and returns everything that the server sends until it closes the connection. */
  raw(request: string): Promise<string>
}

/**
 * Opens a server that only this test file uses. Prefer `world()`, because opening a server costs more than
 * most test files. With DATABASE_URL it has a separate database, because servers with the same database run
 * one another's jobs.
 */
export async function openServer(
  settings: Settings = {},
  { listens = true, sharedIn, ...options }: Options = {},
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(sharedIn ?? tmpdir(), 'countersign-server-'))
  const database = await ownDatabase(dataDir)
  if (sharedIn && database) await writeFile(join(dataDir, DATABASE_FILE), database.name)
  const logFile = join(dataDir, 'server.log')
  const service = await openService(
    readConfig({
      DATABASE_URL: database?.url,
      COUNTERSIGN_DATA_DIR: dataDir,
      COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
      LOG_LEVEL: 'silent',
      ...settings,
    }),
    { checkResponses: true, logFile, ...options },
  )
  if (listens) await service.server.listen({ host: '127.0.0.1', port: 0 })
  const close = async () => {
    await service.close()
    await database?.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const baseUrl = () => formatBaseUrl('127.0.0.1', readPort(service))
  return {
    ...service,
    ...createObservers(service, logFile),
    dataDir,
    get baseUrl() {
      return baseUrl()
    },
    get origin() {
      return new URL(baseUrl()).origin
    },
    async newPlatform() {
      const credentials = await createPlatform(service.app, 'Test')
      if (sharedIn) await appendFile(join(dataDir, SECRETS_FILE), `${credentials.clientSecret}\n`)
      return new Client(credentials, baseUrl())
    },
    newOp: () => newOp(service),
    close,
  }
}

function readPort({ server }: Service): number {
  const address: AddressInfo | string | null = server.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server does not listen')
  return address.port
}

async function newOp({ app }: Service): Promise<Op> {
  const created = makePlatform(
    { now: app.clock(), random: randomBytes, mode: app.config.mode, enclave: app.enclave.forOperation() },
    'Test',
  )
  const result = await app.committer.commit(created.writes)
  if (!result.done) throw new Error(`The platform was not created: ${result.name}`)
  return createOp(app, created.row, { kind: 'job', jobId: 'test' })
}

function createObservers(
  service: Service,
  logFile: string,
): Pick<TestServer, 'logText' | 'log' | 'lineOf' | 'metrics' | 'raw'> {
  const logText = () => readFileSync(logFile, 'utf8')
  const log = () => {
    const lines = logText().split('\n')
    return lines.filter((line) => line !== '').map((line): Line => JSON.parse(line))
  }
  return {
    logText,
    log,
    lineOf: (requestId, msg = 'request') =>
      vi.waitFor(() => {
        const found = log().find(
          (line) => [line.httpRequestId, line.callerRequestId].includes(requestId) && line.msg === msg,
        )
        if (!found) throw new Error(`No line of ${requestId}: ${msg}`)
        return found
      }, timeLimit(30_000)),
    metrics: async () => (await fetch(`http://127.0.0.1:${readPort(service)}/metrics`)).text(),
    raw(request) {
      const socket = connect(readPort(service), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(Buffer.from(request, 'latin1'))
      return text(socket)
    },
  }
}

/** Returns the sum of a metric's series that have these labels, or undefined if no series has them. */
export function valueIn(page: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const values = page.split('\n').flatMap((line) => {
    const [, metric, labelText = '', valueText] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    const fits = Object.entries(labels).every(([label, value]) =>
      `,${labelText},`.includes(`,${label}="${value}",`),
    )
    return metric === name && fits ? [Number(valueText)] : []
  })
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value)
}
