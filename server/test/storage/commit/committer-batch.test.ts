import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { parseJson, toJson } from '../../../src/base/json/json.ts'
import { insertPosition } from '../../../src/storage/commit/batch-parts.ts'
import { createCommitter } from '../../../src/storage/commit/committer.ts'
import { computeFootprint } from '../../../src/storage/commit/footprint.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Database, readSqlState } from '../../../src/storage/engine/port.ts'
import { ROWS } from '../../../src/storage/rows/row-columns.ts'
import { batch, buildWriteSets } from '../../worlds/records/committer-steps.testing.ts'
import {
  applySet,
  type Contents,
  EMPTY,
  firstSet,
  newWorld,
  setId,
  type World,
} from '../../worlds/records/committer-world.testing.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const RUNS = 60

let server: SharedServer
beforeAll(async () => {
  server = await world('sandbox+quiet')
})

/** Finds the numbers of the sets in the parameters of a statement, in that order. */
function findSetNumbers(world: World, sets: readonly Write[][], parameters: readonly unknown[]): number[] {
  // Ids are text in JSON, and bytes in arrays.
  const text = parameters
    .map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)))
    .join()
  const findPlace = (uuid: string) => Math.max(text.indexOf(uuid), text.indexOf(uuid.replaceAll('-', '')))
  const places = sets.map((_, n) => ({ n, at: findPlace(extractUuid(setId(world, n))) }))
  return places
    .filter(({ at }) => at >= 0)
    .sort((first, second) => first.at - second.at)
    .map(({ n }) => n)
}

/** Commits everything in parallel. Returns the result of each set, and their order. */
async function commitAll(world: World, sets: readonly Write[][]) {
  const order: number[] = []
  const sizes: number[] = []
  const codes: unknown[] = []
  const { db } = server.app
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    const numbers = findSetNumbers(world, sets, parameters)
    const result = await db.query(sql, parameters).catch((error) => {
      // The refusal or fault of one set is its result.
      if (numbers.length === 1) order.push(...numbers)
      else codes.push(readSqlState(error))
      throw error
    })
    order.push(...numbers)
    sizes.push(numbers.length)
    return result
  }
  const { commit } = createCommitter({ ...db, query: query as Database['query'] })
  const results = await Promise.allSettled(sets.map((set) => commit(set)))
  return {
    order,
    sizes,
    codes,
    results: results.map((one) =>
      one.status === 'rejected' ? 'fault' : one.value.done ? 'done' : one.value.guard,
    ),
  }
}

const TABLES = ['transactions', 'jobs', 'rail_payments', 'rail_events', 'member_roles']

/** Reads all rows of a world, in the shape of `Contents`. */
async function readContents(world: World): Promise<Record<keyof Contents, object>> {
  const read = async (table: string, nameRow: (row: Record<string, unknown>) => string) => {
    const query = `SELECT * FROM ${table} WHERE platform_id = $1`
    const { rows } = await server.app.db.query(query, [extractUuid(world.platformId)])
    return Object.fromEntries(rows.map((row) => [nameRow(row), row]))
  }
  const rows = await Promise.all(TABLES.map((table) => read(table, ({ id }) => `${table} ${id}`)))
  const keys = await read('idempotency_keys', ({ scope, key }) => `${scope} ${key}`)
  const accounts = await read('ledger_accounts', ({ id }) => String(id))
  return {
    rows: Object.assign({}, ...rows),
    keys: Object.fromEntries(Object.entries(keys).map(([name, { expires_at }]) => [name, expires_at])),
    // The platform's own accounts are not part of the world.
    accounts: Object.fromEntries(Object.entries(accounts).filter(([, one]) => one.owner !== one.platform_id)),
    transfers: await read('ledger_transfers', ({ id }) => String(id)),
    events: await read('events', ({ id }) => String(id)),
  }
}

/** Converts contents to the form in which the database returns them. */
function toStoredContents(contents: Contents): Record<keyof Contents, object> {
  const { rows, keys, accounts, transfers, events } = contents
  return {
    rows: Object.fromEntries(rows),
    keys: Object.fromEntries(keys),
    accounts: Object.fromEntries(
      [...accounts].map(([id, { posted, held, events }]) => [id, { posted, held, event_count: events }]),
    ),
    transfers: Object.fromEntries([...transfers].map(([id, { state }]) => [id, { state }])),
    events: Object.fromEntries(
      [...events].map(([id, { sequence, available = null, posted = null }]) => [
        id,
        { sequence, available, posted },
      ]),
    ),
  }
}

const toPlain = (value: unknown) => parseJson(toJson(value)) as Record<string, object>

test('rows that are written in batches have the columns of their tables, in that order', async () => {
  for (const [table, columns] of Object.entries(ROWS)) {
    const { rows } = await server.app.db.query<{ name: string }>(
      `SELECT attname::text AS name FROM pg_attribute
       WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [table],
    )
    expect(Object.keys(columns), table).toEqual(rows.map(({ name }) => name))
  }
})

test('a row is written after the rows that it refers to, unless the reference is checked at the end', async () => {
  const { rows } = await server.app.db.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
     WHERE contype = 'f' AND NOT condeferred AND connamespace = current_schema()::regnamespace`,
  )
  const arrays: readonly string[] = Object.keys(ROWS)
  // Rows passed as arrays are written last, in the order of their list.
  const findPlace = (table: string) => [arrays.indexOf(table), insertPosition(table)] as const
  const isWrittenAfter = ({ from, to }: { from: string; to: string }) => {
    const [[array, table], [otherArray, other]] = [findPlace(from), findPlace(to)]
    return array === otherArray ? table >= other : array > otherArray
  }
  expect(rows.filter((row) => !isWrittenAfter(row))).toEqual([])
  expect(rows.length).toBeGreaterThan(100)
})

const buildName = (world: number) => world.toString(16).padStart(8, 'a')

test('a batch has the same results and rows as its sets executed one after another in some order', async () => {
  let worlds = 0
  const counts = { together: 0, alone: 0, inTurn: 0, done: 0, refused: 0, fault: 0 }
  await fc.assert(
    fc.asyncProperty(batch, async (steps) => {
      worlds += 1
      const world = await newWorld(server, buildName(worlds))
      expect(await server.app.committer.commit(firstSet(world))).toEqual({ done: true })
      const sets = buildWriteSets(steps, world)
      const { order, sizes, codes, results } = await commitAll(world, sets)
      // A guard, a constraint, or two responses under one key. No batch fails only because its sets are combined.
      for (const code of codes) expect(code).toMatch(/^(CS002|23...|21000)$/)
      expect(order.toSorted((a, b) => a - b)).toEqual(sets.map((_, n) => n))
      let contents = applySet(EMPTY, firstSet(world)) ?? EMPTY
      for (const n of order) {
        const changed = applySet(contents, sets[n] ?? [])
        expect(results[n] === 'done', `set ${n}: ${results[n]}`).toBe(changed !== undefined)
        contents = changed ?? contents
      }
      const [expected, actual] = [toPlain(toStoredContents(contents)), toPlain(await readContents(world))]
      expect(actual).toMatchObject(expected)
      for (const kind in expected)
        expect(Object.keys(actual[kind] ?? {}), kind).toHaveLength(Object.keys(expected[kind] ?? {}).length)
      for (const size of sizes) counts[size === 1 ? 'alone' : 'together'] += size
      for (const result of results) counts[result === 'done' || result === 'fault' ? result : 'refused'] += 1
      counts.inTurn += sets.filter((set) => computeFootprint(set).inTurn).length
    }),
    { numRuns: RUNS },
  )
  // Every kind of outcome occurred often enough.
  const { fault, ...others } = counts
  expect(Math.min(...Object.values(others)), JSON.stringify(counts)).toBeGreaterThan(RUNS / 10)
  expect(fault).toBeGreaterThan(0)
})

/** The kinds of writes in the order in which `commit_together` makes them. */
const ORDER: readonly Write['write'][] = ['open', 'insert', 'update', 'expect', 'remove', 'keep']

test('a write set that needs no order has the same effect if its rows are written kind by kind', () => {
  const world: World = { name: buildName(0), platformId: testId('Platform', 1) }
  const before = applySet(EMPTY, firstSet(world)) ?? EMPTY
  let compared = 0
  fc.assert(
    fc.property(batch, (steps) => {
      for (const set of buildWriteSets(steps, world)) {
        if (computeFootprint(set).inTurn) continue
        compared += 1
        const findOrder = ({ write }: Write) => (ORDER.includes(write) ? ORDER.indexOf(write) : ORDER.length)
        const sorted = set.toSorted((one, other) => findOrder(one) - findOrder(other))
        expect(applySet(before, sorted)).toEqual(applySet(before, set))
      }
    }),
    { numRuns: RUNS },
  )
  expect(compared).toBeGreaterThan(RUNS)
})
