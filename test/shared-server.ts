import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProvidedContext } from 'vitest'
import { readConfig } from '../server/src/base/settings/config.ts'
import { createPlatform, formatBaseUrl } from '../server/src/edge/service/first-platform.ts'
import { openService, type Service } from '../server/src/edge/service/service.ts'
import { ATTEMPT_LIMITS, type AttemptLimits } from '../server/src/kernel/ports/failed-attempts.ts'
import {
  copyEmptyDatabase,
  DATABASE_FILE,
  dropPostgresDatabase,
  findOrMakeEmptyDatabase,
  makeEmptyPostgresDatabase,
  SECRETS_FILE,
  TEST_MASTER_KEY,
} from './databases.testing.ts'
import { refuseSecrets } from './log-secrets.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The base URL of the server that all tests share. */
    baseUrl: string
    /**
     * A POST to this URL creates a platform and returns its credentials: `{platformId, tokenId,
     * clientSecret}`.
     */
    platformMaker: string
    /** The folder of a migrated, empty embedded database, for tests that start their own servers. */
    emptyDatabase: string
    /**
     * On PostgreSQL, the name of such a database, which serves as the template for others. Otherwise empty.
     */
    emptyPostgresDatabase: string
    /** The folder of the servers started by `world()`. It is checked and removed at the end of the run. */
    worldsFolder: string
  }
}

export interface SharedServer {
  /** Values that tests read with `inject`. */
  readonly provided: ProvidedContext
  stop(): Promise<void>
}

/**
 * Starts one server for the whole run, on the embedded database or, with DATABASE_URL, on PostgreSQL. Every
 * test creates its own platform, which no other test can see and whose clock only that test moves, so tests
 * can run in parallel and in any order. The server logs at the finest level, and its log must not contain a
 * secret.
 */
export async function startSharedServer(): Promise<SharedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  const emptyDatabase = await findOrMakeEmptyDatabase()
  await copyEmptyDatabase(emptyDatabase, dataDir)
  const serverUrl = process.env.DATABASE_URL
  const template = serverUrl ? await makeEmptyPostgresDatabase(serverUrl) : undefined
  const worldsFolder = await mkdtemp(join(tmpdir(), 'countersign-worlds-'))
  const logFile = join(dataDir, 'server.log')
  const config = readConfig({
    DATABASE_URL: process.env.DATABASE_URL,
    COUNTERSIGN_DATA_DIR: dataDir,
    PORT: '0',
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'debug',
  })
  const service = await openService(config, {
    checkResponses: true,
    logFile,
    attemptLimits: NO_ATTEMPT_LIMITS,
  })
  await service.server.listen({ host: config.host, port: 0 })
  const secrets: string[] = [TEST_MASTER_KEY]
  const platformMaker = await startPlatformMaker(service, secrets)
  const { port } = service.server.server.address() as AddressInfo
  const provided = {
    baseUrl: formatBaseUrl(config.host, port),
    platformMaker: `http://127.0.0.1:${(platformMaker.address() as AddressInfo).port}/`,
    emptyDatabase,
    emptyPostgresDatabase: template?.name ?? '',
    worldsFolder,
  }
  const stop = async () => {
    platformMaker.closeAllConnections()
    platformMaker.close()
    await service.close()
    const worlds = await endWorlds(worldsFolder)
    const log = (await readFile(logFile, 'utf8')) + worlds.log
    await rm(dataDir, { recursive: true, force: true })
    await template?.drop()
    // An internal error is a defect, even if a test accepted its 500 response.
    for (const line of log.split('\n').filter((line) => line.includes('operation failed')))
      console.error(line)
    refuseSecrets(log, [...secrets, ...worlds.secrets])
  }
  return { provided, stop }
}

/**
 * Removes the servers started by `world()`, whose processes have ended or are about to. Returns their logs
 * and their platforms' secrets.
 */
async function endWorlds(folder: string): Promise<{ readonly log: string; readonly secrets: string[] }> {
  const serverUrl = process.env.DATABASE_URL
  let log = ''
  const secrets: string[] = []
  const readText = (name: string, file: string) => readFile(join(folder, name, file), 'utf8').catch(() => '')
  for (const name of await readdir(folder)) {
    log += await readText(name, 'server.log')
    secrets.push(...(await readText(name, SECRETS_FILE)).split('\n').filter((line) => line !== ''))
    const database = await readText(name, DATABASE_FILE)
    if (serverUrl && database) await dropPostgresDatabase(serverUrl, database)
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return { log, secrets }
}

/**
 * Disables the limits, because all tests call from the same address. Tests of limits use their own service.
 */
const NO_ATTEMPT_LIMITS = Object.fromEntries(
  Object.entries(ATTEMPT_LIMITS).map(([kind, limit]) => [
    kind,
    { ...limit, attemptsMax: Number.MAX_SAFE_INTEGER },
  ]),
) as AttemptLimits

/** Creates platforms for tests, as an operator does, because the API cannot create them. */
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
