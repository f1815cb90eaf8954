import { expect, test } from 'vitest'
import { createCommitter } from '../../../src/storage/commit/committer.ts'
import { toStoredWrite } from '../../../src/storage/commit/stored-write.ts'
import { expectRow, keep, update, type Write } from '../../../src/storage/commit/writes.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { testId } from '../../worlds/records/payments.testing.ts'

/** The number of elements of an array in PostgreSQL's binary form. */
function lengthOf(array: Buffer): number {
  return array.readInt32BE(0) === 0 ? 0 : array.readInt32BE(12)
}

/** A database with scripted results. `calls` are the functions with their numbers of sets. */
function answering(...answers: (Error | 'done')[]): { db: Database; calls: string[] } {
  const calls: string[] = []
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    // Each set removes one job.
    const removals = /removal_writes => \$(\d+)/.exec(sql)?.[1]
    if (sql.includes('regtype')) return { rows: [], affected: 0 }
    const sets: unknown[] = removals
      ? Array(lengthOf(parameters[Number(removals) - 1] as Buffer))
      : JSON.parse(String(parameters[0]))
    calls.push(`${removals ? 'together' : 'in turn'} ${sets.length}`)
    const answer = answers[calls.length - 1] ?? 'done'
    if (answer !== 'done') throw answer
    return { rows: [{ results: removals ? null : Array.from(sets, () => null) }], affected: 0 }
  }
  const db: Database = {
    kind: 'postgres',
    query: query as unknown as Database['query'],
    script: async () => {},
    close: async () => {},
  }
  return { db, calls }
}

const fault = (code: string | undefined) => Object.assign(new Error(`fault ${code}`), code ? { code } : {})
/** A guard failed, perhaps of the writes at these places. */
const refusal = (...places: number[]) => Object.assign(fault('CS002'), { detail: JSON.stringify(places) })
const remove = (id: number): Write => ({ write: 'remove', table: 'jobs', id: testId('Job', id) })

/**
 * The first set is done when the others arrive together. Each removes a job; the writes of some continue from
 * there.
 */
async function commit(
  db: Database,
  count: number,
  more: (n: number) => Write[] = () => [],
): Promise<string[]> {
  const committer = createCommitter(db)
  const sets = Array.from({ length: count }, (_, n) => [remove(n), ...more(n)])
  const first = await Promise.allSettled([committer.commit(sets[0]!)])
  const others = await Promise.allSettled(sets.slice(1).map((set) => committer.commit(set)))
  const results = [...first, ...others]
  return results.map(({ status }) => status)
}

const all = (count: number) => Array(count).fill('fulfilled')

test('sets that are decided within one turn of the event loop share a commit', async () => {
  const { db, calls } = answering()
  const committer = createCommitter(db)
  await Promise.all([0, 1, 2, 3].map((n) => committer.commit([remove(n)])))
  expect(calls).toEqual(['together 4'])
})

test('a few sets that arrive during a commit wait for its end, unlike many sets', async () => {
  const { db, calls } = answering()
  const ends: (() => void)[] = []
  const query = async (...call: Parameters<Database['query']>) => {
    const answer = db.query(...call)
    if (call[0].includes('regtype')) return answer
    await new Promise<void>((resolve) => ends.push(resolve))
    return answer
  }
  const committer = createCommitter({ ...db, query: query as Database['query'] })
  const committed: Promise<unknown>[] = []
  const commit = async (from: number, to: number) => {
    for (let n = from; n < to; n++) committed.push(committer.commit([remove(n)]))
    // Twice: the second turn of the event loop comes after everything that the first has begun.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
  await commit(0, 1)
  await commit(1, 4)
  expect(calls).toEqual(['together 1'])
  await commit(4, 100)
  expect(calls).toEqual(['together 1', 'together 99'])
  await commit(100, 200)
  expect(calls).toHaveLength(2)
  for (const end of ends) end()
  await commit(200, 200)
  expect(calls.slice(2)).toEqual(['together 100'])
  ends[2]!()
  await Promise.all(committed)
})

test('after a failed guard the suspect sets are written in turn, the others together', async () => {
  const { db, calls } = answering('done', refusal(0, 2))
  expect(await commit(db, 6)).toEqual(all(6))
  expect(calls).toEqual(['together 1', 'together 5', 'together 3', 'in turn 2'])
})

test('if the set with a failed guard is unknown, all are written in turn', async () => {
  const { db, calls } = answering('done', refusal())
  expect(await commit(db, 4)).toEqual(all(4))
  expect(calls).toEqual(['together 1', 'together 3', 'in turn 3'])
})

test('repeatedly failing guards do not keep a batch together forever', async () => {
  const { db, calls } = answering('done', refusal(0), refusal(0), refusal(0))
  expect(await commit(db, 6)).toEqual(all(6))
  expect(calls).toEqual(['together 1', 'together 5', 'together 4', 'together 3', 'in turn 5'])
})

test('a batch that the database refused is retried in turn and in halves, each set with its own outcome', async () => {
  const refused = fault('22P02')
  const { db, calls } = answering('done', refused, refused, refused, 'done', refused, 'done')
  expect(await commit(db, 4)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(calls).toEqual([
    ...['together 1', 'together 3', 'in turn 3', 'in turn 2', 'in turn 1', 'in turn 1', 'in turn 1'],
  ])
})

test.each(['40001', '40P01'])('a batch with a conflict (%s) is retried as a whole', async (code) => {
  const { db, calls } = answering('done', fault(code), 'done')
  expect(await commit(db, 4)).toEqual(all(4))
  expect(calls).toEqual(['together 1', 'together 3', 'together 3'])
})

test.each([undefined, 'ECONNRESET', 'EPIPE', '08006', '57P01'])(
  'a batch that may have been committed (%s) is not sent again',
  async (code) => {
    const { db, calls } = answering('done', fault(code))
    expect(await commit(db, 4)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
    expect(calls).toEqual(['together 1', 'together 3'])
  },
)

const now = new Date()
const key = (name: string) =>
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
const isOpen = (name: string) => expectRow('sessions', name, { revoked_at: null })
const used = (name: string) => update('signing_requests', name, { consumed_at: null }, { consumed_at: now })

test.each<[string, (n: number) => Write[], string[]]>([
  ['change one record', () => [used(testId('Request', 1))], ['together 1', 'in turn 3']],
  ['keep one key', () => [key('a')], ['together 1', 'in turn 3']],
  ['rely on one record', () => [isOpen(testId('Session', 1))], ['together 4']],
  [
    'change a record that the others rely on',
    (n) => [
      n === 1
        ? used(testId('Request', 1))
        : expectRow('signing_requests', testId('Request', 1), { consumed_at: null }),
    ],
    ['together 1', 'in turn 3'],
  ],
])('of sets that %s, those go together that no order could tell apart', async (_, more, expected) => {
  const { db, calls } = answering()
  expect(await commit(db, 5, more)).toEqual(all(5))
  expect(calls).toEqual(['together 1', ...expected])
})

test.each<[string, Write[]]>([
  ['changes one record twice', [used(testId('Request', 1)), used(testId('Request', 1))]],
  [
    'relies on a record that it changes',
    [expectRow('signing_requests', testId('Request', 1), { consumed_at: null }), used(testId('Request', 1))],
  ],
  [
    'changes what may be part of a unique constraint',
    [update('sessions', testId('Session', 1), { revoked_at: null }, { revoked_at: now })],
  ],
])('a set that %s is written in turn', async (_, writes) => {
  const { db, calls } = answering()
  const { commit } = createCommitter(db)
  expect(await commit(writes)).toEqual({ done: true })
  expect(calls).toEqual(['in turn 1'])
})

test('the job of an event comes after it', async () => {
  const { db, calls } = answering()
  const sent: unknown[] = []
  const { commit } = createCommitter({
    ...db,
    query: ((sql: string, parameters: readonly unknown[]) => {
      sent.push(JSON.parse(String(parameters[0])))
      return db.query(sql, parameters)
    }) as Database['query'],
  })
  const event: Write = {
    write: 'event',
    id: testId('Event', 1),
    platformId: testId('Platform', 1),
    type: 'TEST',
    objectId: testId('Event', 1),
    data: '{}',
    at: now,
  }
  await commit([event, used(testId('Request', 1)), used(testId('Request', 1))])
  expect(calls).toEqual(['in turn 1'])
  const stored = [{ ...toStoredWrite(event), at: now.toISOString() }, {}, {}]
  expect(sent[0]).toMatchObject([stored])
})

test('a set that cannot be encoded does not delay later sets', async () => {
  const { db, calls } = answering()
  const { commit } = createCommitter(db)
  const circular: Record<string, unknown> = {}
  circular.self = circular
  await expect(
    commit([update('transactions', testId('Transaction', 1), {}, { details: circular })]),
  ).rejects.toThrow('circular')
  expect(await commit([remove(1)])).toEqual({ done: true })
  expect(calls).toEqual(['together 1'])
})
