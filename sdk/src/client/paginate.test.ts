import { describe, expect, test } from 'vitest'
import { createCaller } from '../wallet/hostile-backend.testing.ts'
import { paginate } from './paginate.ts'

describe('a paged list', () => {
  test('is fetched page by page with the same query, and only as far as it is consumed', async () => {
    const pages: Record<string, unknown> = {
      '': { data: [1, 2], hasMore: true, nextCursor: 'a' },
      a: { data: [], hasMore: true, nextCursor: 'b' },
      b: { data: [3], hasMore: false },
    }
    const { caller, calls } = createCaller((_, { query }) => {
      return { status: 200, body: pages[(query as { cursor?: string }).cursor ?? ''] }
    })
    const all: unknown[] = []
    for await (const item of paginate(caller, 'customer_list', { query: { region: 'US' } })) all.push(item)
    expect(all).toEqual([1, 2, 3])
    expect(calls.map(({ input }) => input.query)).toEqual([
      { region: 'US' },
      { region: 'US', cursor: 'a' },
      { region: 'US', cursor: 'b' },
    ])
    for await (const item of paginate(caller, 'customer_list')) {
      expect(item).toBe(1)
      break
    }
    expect(calls).toHaveLength(4)
  })
})
