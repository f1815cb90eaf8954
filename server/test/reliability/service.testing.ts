import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { copyEmptyDatabase, createPostgresDatabase } from '../../../test/empty-database.testing.ts'
import { TEST_MASTER_KEY } from '../../../test/master-key.testing.ts'
import { openDatabase } from '../../src/db/engine/open.ts'
import type { App } from '../../src/op/app.ts'
import { baseUrlOf, createPlatform } from '../../src/service/first-platform.ts'
import { openService } from '../../src/service/service.ts'
import { readConfig } from '../../src/settings/config.ts'
import { Client } from '../client.testing.ts'
import { FaultyDatabase } from './faults.testing.ts'

/** A service in this process, which listens, on a database of its own that can be made to fail. */
export interface OwnService {
  readonly db: FaultyDatabase
  readonly app: App
  newPlatform(): Promise<Client>
  /** Says that the service leaves. */
  drain(): void
  close(): Promise<void>
}

export async function openOwnService(
  options: { cardAnswerMsMax?: number; advanceWebhooksMs?: number } = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-reliability-'))
  const serverUrl = process.env.DATABASE_URL
  const own = serverUrl
    ? await createPostgresDatabase(serverUrl, inject('emptyPostgresDatabase'))
    : await copyEmptyDatabase(inject('emptyDatabase'), dataDir)
  let db: FaultyDatabase | undefined
  const config = readConfig({
    DATABASE_URL: own?.url,
    COUNTERSIGN_DATA_DIR: dataDir,
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'silent',
    ...settings,
  })
  const service = await openService(config, {
    ...options,
    checkAnswers: true,
    openDatabase: async (own) => {
      db = new FaultyDatabase(await openDatabase(own))
      return db
    },
  })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  return {
    db: db!,
    app: service.app,
    newPlatform: async () =>
      new Client(await createPlatform(service.app, 'Test'), baseUrlOf('127.0.0.1', port)),
    drain: service.drain,
    async close() {
      await service.close()
      await own?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
