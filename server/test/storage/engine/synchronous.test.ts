import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_MASTER_KEY } from '../../../../test/databases.testing.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { openService } from '../../../src/edge/service/service.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { describeFailoverLoss } from '../../../src/storage/engine/synchronous.ts'
import { type Cluster, startCluster } from '../../worlds/server-process.testing.ts'

describe.skipIf(process.env.DATABASE_URL === undefined)('commits that no standby waits for', () => {
  // These settings apply to a whole cluster.
  let cluster: Cluster
  let db: Database
  let folder: string
  let receiver: ChildProcess | undefined

  beforeAll(async () => {
    cluster = await startCluster()
    db = await openPostgres(cluster.url)
    folder = await mkdtemp(join(tmpdir(), 'countersign-synchronous-'))
  })

  afterAll(async () => {
    receiver?.kill()
    await db.close()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const setSetting = async (name: string, value: string) => {
    await db.query(`ALTER SYSTEM SET ${name} = '${value}'`)
    await db.query('SELECT pg_reload_conf()')
  }

  test('cause no warning without standbys', async () => {
    expect(await describeFailoverLoss(db)).toBeUndefined()
  })

  test('cause one warning at the start if synchronous_commit is off', async () => {
    await setSetting('synchronous_commit', 'local')
    await setSetting('synchronous_standby_names', 'receiver')
    await expect.poll(() => describeFailoverLoss(db)).toContain('synchronous_commit is local')
    const logFile = join(folder, 'log')
    const config = readConfig({
      DATABASE_URL: cluster.url,
      COUNTERSIGN_DATA_DIR: folder,
      COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
      LOG_LEVEL: 'warn',
    })
    await (await openService(config, { logFile })).close()
    const lines = (await readFile(logFile, 'utf8')).trim().split('\n')
    expect(
      lines.filter((line) => line.includes('a failover loses the last acknowledged writes')),
    ).toHaveLength(1)
  })

  test('cause warnings if a standby follows, until it is synchronous', async () => {
    await setSetting('synchronous_standby_names', '')
    await setSetting('synchronous_commit', 'on')
    const address = `host=127.0.0.1 port=${cluster.port} user=postgres application_name=receiver`
    receiver = spawn(join(cluster.bin, 'pg_receivewal'), ['--synchronous', '-D', folder, '-d', address])
    await expect
      .poll(() => describeFailoverLoss(db))
      .toBe(
        'PostgreSQL has 1 standby, none of them synchronous: a failover loses the last acknowledged writes',
      )
    await setSetting('synchronous_standby_names', 'receiver')
    await expect.poll(() => describeFailoverLoss(db)).toBeUndefined()
  })
})
