import { expect, test } from 'vitest'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import { createConfigCache } from './config-cache.ts'
import type { ConfigRow } from './store.ts'

const AT = new Date(0)

/** A table of platforms that counts its reads. */
function newTable() {
  const rows = new Map<string, ConfigRow>()
  const asked: string[] = []
  return {
    asked,
    lookup: (async (_of: unknown, id: string) => {
      asked.push(id)
      return rows.get(id)
    }) as unknown as Lookup,
    put(id: string, version: number): BarePlatformRow {
      const config = { version, nested: { list: [{ version }] } }
      rows.set(id, { id, version, config, updated_at: new Date(version) })
      return {
        id,
        name: 'Test',
        version,
        clock_offset_ms: 5n,
        closed_at: null,
        successor_id: null,
        created_at: AT,
        updated_at: new Date(version),
      }
    },
  }
}

test('a config is read once per version, and one of another version is never returned', async () => {
  const table = newTable()
  const withConfig = createConfigCache(table.lookup)
  const first = table.put('Platform:1', 1)
  expect(await withConfig(first)).toMatchObject({ version: 1, config: { version: 1 }, clock_offset_ms: 5n })
  // The clock moves without the version.
  expect(await withConfig({ ...first, clock_offset_ms: 6n })).toMatchObject({ clock_offset_ms: 6n })
  expect(table.asked).toHaveLength(1)
  const second = table.put('Platform:1', 2)
  expect(await withConfig(second)).toMatchObject({ version: 2, config: { version: 2 } })
  expect(await withConfig(second)).toMatchObject({ version: 2, config: { version: 2 } })
  expect(table.asked).toHaveLength(2)
})

test('a change between the two reads is returned with its own version', async () => {
  const table = newTable()
  const withConfig = createConfigCache(table.lookup)
  const before = table.put('Platform:1', 1)
  table.put('Platform:1', 2)
  const updated_at = new Date(2)
  expect(await withConfig(before)).toMatchObject({ version: 2, config: { version: 2 }, updated_at })
})

test('configs of a limited number of platforms are cached, and no operation can change one for the others', async () => {
  const table = newTable()
  const withConfig = createConfigCache(table.lookup, 2)
  const [one, two, three] = ['Platform:1', 'Platform:2', 'Platform:3'].map((id) => table.put(id, 1))
  for (const platform of [one, two, three, two, three, one]) await withConfig(platform!)
  expect(table.asked).toEqual(['Platform:1', 'Platform:2', 'Platform:3', 'Platform:1'])
  const config = (await withConfig(one!)).config as { nested: { list: { version: number }[] } }
  expect(() => {
    config.nested.list[0]!.version = 7
  }).toThrow(TypeError)
})
