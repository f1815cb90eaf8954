import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFeedWatch } from '../../../src/people/webhooks/feed-watch.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { isFull, type Random, seededRandom } from '../../reliability/faults.testing.ts'
import type { Client } from '../../worlds/client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const CUSTOMERS = isFull ? 400 : 60
const AT_ONCE = 4
/** Of 100 statements, before how many the database moves. */
const MOVES_PERCENT = 12

/**
 * A database that moves to another cluster before some of the statements. To the server that is another cluster on the
 * record, and other transaction numbers: here the base of the numbers becomes lower or higher instead. Commits in progress
 * end first, as they do before a database is switched over.
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
const stills: number[] = []

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
    still: (seconds) => stills.push(seconds),
    log: { warn: (...line: unknown[]) => void lines.push(line.at(-1)) } as never,
  })

const newCustomer = async (client: Client, fullName: string): Promise<string> => {
  const { status, body } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

interface Shown {
  readonly id: string
  readonly type: string
  readonly objectId: string
}

/** All events, page by page, from an event on. */
async function feedAfter(client: Client, last: Shown | undefined): Promise<Shown[]> {
  const events: Shown[] = []
  for (let after = last; ; after = events.at(-1)) {
    const { body } = await client.get(`/events?limit=100${after ? `&after=${after.id}` : ''}`)
    if (body.data.length === 0) return events
    events.push(...body.data)
  }
}

const ids = (events: readonly Shown[]) => events.map(({ id }) => id)

test('no follower and no webhook endpoint skips or repeats an event, whenever the database moves to another cluster', async () => {
  const client = await service.newPlatform()
  const receiver = await Receiver.of(client)
  const late = await Receiver.open()
  const watch = newWatch()
  const customers: string[] = []
  const followed: Shown[] = []
  /** Customers from before the later endpoint. */
  let before: string[] = []
  const writes = async (writer: number) => {
    for (let n = 0; n < CUSTOMERS / AT_ONCE; n += 1) {
      customers.push(await newCustomer(client, `Ada ${writer}.${n}`))
      if (writer > 0 || n !== Math.floor(CUSTOMERS / AT_ONCE / 2)) continue
      before = [...customers]
      expect((await client.post('/webhook-endpoints', { url: late.url })).status).toBe(201)
    }
  }
  let isOver = false
  const follows = async () => {
    while (!isOver) followed.push(...(await feedAfter(client, followed.at(-1))))
  }
  const watches = async () => {
    while (!isOver) await watch()
  }
  const random = seededRandom()
  database.random = random
  const readers = [follows(), watches()]
  await Promise.all(Array.from({ length: AT_ONCE }, (_, writer) => writes(writer)))
  database.random = undefined
  isOver = true
  await Promise.all(readers)
  await watch()

  const last = await newCustomer(client, 'Grace')
  await expect
    .poll(async () => {
      followed.push(...(await feedAfter(client, followed.at(-1))))
      return followed.at(-1)?.objectId
    })
    .toBe(last)
  const all = await feedAfter(client, undefined)
  expect(ids(followed)).toEqual(ids(all))
  expect(new Set(ids(all)).size).toBe(all.length)
  const { rows } = await service.app.db.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM events WHERE platform_id = $1',
    [uuidOf(client.credentials.platformId)],
  )
  expect(rows).toEqual([{ count: BigInt(all.length) }])
  expect(all.map(({ objectId }) => objectId)).toEqual(expect.arrayContaining(customers))

  const sent = all.filter(({ type }) => type !== 'TEST')
  await receiver.until((received) => received.length >= sent.length)
  expect(receiver.received.map(({ event }) => event.id).sort()).toEqual(ids(sent).sort())
  await late.until((received) => received.some(({ event }) => event.objectId === last))
  const lateIds = late.received.map(({ event }) => event.id)
  expect(new Set(lateIds).size).toBe(lateIds.length)
  const since = sent.slice(sent.findIndex(({ id }) => id === lateIds[0]))
  await late.until((received) => received.length >= since.length)
  expect(late.received.map(({ event }) => event.objectId).filter((id) => before.includes(id))).toEqual([])
  expect(database.moves).toBeGreaterThan(CUSTOMERS / 10)
})

test('events that a move has hidden are shown again without a write, within one look of the watch', async () => {
  const client = await service.newPlatform()
  const id = await newCustomer(client, 'Ada')
  const isShown = async () =>
    (await feedAfter(client, undefined)).some(({ objectId }: Shown) => objectId === id)
  await expect.poll(isShown).toBe(true)
  const look = newWatch()
  /** Hides the events, and looks once. The server's own watch may look first, and then this one finds nothing. */
  async function moveAndLook() {
    await database.move(3_000_000_000)
    await look()
    await newCustomer(client, 'Grace')
    await database.move(0)
    const wasShown = await isShown()
    lines.length = 0
    await look()
    return { wasShown, lines: [...lines] }
  }
  await expect.poll(moveAndLook).toEqual({
    wasShown: false,
    lines: ['continued event feed in another database cluster'],
  })
  await expect.poll(isShown).toBe(true)
})

test('numbers that went back in the same cluster are noticed by the watch', async () => {
  const client = await service.newPlatform()
  const look = newWatch()
  await newCustomer(client, 'Ada')
  const shown = await feedAfter(client, undefined)
  await service.app.db.script(
    `CREATE OR REPLACE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 0::bigint'`,
  )
  await look()
  await newCustomer(client, 'Grace')
  await expect.poll(async () => (await feedAfter(client, shown.at(-1))).length).toBeGreaterThan(0)
  expect(ids(await feedAfter(client, undefined)).slice(0, shown.length)).toEqual(ids(shown))
})

test('a feed that cannot be continued is reported as standing still, and commits are refused meanwhile', async () => {
  const client = await service.newPlatform()
  const look = newWatch()
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
  stills.length = 0
  lines.length = 0
  for (const seconds of [1_000, 1_020, 1_040]) {
    nowMs = seconds * 1_000
    await look()
  }
  expect(stills).toEqual([0, 20, 40])
  expect(lines).toContain('failed to continue event feed')
  expect(lines).toContain('event feed is stalled')
  const { status } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Grace' })
  expect(status).toBe(503)
  await service.app.db.script('DROP EVENT TRIGGER test_refuse')
  await look()
  await newCustomer(client, 'Alan')
})
