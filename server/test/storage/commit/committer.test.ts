import { expect, test } from 'vitest'
import { createCommitter } from '../../../src/storage/commit/committer.ts'
import { expectRow, keep, update, type Write } from '../../../src/storage/commit/writes.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { OIDS, ROWS } from '../../../src/storage/rows/row-columns.ts'
import { testId } from '../../worlds/records/payments.testing.ts'

/** The number of elements of an array in PostgreSQL's binary form. */
function readLength(array: Buffer): number {
  return array.readInt32BE(0) === 0 ? 0 : array.readInt32BE(12)
}

/** The columns of the tables, as the database returns them. */
const COLUMNS = Object.entries(ROWS).flatMap(([table, columns]) =>
  Object.entries(columns).map(([name, type]) => ({ table, row_oid: 1, name, oid: OIDS[type] })),
)

/** Finds the numbers of the jobs that a call removes. */
function findRemovedJobs(sql: string, parameters: readonly unknown[]): number[] {
  const position = Number(/removal_jobs => \$(\d+)/.exec(sql)?.[1])
  const bytes = (parameters[position - 1] as Buffer).toString('hex')
  return [...Array(128).keys()].filter((n) =>
    bytes.includes(extractUuid(testId('Job', n)).replaceAll('-', '')),
  )
}

/** A database with scripted outcomes. `calls` has the number of sets in each call. */
function createScriptedDatabase(...outcomes: (Error | 'done')[]): { db: Database; calls: number[] } {
  const calls: number[] = []
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    if (sql.includes('regtype')) return { rows: COLUMNS, affected: 0 }
    // Each set removes one job.
    const position = Number(/removal_writes => \$(\d+)/.exec(sql)?.[1])
    calls.push(readLength(parameters[position - 1] as Buffer))
    const outcome = outcomes[calls.length - 1] ?? 'done'
    if (outcome !== 'done') throw outcome
    return { rows: [], affected: 0 }
  }
  const db: Database = {
    kind: 'postgres',
    query: query as unknown as Database['query'],
    script: async () => {},
    close: async () => {},
  }
  return { db, calls }
}

const createFault = (code: string | undefined) =>
  Object.assign(new Error(`fault ${code}`), code ? { code } : {})
/** The error of a failed guard, which suspects the writes at these positions. */
const createRefusal = (...writes: number[]) =>
  Object.assign(createFault('CS002'), { detail: JSON.stringify({ guard: 'jobs', writes }) })
const removeJob = (id: number): Write => ({ write: 'remove', table: 'jobs', id: testId('Job', id) })

/** Commits one set, then the others together. Each set removes a job, and makes the writes of `more`. */
async function commit(
  db: Database,
  count: number,
  more: (n: number) => Write[] = () => [],
): Promise<string[]> {
  const committer = createCommitter(db)
  const sets = Array.from({ length: count }, (_, n) => [removeJob(n), ...more(n)])
  const first = await Promise.allSettled([committer.commit(sets[0]!)])
  const others = await Promise.allSettled(sets.slice(1).map((set) => committer.commit(set)))
  return [...first, ...others].map((one) =>
    one.status === 'rejected' ? 'fault' : one.value.done ? 'done' : one.value.name,
  )
}

const repeatDone = (count: number) => Array(count).fill('done')

test('write sets that arrive within one turn of the event loop share a commit', async () => {
  const { db, calls } = createScriptedDatabase()
  const committer = createCommitter(db)
  await Promise.all([0, 1, 2, 3].map((n) => committer.commit([removeJob(n)])))
  expect(calls).toEqual([4])
})

test('a few write sets that arrive during a commit wait for its end, but many do not', async () => {
  const { db, calls } = createScriptedDatabase()
  const ends: (() => void)[] = []
  const query = async (...call: Parameters<Database['query']>) => {
    const outcome = db.query(...call)
    if (call[0].includes('regtype')) return outcome
    await new Promise<void>((resolve) => ends.push(resolve))
    return outcome
  }
  const committer = createCommitter({ ...db, query: query as Database['query'] })
  const committed: Promise<unknown>[] = []
  const commit = async (from: number, to: number) => {
    for (let n = from; n < to; n++) committed.push(committer.commit([removeJob(n)]))
    // The second turn of the event loop comes after everything that the first one has started.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
  await commit(0, 1)
  await commit(1, 4)
  expect(calls).toEqual([1])
  await commit(4, 100)
  expect(calls).toEqual([1, 99])
  await commit(100, 200)
  expect(calls).toHaveLength(2)
  for (const end of ends) end()
  await commit(200, 200)
  expect(calls.slice(2)).toEqual([100])
  ends[2]!()
  await Promise.all(committed)
})

test('after a failed guard the suspect sets are written last, and a set that fails alone is refused', async () => {
  const { db, calls } = createScriptedDatabase(
    'done',
    createRefusal(0, 2),
    'done',
    createRefusal(1),
    'done',
    createRefusal(0),
  )
  expect(await commit(db, 6)).toEqual(['done', 'done', 'done', 'jobs', 'done', 'done'])
  expect(calls).toEqual([1, 5, 3, 2, 1, 1])
})

test('a batch in which one set always fails is halved down to it, and no other set is written twice', async () => {
  const { db } = createScriptedDatabase()
  const written: number[] = []
  let calls = 0
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    if (sql.includes('regtype')) return { rows: COLUMNS, affected: 0 }
    calls += 1
    const jobs = findRemovedJobs(sql, parameters)
    if (jobs.includes(77)) throw createFault('22P02')
    written.push(...jobs)
    return { rows: [], affected: 0 }
  }
  const { commit } = createCommitter({ ...db, query: query as unknown as Database['query'] })
  const results = await Promise.allSettled(Array.from({ length: 128 }, (_, n) => commit([removeJob(n)])))
  expect(results.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([77])
  expect(written.toSorted((a, b) => a - b)).toEqual([...Array(128).keys()].filter((n) => n !== 77))
  // One call for the batch, and two for each of seven halvings.
  expect(calls).toBe(15)
})

test('a batch that the database refused is retried in halves, and each set gets its own outcome', async () => {
  const refused = createFault('22P02')
  const { db, calls } = createScriptedDatabase('done', refused, refused, 'done', refused, 'done')
  expect(await commit(db, 4)).toEqual(['done', 'done', 'fault', 'done'])
  expect(calls).toEqual([1, 3, 2, 1, 1, 1])
})

test('a refused batch whose connection is lost during one part loses the outcome of that part only', async () => {
  const { db, calls } = createScriptedDatabase(
    'done',
    createFault('22P02'),
    createFault('ECONNRESET'),
    'done',
  )
  expect(await commit(db, 5)).toEqual(['done', 'fault', 'fault', 'done', 'done'])
  expect(calls).toEqual([1, 4, 2, 2])
})

test.each(['40001', '40P01'])('a batch with a conflict (%s) is retried as a whole', async (code) => {
  const { db, calls } = createScriptedDatabase('done', createFault(code), 'done')
  expect(await commit(db, 4)).toEqual(repeatDone(4))
  expect(calls).toEqual([1, 3, 3])
})

test.each([undefined, 'ECONNRESET', 'EPIPE', '08006', '57P01'])(
  'a batch that may have been committed (%s) is not sent again',
  async (code) => {
    const { db, calls } = createScriptedDatabase('done', createFault(code))
    expect(await commit(db, 4)).toEqual(['done', 'fault', 'fault', 'fault'])
    expect(calls).toEqual([1, 3])
  },
)

const now = new Date()
const saveResponse = (name: string) =>
  keep({
    scope: 'here',
    key: name,
    platform_id: testId('Platform', 1),
    request_hash: new Uint8Array(32),
    status: 200,
    body: '',
    created_at: now,
    expires_at: now,
  })
const expectOpen = (name: string) => expectRow('sessions', name, { revoked_at: null })
const revokeSession = (name: string) => update('sessions', name, { revoked_at: null }, { revoked_at: now })
const consumeRequest = (name: string) =>
  update('signing_requests', name, { consumed_at: null }, { consumed_at: now })

test.each<[string, (n: number) => Write[], number[]]>([
  ['change one record', () => [consumeRequest(testId('Request', 1))], [1, 1, 1, 1]],
  ['use one idempotency key', () => [saveResponse('a')], [1, 1, 1, 1]],
  ['rely on one record', () => [expectOpen(testId('Session', 1))], [4]],
  ['change tables with unique constraints', (n) => [revokeSession(testId('Session', n))], [4]],
  ['close accounts', (n) => (n === 2 ? [{ write: 'close', owner: testId('Customer', 1) }] : []), [3, 1]],
  [
    'change a record that the others rely on',
    (n) => [
      n === 1
        ? consumeRequest(testId('Request', 1))
        : expectRow('signing_requests', testId('Request', 1), { consumed_at: null }),
    ],
    [1, 1, 1, 1],
  ],
])('sets that %s share a batch if their order cannot matter', async (_, more, expected) => {
  const { db, calls } = createScriptedDatabase()
  expect(await commit(db, 5, more)).toEqual(repeatDone(5))
  expect(calls).toEqual([1, ...expected])
})

test('a set that cannot be encoded fails alone', async () => {
  const { db, calls } = createScriptedDatabase()
  const { commit } = createCommitter(db)
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const faulty = [update('transactions', testId('Transaction', 1), {}, { details: circular })]
  const [first, encodingFault, last] = await Promise.allSettled(
    [removeJob(1), ...faulty, removeJob(2)].map((one) => commit([one])),
  )
  expect(encodingFault).toMatchObject({ reason: { message: expect.stringContaining('circular') } })
  expect([first, last]).toMatchObject([{ value: { done: true } }, { value: { done: true } }])
  expect(calls).toEqual([1, 1])
})
