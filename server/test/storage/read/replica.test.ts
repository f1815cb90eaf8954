import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'
import { type Cluster, startCluster, startStandby } from '../../worlds/server-process.testing.ts'

describe.runIf(process.env.DATABASE_URL)('reads at a standby', () => {
  let cluster: Cluster
  let standby: Awaited<ReturnType<typeof startStandby>>
  let service: TestServer
  let client: Client

  beforeAll(async () => {
    cluster = await startCluster()
    // Creates the tables, which are then copied to the standby.
    const first = await openServer({ DATABASE_URL: cluster.url })
    await first.close()
    standby = await startStandby(cluster)
    service = await openServer({ DATABASE_URL: cluster.url, DATABASE_READ_URL: standby.url })
    client = await service.newPlatform()
  })

  afterAll(async () => {
    await service?.close()
    await standby?.stop()
    await cluster?.stop()
  })

  const countReads = async (name: string) => {
    const text = await service.app.metrics.text(async () => true)
    return valueIn(text, 'countersign_replica_reads_total', { outcome: name })
  }

  async function runAtStandby(sql: string): Promise<void> {
    const connection = new pg.Client({ connectionString: standby.url })
    await connection.connect()
    await connection.query(sql)
    await connection.end()
  }

  /** Expects a list to show a write acknowledged before its request. */
  async function expectFreshReads(times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      const { id } = (await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' })).body
      const { data } = (await client.get('/customers?limit=1')).body
      expect(data[0].id).toBe(id)
    }
  }

  test('are never older than an acknowledged write, and mostly use the standby', async () => {
    await expectFreshReads(30)
    const { usd } = await newCustomer(client)
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        await fund(client, usd, n + 1)
        const { data } = (await client.get('/transactions?limit=20')).body
        expect(Array.isArray(data)).toBe(true)
      }),
    )
    expect(await countReads('replica')).toBeGreaterThan(20)
    expect((await client.get(`/internal-accounts/${usd}/statement?format=csv`)).status).toBeLessThan(500)
  })

  test('use the primary while the standby is behind', async () => {
    await runAtStandby('SELECT pg_wal_replay_pause()')
    const before = await countReads('late')
    await expectFreshReads(3)
    expect(await countReads('late')).toBe(before! + 3)
    await runAtStandby('SELECT pg_wal_replay_resume()')
    await expectFreshReads(3)
  })

  test('require the same database: another one is refused at the start', async () => {
    const otherCluster = await startCluster()
    try {
      await expect(
        openServer({ DATABASE_URL: cluster.url, DATABASE_READ_URL: otherCluster.url }),
      ).rejects.toThrow('DATABASE_READ_URL leads to another database than DATABASE_URL.')
    } finally {
      await otherCluster.stop()
    }
  })

  test('continue at the primary after the standby has stopped, even on a server that starts later', async () => {
    await standby.stop()
    await expectFreshReads(3)
    expect(await countReads('failed')).toBeGreaterThan(0)
    const lateServer = await openServer({ DATABASE_URL: cluster.url, DATABASE_READ_URL: standby.url })
    const lateClient = await lateServer.newPlatform()
    expect((await lateClient.get('/customers')).status).toBe(200)
    await lateServer.close()
  })
})
