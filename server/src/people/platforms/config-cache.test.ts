import { expect, test } from 'vitest'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import { createConfigCache } from './config-cache.ts'
import type { ConfigRow } from './store.ts'

const AT = new Date(0)

/** A table of platforms that counts its reads. */
function newTable() {
  const rows = new Map<string, ConfigRow>()
  const readIds: string[] = []
  return {
    readIds,
    lookup: (async (_of: unknown, id: string) => {
      readIds.push(id)
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

test('the config cache reads a config once per version and never returns another version', async () => {
  const table = newTable()
  const withConfig = createConfigCache(table.lookup)
  const first = table.put('Platform:1', 1)
  expect(await withConfig(first)).toMatchObject({ version: 1, config: { version: 1 }, clock_offset_ms: 5n })
  // The clock moves without the version.
  expect(await withConfig({ ...first, clock_offset_ms: 6n })).toMatchObject({ clock_offset_ms: 6n })
  expect(table.readIds).toHaveLength(1)
  const second = table.put('Platform:1', 2)
  expect(await withConfig(second)).toMatchObject({ version: 2, config: { version: 2 } })
  expect(await withConfig(second)).toMatchObject({ version: 2, config: { version: 2 } })
  expect(table.readIds).toHaveLength(2)
})

test('if a config changes between the two reads, the config cache returns the new one with its version', async () => {
  const table = newTable()
  const withConfig = createConfigCache(table.lookup)
  const before = table.put('Platform:1', 1)
  table.put('Platform:1', 2)
  const updated_at = new Date(2)
  expect(await withConfig(before)).toMatchObject({ version: 2, config: { version: 2 }, updated_at })
})

test('the config cache holds a limited number of configs, and operations cannot change them', async () => {
  const table = newTable()
  const withConfig = createConfigCache(table.lookup, 2)
  const [one, two, three] = ['Platform:1', 'Platform:2', 'Platform:3'].map((id) => table.put(id, 1))
  for (const platform of [one, two, three, two, three, one]) await withConfig(platform!)
  expect(table.readIds).toEqual(['Platform:1', 'Platform:2', 'Platform:3', 'Platform:1'])
  const config = (await withConfig(one!)).config as { nested: { list: { version: number }[] } }
  expect(() => {
    config.nested.list[0]!.version = 7
  }).toThrow(TypeError)
})
