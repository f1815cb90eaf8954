import { describe, expect, test } from 'vitest'
import type { Op } from './app.ts'
import { ApiError } from './operation.ts'
import { pageOfItems } from './paging.ts'

const ITEMS = ['a', 'b', 'c', 'd', 'e']

/** The part of an operation that paging uses: its platform, and a key for cursors. */
function opOf(platformId: string): Op {
  const mac = (_: string, message: Uint8Array) => new Uint8Array(message).map((byte, at) => byte ^ (at * 7))
  return { platform: { id: platformId }, enclave: { mac } } as unknown as Op
}

interface Asked {
  readonly platformId?: string
  readonly list?: string
  readonly query?: { readonly limit?: number; readonly state?: string }
}

function read({ platformId = 'one', list = 'letters', query = { limit: 2 } }: Asked, cursor?: string) {
  const keyOf = (item: string) => item
  const asked = { ...query, ...(cursor === undefined ? {} : { cursor }) }
  return pageOfItems(opOf(platformId), asked, list, ITEMS, { keyOf, order: 'asc' })
}

/** The field that the refusal of a cursor names. */
function refusedField(asked: Asked, cursor: string): unknown {
  try {
    read(asked, cursor)
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error.details?.field : error
  }
}

describe('a cursor', () => {
  const cursor = read({}).nextCursor!

  test('continues its list, page by page, to the end', () => {
    const second = read({}, cursor)
    expect(second).toMatchObject({ data: ['c', 'd'], hasMore: true, totalCount: 5 })
    expect(read({}, second.nextCursor)).toEqual({ data: ['e'], hasMore: false, totalCount: 5 })
  })

  test('is refused after a change of any one character, cut or lengthened anywhere', () => {
    const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.']
    for (let at = 0; at < cursor.length; at++) {
      const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)]
      const changed = characters.filter((one) => one !== cursor[at]).map((one) => before + one + after)
      for (const one of [...changed, before, before + after, `${before}A${cursor.slice(at)}`])
        expect(refusedField({}, one), one).toBe('cursor')
    }
  })

  test('is refused by another list, another platform and for another query', () => {
    expect(refusedField({}, cursor)).toBeUndefined()
    expect(refusedField({ list: 'numbers' }, cursor)).toBe('cursor')
    expect(refusedField({ platformId: 'two' }, cursor)).toBe('cursor')
    for (const query of [{ limit: 3 }, {}, { limit: 2, state: 'OPEN' }])
      expect(refusedField({ query }, cursor)).toBe('cursor')
  })
})
