import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFeedWatch } from '../../../src/people/webhooks/feed-watch.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { isFull, type Random, seededRandom } from '../../reliability/faults.testing.ts'
import type { Client } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const CUSTOMERS = isFull ? 400 : 60
const WRITERS = 4
/** The percentage of statements before which the database moves. */
const MOVES_PERCENT = 12

/**
 * A database that moves to another cluster before some statements. A move changes the recorded cluster and the base of the
 * transaction numbers, after the commits in progress have ended.
 */
class MovingDatabase implements Database {
  readonly kind: Database['kind']
  readonly #db: Database
  random: Random | undefined
  moves = 0
  #moving: Promise<void> | undefined

  constructor(db: Database) {
    this.kind = db.kind
    this.#db = db
  }

  async query<Row>(...[sql, parameters, options]: Parameters<Database['query']>) {
    if (this.random && !this.#moving && this.random.below(100) < MOVES_PERCENT) {
      this.#moving = this.move(this.random.below(2_000_000_000))
      await this.#moving
      this.#moving = undefined
    }
    return this.#db.query<Row>(sql, parameters, options)
  }

  async move(base: number): Promise<void> {
    this.moves += 1
    await this.#db.script(`
LOCK TABLE settings IN ACCESS EXCLUSIVE MODE;
CREATE OR REPLACE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT ${base}::bigint';
UPDATE settings SET value = 'another cluster' WHERE name = 'feed_node';`)
  }

  script = (sql: string) => this.#db.script(sql)
  close = () => this.#db.close()
}

let service: TestServer
let database: MovingDatabase
const lines: unknown[] = []
let nowMs = 0
const stalledSeconds: number[] = []

beforeAll(async () => {
  service = await openServer(
    {},
    {
      openDatabase: async (config) => {
        database = new MovingDatabase(await openDatabase(config))
        return database
      },
    },
  )
})
afterAll(() => service.close())

const newWatch = () =>
  createFeedWatch(service.app.db, () => new Date(nowMs), {
    still: (seconds) => stalledSeconds.push(seconds),
    log: { warn: (...line: unknown[]) => void lines.push(line.at(-1)) } as never,
  })

const newCustomer = async (client: Client, fullName: string): Promise<string> => {
  const { status, body } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly objectId: string
}

/** Reads the feed page by page, from the beginning or after an event. */
async function readFeed(client: Client, lastEvent: FeedEvent | undefined): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  for (let after = lastEvent; ; after = events.at(-1)) {
    const { body } = await client.get(`/events?limit=100${after ? `&after=${after.id}` : ''}`)
    if (body.data.length === 0) return events
    events.push(...body.data)
  }
}

const listIds = (events: readonly FeedEvent[]) => events.map(({ id }) => id)

test('no follower and no webhook endpoint skips or repeats an event, whenever the database moves to another cluster', async () => {
  const client = await service.newPlatform()
  const receiver = await Receiver.of(client)
  const lateReceiver = await Receiver.open()
  const watch = newWatch()
  const customers: string[] = []
  const followedEvents: FeedEvent[] = []
  /** The customers created before the late endpoint. */
  let earlierCustomers: string[] = []
  const writeCustomers = async (writer: number) => {
    for (let n = 0; n < CUSTOMERS / WRITERS; n += 1) {
      customers.push(await newCustomer(client, `Ada ${writer}.${n}`))
      if (writer > 0 || n !== Math.floor(CUSTOMERS / WRITERS / 2)) continue
      earlierCustomers = [...customers]
      expect((await client.post('/webhook-endpoints', { url: lateReceiver.url })).status).toBe(201)
    }
  }
  let isOver = false
  const followFeed = async () => {
    while (!isOver) followedEvents.push(...(await readFeed(client, followedEvents.at(-1))))
  }
  const runWatch = async () => {
    while (!isOver) await watch()
  }
  const random = seededRandom()
  database.random = random
  const readers = [followFeed(), runWatch()]
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeCustomers(writer)))
  database.random = undefined
  isOver = true
  await Promise.all(readers)
  await watch()

  const lastCustomer = await newCustomer(client, 'Grace')
  await expect
    .poll(async () => {
      followedEvents.push(...(await readFeed(client, followedEvents.at(-1))))
      return followedEvents.at(-1)?.objectId
    })
    .toBe(lastCustomer)
  const feed = await readFeed(client, undefined)
  expect(listIds(followedEvents)).toEqual(listIds(feed))
  expect(new Set(listIds(feed)).size).toBe(feed.length)
  const { rows } = await service.app.db.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM events WHERE platform_id = $1',
    [extractUuid(client.credentials.platformId)],
  )
  expect(rows).toEqual([{ count: BigInt(feed.length) }])
  expect(feed.map(({ objectId }) => objectId)).toEqual(expect.arrayContaining(customers))

  const sentEvents = feed.filter(({ type }) => type !== 'TEST')
  await receiver.until((received) => received.length >= sentEvents.length)
  expect(receiver.received.map(({ event }) => event.id).sort()).toEqual(listIds(sentEvents).sort())
  await lateReceiver.until((received) => received.some(({ event }) => event.objectId === lastCustomer))
  const lateIds = lateReceiver.received.map(({ event }) => event.id)
  expect(new Set(lateIds).size).toBe(lateIds.length)
  const expectedEvents = sentEvents.slice(sentEvents.findIndex(({ id }) => id === lateIds[0]))
  await lateReceiver.until((received) => received.length >= expectedEvents.length)
  expect(
    lateReceiver.received.map(({ event }) => event.objectId).filter((id) => earlierCustomers.includes(id)),
  ).toEqual([])
  expect(database.moves).toBeGreaterThan(CUSTOMERS / 10)
})

test('events that a move has hidden are shown again by the next run of the watch, without a write', async () => {
  const client = await service.newPlatform()
  const id = await newCustomer(client, 'Ada')
  const isShown = async () =>
    (await readFeed(client, undefined)).some(({ objectId }: FeedEvent) => objectId === id)
  await expect.poll(isShown).toBe(true)
  const watch = newWatch()
  /** Hides the events, and runs the watch once. It finds nothing if the watch of the server has run first. */
  async function moveAndWatch() {
    await database.move(3_000_000_000)
    await watch()
    await newCustomer(client, 'Grace')
    await database.move(0)
    const wasShown = await isShown()
    lines.length = 0
    await watch()
    return { wasShown, lines: [...lines] }
  }
  await expect.poll(moveAndWatch).toEqual({
    wasShown: false,
    lines: ['continued event feed in another database cluster'],
  })
  await expect.poll(isShown).toBe(true)
})

test('the watch detects transaction numbers that went back in the same cluster', async () => {
  const client = await service.newPlatform()
  const watch = newWatch()
  await newCustomer(client, 'Ada')
  const shown = await readFeed(client, undefined)
  await service.app.db.script(
    `CREATE OR REPLACE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 0::bigint'`,
  )
  await watch()
  await newCustomer(client, 'Grace')
  await expect.poll(async () => (await readFeed(client, shown.at(-1))).length).toBeGreaterThan(0)
  expect(listIds(await readFeed(client, undefined)).slice(0, shown.length)).toEqual(listIds(shown))
})

test('a feed that cannot be continued is reported as stalled, and commits are refused until it continues', async () => {
  const client = await service.newPlatform()
  const watch = newWatch()
  await newCustomer(client, 'Ada')
  await service.app.db.script(`
    CREATE FUNCTION test_refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF tg_tag = 'CREATE FUNCTION' THEN RAISE EXCEPTION 'must be owner of function feed_base'; END IF;
    END $$;`)
  await database.move(0)
  await service.app.db.script(
    'CREATE EVENT TRIGGER test_refuse ON ddl_command_start EXECUTE FUNCTION test_refuse()',
  )
  stalledSeconds.length = 0
  lines.length = 0
  for (const seconds of [1_000, 1_020, 1_040]) {
    nowMs = seconds * 1_000
    await watch()
  }
  expect(stalledSeconds).toEqual([0, 20, 40])
  expect(lines).toContain('failed to continue event feed')
  expect(lines).toContain('event feed is stalled')
  const { status } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Grace' })
  expect(status).toBe(503)
  await service.app.db.script('DROP EVENT TRIGGER test_refuse')
  await watch()
  await newCustomer(client, 'Alan')
})
