import { expect, test } from 'vitest'
import { createCommitter } from '../src/db/committer.ts'
import type { Database } from '../src/db/port.ts'
import type { Write } from '../src/db/writes.ts'

/** A database that takes what it is told from a list, and counts how many sets each call had. */
function answering(...answers: (Error | 'done')[]): { db: Database; calls: number[] } {
  const calls: number[] = []
  const query = async (_sql: string, parameters: readonly unknown[] = []) => {
    const sets = JSON.parse(String(parameters[0])) as unknown[]
    calls.push(sets.length)
    const answer = answers[calls.length - 1] ?? 'done'
    if (answer !== 'done') throw answer
    return { rows: [{ results: sets.map(() => null) }], affected: 0 }
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
const set: Write[] = [{ write: 'remove', table: 'jobs', id: 'Job:1' }]

/** The first set is under way while the other three arrive, which then share a batch. */
async function commitFour(db: Database): Promise<string[]> {
  const { commit } = createCommitter(db)
  const results = await Promise.allSettled([commit(set), commit(set), commit(set), commit(set)])
  return results.map(({ status }) => status)
}

test('sets that arrive during a commit share the next one', async () => {
  const { db, calls } = answering()
  expect(await commitFour(db)).toEqual(Array(4).fill('fulfilled'))
  expect(calls).toEqual([1, 3])
})

test('a batch that the database refused is tried again set by set, each with its own outcome', async () => {
  const { db, calls } = answering('done', fault('22P02'), 'done', fault('22P02'), 'done')
  expect(await commitFour(db)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(calls).toEqual([1, 3, 1, 1, 1])
})

test.each(['40001', '40P01'])('a conflict between batches (%s) is tried again as a whole', async (code) => {
  const { db, calls } = answering('done', fault(code), 'done')
  expect(await commitFour(db)).toEqual(Array(4).fill('fulfilled'))
  expect(calls).toEqual([1, 3, 3])
})

test.each([undefined, 'ECONNRESET', 'EPIPE', '08006', '57P01'])(
  'a batch that may have been committed (%s) is not sent again',
  async (code) => {
    const { db, calls } = answering('done', fault(code))
    expect(await commitFour(db)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
    expect(calls).toEqual([1, 3])
  },
)
