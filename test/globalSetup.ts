import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ATTEMPT_LIMITS, type AttemptLimits } from '../server/src/ports/failed-attempts.ts'
import { baseUrlOf, createPlatform } from '../server/src/service/first-platform.ts'
import { openService, type Service } from '../server/src/service/service.ts'
import { readConfig } from '../server/src/settings/config.ts'
import {
  copyEmptyDatabase,
  findOrMakeEmptyDatabase,
  makeEmptyPostgresDatabase,
} from './empty-database.testing.ts'
import { refuseSecrets } from './log-secrets.testing.ts'
import { TEST_MASTER_KEY } from './master-key.testing.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The base address of the server that all tests share. */
    baseUrl: string
    /** A POST to it creates a platform and returns its credentials: `{platformId, tokenId, clientSecret}`. */
    platformMaker: string
    /** The folder of a migrated, empty embedded database, for tests that start their own servers. */
    emptyDatabase: string
    /** On PostgreSQL the name of such a database, to be the template of others; else empty. */
    emptyPostgresDatabase: string
  }
}

/**
 * One server for the whole run, on the embedded database or, with DATABASE_URL, on PostgreSQL. Every test makes its own
 * platform, which no other test can see and whose clock only it moves, so tests run in parallel and in any order. The
 * server's log, at the finest level, must not contain a secret.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { ensureGenerated } = await import(new URL('../scripts/generate.mjs', import.meta.url).href)
  await ensureGenerated()
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  const emptyDatabase = await findOrMakeEmptyDatabase()
  await copyEmptyDatabase(emptyDatabase, dataDir)
  project.provide('emptyDatabase', emptyDatabase)
  const serverUrl = process.env.DATABASE_URL
  const template = serverUrl ? await makeEmptyPostgresDatabase(serverUrl) : undefined
  project.provide('emptyPostgresDatabase', template?.name ?? '')
  const logFile = join(dataDir, 'server.log')
  const config = readConfig({
    DATABASE_URL: process.env.DATABASE_URL,
    COUNTERSIGN_DATA_DIR: dataDir,
    PORT: '0',
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'debug',
  })
  const service = await openService(config, { checkAnswers: true, logFile, attemptLimits: NO_ATTEMPT_LIMITS })
  await service.server.listen({ host: config.host, port: 0 })
  const secrets: string[] = [TEST_MASTER_KEY]
  const maker = await startPlatformMaker(service, secrets)
  const { port } = service.server.server.address() as AddressInfo
  project.provide('baseUrl', baseUrlOf(config.host, port))
  project.provide('platformMaker', `http://127.0.0.1:${(maker.address() as AddressInfo).port}/`)
  return async () => {
    maker.closeAllConnections()
    maker.close()
    await service.close()
    const log = await readFile(logFile, 'utf8')
    await rm(dataDir, { recursive: true, force: true })
    await template?.drop()
    // A fault is a defect, even where a test accepted its 500.
    for (const line of log.split('\n').filter((line) => line.includes('operation failed')))
      console.error(line)
    refuseSecrets(log, secrets)
  }
}

/** Turns limits off, because every test calls from the same address. Tests of limits use their own service. */
const NO_ATTEMPT_LIMITS = Object.fromEntries(
  Object.entries(ATTEMPT_LIMITS).map(([kind, limit]) => [
    kind,
    { ...limit, attemptsMax: Number.MAX_SAFE_INTEGER },
  ]),
) as AttemptLimits

/** Platforms are made by an operator, not over the API. This is the operator of the tests. */
function startPlatformMaker(service: Service, secrets: string[]): Promise<Server> {
  const server = createServer((_request, response) => {
    createPlatform(service.app, 'Test').then(
      (credentials) => {
        secrets.push(credentials.clientSecret)
        response.end(JSON.stringify(credentials))
      },
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
