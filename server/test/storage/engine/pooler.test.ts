import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  type Cluster,
  ensureServerBuilt,
  hasPooler,
  onPostgres,
  openPlace,
  ServerProcess,
  startCluster,
  startPooler,
} from '../../worlds/server-process.testing.ts'

const RECOVERY_MS = 60_000
const isPoolerMissing = !(await hasPooler())
if (onPostgres && isPoolerMissing) process.stderr.write('Skipped: pgbouncer is not installed\n')

describe.skipIf(!onPostgres || isPoolerMissing)('a server behind pgbouncer (skipped without it)', () => {
  let cluster: Cluster
  let place: Awaited<ReturnType<typeof openPlace>>
  beforeAll(async () => {
    await ensureServerBuilt()
    cluster = await startCluster()
    place = await openPlace('unused')
    const db = await openPostgres(cluster.url)
    // The settings that the operations guide recommends for pgbouncer.
    for (const setting of [
      "TimeZone = 'UTC'",
      "default_transaction_isolation = 'read committed'",
      'enable_seqscan = off',
      'jit = off',
    ])
      await db.query(`ALTER DATABASE postgres SET ${setting}`)
    await db.close()
  })
  afterAll(async () => {
    await place.remove()
    await cluster.stop()
  })

  test.each(['session', 'transaction'] as const)(
    'in %s mode returns 503 while PostgreSQL is stopped, stays alive, and recovers afterwards',
    async (mode) => {
      const pooler = await startPooler(cluster, mode)
      const server = await ServerProcess.ready(place, {
        DATABASE_URL: pooler.url,
        ...(mode === 'transaction' ? { DATABASE_PREPARE: 'off' } : {}),
      })
      const client = server.client()
      const readStatus = async (path: string) => (await fetch(`${server.origin}${path}`)).status
      const newCustomer = () =>
        client.post('/customers', { customerType: 'INDIVIDUAL', fullName: `Ada of ${mode}` })
      expect((await newCustomer()).status).toBe(201)
      expect(await readStatus('/readyz')).toBe(200)

      await cluster.pause()
      for (let n = 0; n < 3; n++)
        for (const refused of [await newCustomer(), await client.get('/customers')]) {
          expectError(refused, { code: 'UNAVAILABLE' })
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        }
      expect(await readStatus('/readyz')).toBe(503)
      expect(await readStatus('/healthz')).toBe(200)

      await cluster.resume()
      await expect.poll(() => readStatus('/readyz'), { timeout: RECOVERY_MS }).toBe(200)
      await expect.poll(async () => (await newCustomer()).status, { timeout: RECOVERY_MS }).toBe(201)
      const { data } = (await client.get('/customers?limit=100')).body
      const names = data.map(({ fullName }: { fullName: string }) => fullName)
      expect(names.filter((name: string) => name === `Ada of ${mode}`)).toHaveLength(2)
      expect((await server.kill('SIGTERM')).code).toBe(0)
      await pooler.stop()
    },
  )
})
