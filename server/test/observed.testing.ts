import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { ownDatabase } from '../../test/empty-database.testing.ts'
import { TEST_MASTER_KEY } from '../../test/master-key.testing.ts'
import type { ServerOptions } from '../src/http/server.ts'
import { baseUrlOf, createPlatform } from '../src/service/first-platform.ts'
import { openService, type Service } from '../src/service/service.ts'
import { readConfig } from '../src/settings/config.ts'
import { Client } from './client.testing.ts'

type Line = Readonly<Record<string, unknown>>

/** A listening service of the test's own, with metrics and a log of that test alone. */
export interface Observed {
  readonly service: Service
  readonly dataDir: string
  /** As a platform of its own. */
  readonly client: Client
  readonly origin: string
  newPlatform(): Promise<Client>
  logText(): string
  log(): Line[]
  /** The line of a request. An access line is written when the answer is out, perhaps after it is in here. */
  lineOf(requestId: string, msg?: string): Promise<Line>
  metrics(): Promise<string>
  /** All that comes back for these bytes until the server closes the connection. */
  raw(request: string): Promise<string>
  close(): Promise<void>
}

/** In sandbox, at the finest level of the log. With DATABASE_URL it has a database of its own. */
export async function openObserved(
  settings: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<Observed> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-observed-'))
  const database = await ownDatabase(dataDir)
  const config = readConfig({
    DATABASE_URL: database?.url,
    COUNTERSIGN_DATA_DIR: dataDir,
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'debug',
    ...settings,
  })
  const service = await openService(config, { ...options, checkAnswers: true, logFile: join(dataDir, 'log') })
  await service.server.listen({ host: config.host, port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  const baseUrl = baseUrlOf(config.host, port)
  const { origin } = new URL(baseUrl)
  const newPlatform = async () => new Client(await createPlatform(service.app, 'Test'), baseUrl)
  const logText = () => readFileSync(join(dataDir, 'log'), 'utf8')
  const log = () => {
    const lines = logText().split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line)
  }
  return {
    service,
    dataDir,
    client: await newPlatform(),
    origin,
    newPlatform,
    logText,
    log,
    lineOf: (requestId, msg = 'request') =>
      vi.waitFor(() => {
        const found = log().find((line) => line.requestId === requestId && line.msg === msg)
        if (!found) throw new Error(`No line of ${requestId}: ${msg}`)
        return found
      }, 5000),
    metrics: async () => (await fetch(`${origin}/metrics`)).text(),
    raw(request) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(Buffer.from(request, 'latin1'))
      return text(socket)
    },
    async close() {
      await service.close()
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The sum of the series of a metric that have these labels; undefined where there is none. */
export function valueIn(page: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const values = page.split('\n').flatMap((line) => {
    const [, metric, text = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    const fits = Object.entries(labels).every(([label, is]) => `,${text},`.includes(`,${label}="${is}",`))
    return metric === name && fits ? [Number(value)] : []
  })
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value)
}
