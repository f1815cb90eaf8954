import { Lru } from '../../base/crypto/lru.ts'
import type { WithConfig } from '../../kernel/operation/app.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import { CONFIG_BY_ID, type ConfigRow } from './store.ts'

/** A config usually has a few KiB, and at most 48 KiB. */
const PLATFORMS_MAX = 1000

/**
 * Caches platform configs, so that a request or a job reads only a few columns of its platform. A cached
 * config is never stale: each operation reads the current version with its credentials or its job, and uses
 * exactly that version. The database rejects a config change without a new version
 * (`refuse_config_of_same_version`), and platform ids are never reused; a config that changes between the two
 * reads comes with its new version.
 */
export function createConfigCache(lookup: Lookup, platformsMax = PLATFORMS_MAX): WithConfig {
  const cache = new Lru<string, ConfigRow>(platformsMax)

  async function load(id: string): Promise<ConfigRow> {
    const row = await lookup(CONFIG_BY_ID, id)
    if (!row) throw new Error(`Platform ${id} does not exist`)
    freeze(row.config)
    cache.set(id, row)
    return row
  }

  return async (platform) => {
    const cached = cache.get(platform.id)
    return { ...platform, ...(cached?.version === platform.version ? cached : await load(platform.id)) }
  }
}

/** Freezes a config, because many operations share it. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const child of Object.values(value)) freeze(child)
}
