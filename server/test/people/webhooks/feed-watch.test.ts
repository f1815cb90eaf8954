import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFeedWatch } from '../../../src/people/webhooks/feed-watch.ts'
import { type Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { type Cluster, startCluster } from '../../worlds/server-process.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

// An open transaction stops every feed of a cluster. A separate cluster excludes the transactions of other
// tests.
let cluster: Cluster | undefined
let service: TestServer
let client: Client
let nowMs = 0
const stalledSeconds: number[] = []
const lines: unknown[] = []

beforeAll(async () => {
  cluster = process.env.DATABASE_URL ? await startCluster() : undefined
  service = await openServer(cluster ? { DATABASE_URL: cluster.url } : {})
  client = await service.newPlatform()
})

afterAll(async () => {
  await service.close()
  await cluster?.stop()
})

const newWatch = () =>
  createFeedWatch(service.app.db, () => new Date(nowMs), {
    still: (seconds) => stalledSeconds.push(seconds),
    log: { warn: (fields: unknown) => void lines.push(fields) } as never,
  })

const newEvent = () => client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' })

test('a moving feed is not reported as stalled', async () => {
  const watch = newWatch()
  for (const seconds of [0, 40, 80]) {
    nowMs = seconds * 1_000
    await newEvent()
    await watch()
  }
  expect(lines).toEqual([])
})

/** A transaction that another program of the cluster leaves open. */
async function openForgottenTransaction() {
  const connection = new pg.Client({ connectionString: cluster!.url, application_name: 'forgotten' })
  await connection.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT pg_current_xact_id()')
  return {
    async end() {
      await connection.query('ROLLBACK')
      await connection.end()
    },
  }
}

describe.skipIf(!process.env.DATABASE_URL)('an open transaction of another database of the cluster', () => {
  test('that delays events is measured, and named in the log once', async () => {
    const watch = newWatch()
    const transaction = await openForgottenTransaction()
    const { body } = await newEvent()
    stalledSeconds.length = 0
    for (const seconds of [100, 120, 131, 150]) {
      nowMs = seconds * 1_000
      await watch()
    }
    expect(stalledSeconds).toEqual([0, 20, 31, 50])
    expect(lines).toEqual([
      {
        seconds: 31,
        transactions: expect.arrayContaining([expect.objectContaining({ application: 'forgotten' })]),
      },
    ])
    await transaction.end()
    await expect
      .poll(async () => (await client.get(`/events?objectId=${body.id}`)).body.data.length)
      .toBeGreaterThan(0)
  })

  test('delays webhooks until it ends, but not a TEST event', async () => {
    const platform = await service.newPlatform()
    const { usd } = await newCustomer(platform)
    const transaction = await openForgottenTransaction()
    try {
      // Opening the receiver waits for its TEST event.
      const receiver = await Receiver.of(platform)
      await fund(platform, usd, 1)
      await platform.advance(0)
      expect(receiver.received).toEqual([])
      await transaction.end()
      await receiver.until((all) => all.length === 1)
    } finally {
      await transaction.end().catch(() => {})
    }
  })
})
