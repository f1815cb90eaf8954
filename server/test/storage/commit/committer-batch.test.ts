import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { parseJson, toJson } from '../../../src/base/json/json.ts'
import { createCommitter } from '../../../src/storage/commit/committer.ts'
import { toStoredWrite } from '../../../src/storage/commit/stored-write.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { type Database, sqlState } from '../../../src/storage/engine/port.ts'
import { ROWS } from '../../../src/storage/rows/row-columns.ts'
import { batch, makeWorld, setId, setsOf, type World } from '../../worlds/records/committer-steps.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const RUNS = 60

let host: SharedServer
beforeAll(async () => {
  host = await world('sandbox+quiet')
})

/** The numbers of the sets in the parameters of a statement, in their order there. */
function numbersIn(world: World, sets: readonly Write[][], parameters: readonly unknown[]): number[] {
  // In JSON as text, in arrays as bytes.
  const text = parameters.map((one) => (Buffer.isBuffer(one) ? one.toString('hex') : String(one))).join()
  const placeOf = (uuid: string) => Math.max(text.indexOf(uuid), text.indexOf(uuid.replaceAll('-', '')))
  const places = sets.map((_, n) => ({ n, at: placeOf(uuidOf(setId(world, n))) }))
  return places
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
    .map(({ n }) => n)
}

/** Commits everything at once. Returns the result of each set, and their order. */
async function throughCommitter(world: World, sets: readonly Write[][]) {
  const order: number[] = []
  let together = 0
  const codes: unknown[] = []
  const { db } = host.app
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    const numbers = numbersIn(world, sets, parameters)
    const answer = await db.query(sql, parameters).catch((error) => {
      // The fault of a set is a result as well.
      if (numbers.length === 1 && sql.includes('commit_write_sets')) order.push(...numbers)
      if (sql.includes('commit_together')) codes.push(sqlState(error))
      throw error
    })
    order.push(...numbers)
    if (sql.includes('commit_together')) together += numbers.length
    return answer
  }
  const { commit } = createCommitter({ ...db, query: query as Database['query'] })
  const results = await Promise.allSettled(sets.map((set) => commit(set)))
  return {
    order,
    together,
    codes,
    results: results.map((one) => (one.status === 'fulfilled' ? one.value : 'fault')),
  }
}

/** One after the other through the exact function, each in a separate transaction. */
async function inTurn(sets: readonly Write[][], order: readonly number[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const n of order) {
    const text = toJson([sets[n]!.map(toStoredWrite)])
    const one = await host.app.db
      .query<{ results: (object | null)[] }>('SELECT commit_write_sets($1::jsonb) AS results', [text])
      .then(({ rows: [row] }) => (row!.results[0] ? { done: false, ...row!.results[0] } : { done: true }))
      .catch(() => 'fault')
    results[n] = one
  }
  return results
}

const TABLES: Readonly<Record<string, string>> = {
  ledger_accounts: 'id',
  ledger_transfers: 'id',
  transactions: 'id',
  jobs: 'id',
  rail_payments: 'id',
  rail_events: 'id',
  idempotency_keys: 'scope, key',
  events: 'position',
}

/** The complete contents of a world, without its name. */
async function contents(world: World): Promise<unknown> {
  const { db } = host.app
  const all: Record<string, unknown> = {}
  for (const [table, order] of Object.entries(TABLES)) {
    const { rows } = await db.query(`SELECT * FROM ${table} WHERE platform_id = $1 ORDER BY ${order}`, [
      uuidOf(world.platformId),
    ])
    // The platform's own accounts are not the world's.
    all[table] = rows
      .filter(({ owner }) => owner !== world.platformId)
      .map(({ position: _, committed_in: __, digest: ___, ...row }) => row)
  }
  const text = toJson(all)
  return parseJson(text.replaceAll(world.platformId, 'PLATFORM').replaceAll(world.name, 'WORLD'))
}

test('rows that are written together have the columns of their tables, in that order', async () => {
  for (const [table, columns] of Object.entries(ROWS)) {
    const { rows } = await host.app.db.query<{ name: string }>(
      `SELECT attname::text AS name FROM pg_attribute
       WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [table],
    )
    expect(Object.keys(columns), table).toEqual(rows.map(({ name }) => name))
  }
})

test('references to rows of the same batch may be written before the rows', async () => {
  const { rows } = await host.app.db.query(
    `SELECT conrelid::regclass::text AS from, conname AS name FROM pg_constraint
     WHERE contype = 'f' AND NOT condeferred AND confrelid = ANY ($1::text[]::regclass[])
       AND conrelid <> ALL ($1::text[]::regclass[])`,
    [Object.keys(ROWS)],
  )
  expect(rows).toEqual([])
})

const nameOf = (world: number) => world.toString(16).padStart(8, 'a')

test('a batch has the results and rows of its sets executed one after the other, in some order', async () => {
  let worlds = 0
  const counts = { together: 0, inTurn: 0, done: 0, refused: 0, faults: 0 }
  await fc.assert(
    fc.asyncProperty(batch, async (steps) => {
      worlds += 1
      const [one, other] = [
        await makeWorld(host, nameOf(2 * worlds)),
        await makeWorld(host, nameOf(2 * worlds + 1)),
      ]
      const sets = setsOf(steps, one)
      const { order, together, codes, results } = await throughCommitter(one, sets)
      // A guard or a constraint: sets that fail for another reason are never written together.
      for (const code of codes) expect(code).toMatch(/^(CS002|23...)$/)
      expect([...order].sort((a, b) => a - b)).toEqual(sets.map((_, n) => n))
      expect(await inTurn(setsOf(steps, other), order)).toEqual(results)
      expect(await contents(other)).toEqual(await contents(one))
      counts.together += together
      counts.inTurn += sets.length - together
      for (const result of results)
        counts[result === 'fault' ? 'faults' : result.done ? 'done' : 'refused'] += 1
    }),
    { numRuns: RUNS },
  )
  // There was enough of everything.
  const { faults, ...others } = counts
  expect(Math.min(...Object.values(others)), JSON.stringify(counts)).toBeGreaterThan(RUNS / 10)
  expect(faults).toBeGreaterThan(0)
})
