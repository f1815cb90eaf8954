import { expect, test } from 'vitest'
import { Lru } from './lru.ts'

test('a full LRU cache evicts its least recently used entry', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  expect(lru.get('a')).toBe(1)
  lru.set('c', 3)
  expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.size]).toEqual([1, undefined, 3, 2])
  for (let key = 0; key < 100; key += 1) lru.set(`k${key}`, key)
  expect(lru.size).toBe(2)
})

test('setting an existing key of an LRU cache refreshes it without adding an entry', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  lru.set('a', 3)
  lru.set('c', 4)
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([3, undefined, 4])
})
