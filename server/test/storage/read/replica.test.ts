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
    // Creates the tables, which are then on the standby.
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

  const outcome = async (name: string) => {
    const text = await service.app.metrics.text(async () => true)
    return valueIn(text, 'countersign_replica_reads_total', { outcome: name })
  }

  async function atStandby(sql: string): Promise<void> {
    const own = new pg.Client({ connectionString: standby.url })
    await own.connect()
    await own.query(sql)
    await own.end()
  }

  /** True if a list shows immediately a write that was acknowledged before the request. */
  async function seesOwnWrites(times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      const { id } = (await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' })).body
      const { data } = (await client.get('/customers?limit=1')).body
      expect(data[0].id).toBe(id)
    }
  }

  test('are never older than an acknowledged write, and most of them are made there', async () => {
    await seesOwnWrites(30)
    const { usd } = await newCustomer(client)
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        await fund(client, usd, n + 1)
        const { data } = (await client.get('/transactions?limit=20')).body
        expect(Array.isArray(data)).toBe(true)
      }),
    )
    expect(await outcome('replica')).toBeGreaterThan(20)
    expect((await client.get(`/internal-accounts/${usd}/statement?format=csv`)).status).toBeLessThan(500)
  })

  test('are made at the primary while the standby is behind', async () => {
    await atStandby('SELECT pg_wal_replay_pause()')
    const before = await outcome('late')
    await seesOwnWrites(3)
    expect(await outcome('late')).toBe(before! + 3)
    await atStandby('SELECT pg_wal_replay_resume()')
    await seesOwnWrites(3)
  })

  test('use the right database: another one is refused at the start', async () => {
    const other = await startCluster()
    try {
      await expect(openServer({ DATABASE_URL: cluster.url, DATABASE_READ_URL: other.url })).rejects.toThrow(
        'DATABASE_READ_URL leads to another database than DATABASE_URL',
      )
    } finally {
      await other.stop()
    }
  })

  test('continue at the primary when the standby has ended, also for a server that starts then', async () => {
    await standby.stop()
    await seesOwnWrites(3)
    expect(await outcome('failed')).toBeGreaterThan(0)
    const late = await openServer({ DATABASE_URL: cluster.url, DATABASE_READ_URL: standby.url })
    const own = await late.newPlatform()
    expect((await own.get('/customers')).status).toBe(200)
    await late.close()
  })
})
