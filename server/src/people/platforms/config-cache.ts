import { Lru } from '../../base/crypto/lru.ts'
import type { WithConfig } from '../../kernel/operation/app.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import { CONFIG_BY_ID, type ConfigRow } from './store.ts'

/** A config has a few KiB, and at most 48 KiB. */
const PLATFORMS_MAX = 1000

/**
 * Caches the configs of platforms, so that a request or a job reads only a few columns.
 *
 * A cached config is never stale, however many processes share the database:
 * - Each operation reads the current version with its credentials or its job, and uses a config of exactly
 *   that version.
 * - Config and version change in one update of one row, and the database refuses a changed config with an
 *   unchanged version (`refuse_config_of_same_version`).
 * - Ids of platforms are never reused. A change between the two reads is loaded with its own version.
 */
export function createConfigCache(lookup: Lookup, platformsMax = PLATFORMS_MAX): WithConfig {
  const cache = new Lru<string, ConfigRow>(platformsMax)

  async function load(id: string): Promise<ConfigRow> {
    const row = await lookup(CONFIG_BY_ID, id)
    if (!row) throw new Error(`There is no platform ${id}`)
    freeze(row.config)
    cache.set(id, row)
    return row
  }

  return async (platform) => {
    const found = cache.get(platform.id)
    return { ...platform, ...(found?.version === platform.version ? found : await load(platform.id)) }
  }
}

/** Freezes a config, because many operations share it. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}
