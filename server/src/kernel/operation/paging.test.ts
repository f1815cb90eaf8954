import { describe, expect, test } from 'vitest'
import type { Op } from './app.ts'
import { ApiError } from './operation.ts'
import { buildPageOfItems } from './paging.ts'

const ITEMS = ['a', 'b', 'c', 'd', 'e']

/** Builds the parts of an operation that paging uses: its platform, and a key for cursors. */
function buildOp(platformId: string): Op {
  const mac = (_: string, message: Uint8Array) => new Uint8Array(message).map((byte, at) => byte ^ (at * 7))
  return { platform: { id: platformId }, enclave: { mac } } as unknown as Op
}

interface ListRequest {
  readonly platformId?: string
  readonly list?: string
  readonly query?: { readonly limit?: number; readonly state?: string }
}

function read({ platformId = 'one', list = 'letters', query = { limit: 2 } }: ListRequest, cursor?: string) {
  const toKey = (item: string) => item
  const pageQuery = { ...query, ...(cursor === undefined ? {} : { cursor }) }
  return buildPageOfItems(buildOp(platformId), pageQuery, list, ITEMS, { keyOf: toKey, order: 'asc' })
}

/** Returns the field named by the error for a cursor. */
function findRefusedField(request: ListRequest, cursor: string): unknown {
  try {
    read(request, cursor)
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error.details?.field : error
  }
}

describe('the cursor of a list', () => {
  const cursor = read({}).nextCursor!

  test('continues the list page by page to its end', () => {
    const second = read({}, cursor)
    expect(second).toMatchObject({ data: ['c', 'd'], hasMore: true, totalCount: 5 })
    expect(read({}, second.nextCursor)).toEqual({ data: ['e'], hasMore: false, totalCount: 5 })
  })

  test('is rejected if any character was changed, removed or added', () => {
    const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.']
    for (let at = 0; at < cursor.length; at++) {
      const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)]
      const changed = characters
        .filter((letter) => letter !== cursor[at])
        .map((letter) => before + letter + after)
      for (const invalid of [...changed, before, before + after, `${before}A${cursor.slice(at)}`])
        expect(findRefusedField({}, invalid), invalid).toBe('cursor')
    }
  })

  test('is rejected for another list, another platform or another query', () => {
    expect(findRefusedField({}, cursor)).toBeUndefined()
    expect(findRefusedField({ list: 'numbers' }, cursor)).toBe('cursor')
    expect(findRefusedField({ platformId: 'two' }, cursor)).toBe('cursor')
    for (const query of [{ limit: 3 }, {}, { limit: 2, state: 'OPEN' }])
      expect(findRefusedField({ query }, cursor)).toBe('cursor')
  })
})
