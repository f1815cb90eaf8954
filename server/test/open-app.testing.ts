import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownDatabase } from '../../test/empty-database.testing.ts'
import { TEST_MASTER_KEY } from '../../test/master-key.testing.ts'
import { type App, createOp, type Op } from '../src/op/app.ts'
import { makePlatform } from '../src/platforms/platforms.ts'
import { openService, type Service } from '../src/service/service.ts'
import { readConfig } from '../src/settings/config.ts'

/**
 * A service of the test's own that does not listen, for what HTTP does not show. With DATABASE_URL it has a database of its
 * own: otherwise it and the server that the other tests share would run each other's jobs.
 */
export async function openApp(
  settings: Readonly<Record<string, string>> = {},
  options: Parameters<typeof openService>[1] = {},
): Promise<{
  app: App
  /** Not listening: `inject` asks it. */
  server: Service['server']
  newPlatform(): Promise<Op>
  reloadRails: Service['reloadRails']
  reloadScreening: Service['reloadScreening']
  close(): Promise<void>
}> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-app-'))
  const database = await ownDatabase(dataDir)
  const { app, server, close, reloadRails, reloadScreening } = await openService(
    readConfig({
      DATABASE_URL: database?.url,
      COUNTERSIGN_DATA_DIR: dataDir,
      COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
      LOG_LEVEL: 'silent',
      ...settings,
    }),
    options,
  )
  return {
    app,
    server,
    reloadRails,
    reloadScreening,
    async newPlatform() {
      const { row, writes } = makePlatform(
        { now: app.clock(), random: randomBytes, mode: app.config.mode, enclave: app.enclave },
        'Test',
      )
      const result = await app.committer.commit(writes)
      if (!result.done) throw new Error(`No platform: ${result.name}`)
      return createOp(app, row, { kind: 'job', jobId: 'test' })
    },
    async close() {
      await close()
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
