import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../server/src/config.ts'
import { baseUrlOf, createPlatform } from '../server/src/first-platform.ts'
import { openService, type Service } from '../server/src/service.ts'
import { TEST_MASTER_KEY } from './master-key.testing.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The base address of the server that all tests share. */
    baseUrl: string
    /** POST here for the credentials of a platform of one's own: `{platformId, tokenId, clientSecret}`. */
    platformMaker: string
  }
}

/**
 * One server for the whole run, on the embedded database or, with DATABASE_URL, on PostgreSQL. Every test makes itself
 * a platform, which no other test can see and whose clock only it moves; so they run in parallel and in any order.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  const config = readConfig({
    DATABASE_URL: process.env.DATABASE_URL,
    COUNTERSIGN_DATA_DIR: dataDir,
    PORT: '0',
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'error',
  })
  const service = await openService(config, { checkAnswers: true })
  await service.server.listen({ host: config.host, port: 0 })
  const maker = await startPlatformMaker(service)
  project.provide('baseUrl', baseUrlOf(config.host, (service.server.server.address() as AddressInfo).port))
  project.provide('platformMaker', `http://127.0.0.1:${(maker.address() as AddressInfo).port}/`)
  return async () => {
    maker.closeAllConnections()
    maker.close()
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Platforms are made by an operator, not over the API; the tests' operator is here. */
function startPlatformMaker(service: Service): Promise<Server> {
  const server = createServer((_request, response) => {
    createPlatform(service.app, 'Test').then(
      (credentials) => response.end(JSON.stringify(credentials)),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
