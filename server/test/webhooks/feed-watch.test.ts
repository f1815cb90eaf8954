import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../../../test/cluster.testing.ts'
import { createFeedWatch } from '../../src/webhooks/feed-watch.ts'
import type { Client } from '../client.testing.ts'
import { type OwnService, openOwnService } from '../reliability/service.testing.ts'

// An open transaction stops the feeds of a whole cluster, and those of other tests would be measured here.
let cluster: Cluster | undefined
let service: OwnService
let client: Client
let nowMs = 0
const stills: number[] = []
const lines: unknown[] = []

beforeAll(async () => {
  cluster = process.env.DATABASE_URL ? await startCluster() : undefined
  service = await openOwnService({}, cluster ? { DATABASE_URL: cluster.url } : {})
  client = await service.newPlatform()
})

afterAll(async () => {
  await service.close()
  await cluster?.stop()
})

const newWatch = () =>
  createFeedWatch(service.app.db, () => new Date(nowMs), {
    still: (seconds) => stills.push(seconds),
    log: { warn: (members: unknown) => void lines.push(members) } as never,
  })

const newEvent = () => client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' })

test('a feed that moves is not said to stand still', async () => {
  const look = newWatch()
  for (const seconds of [0, 40, 80]) {
    nowMs = seconds * 1_000
    await newEvent()
    await look()
  }
  expect(lines).toEqual([])
})

describe.skipIf(!process.env.DATABASE_URL)('an open transaction of another database of the cluster', () => {
  test('that holds up events is measured, and named in the log once', async () => {
    const look = newWatch()
    const other = new pg.Client({
      connectionString: cluster!.url,
      application_name: 'forgotten',
    })
    await other.connect()
    await other.query('BEGIN')
    await other.query('SELECT pg_current_xact_id()')
    const { body } = await newEvent()
    stills.length = 0
    for (const seconds of [100, 120, 131, 150]) {
      nowMs = seconds * 1_000
      await look()
    }
    expect(stills).toEqual([0, 20, 31, 50])
    expect(lines).toEqual([
      {
        seconds: 31,
        transactions: expect.arrayContaining([expect.objectContaining({ application: 'forgotten' })]),
      },
    ])
    await other.query('ROLLBACK')
    await other.end()
    await expect
      .poll(async () => (await client.get(`/events?objectId=${body.id}`)).body.data.length)
      .toBeGreaterThan(0)
  })
})
