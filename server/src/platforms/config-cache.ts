import { Lru } from '../crypto/lru.ts'
import type { Lookup } from '../db/read/lookup.ts'
import type { WithConfig } from '../op/app.ts'
import { CONFIG_BY_ID, type ConfigRow } from './store.ts'

/** A config is a few KiB, at most 48 KiB since there is a limit. */
const PLATFORMS_MAX = 1000

/**
 * Keeps the configs of the platforms that this process meets, so that a request or due work reads but a few columns.
 *
 * A config that is kept is never stale, however many processes share the database. Each operation reads the version anew,
 * with its credentials or its job, and a config is used for that very version alone. Config and version change in one
 * update of one row, the database refuses a config whose version does not move on (`refuse_config_of_same_version`), and a
 * platform's id is never another's. What is changed between the two reads is loaded with the version that it has.
 */
export function createConfigCache(lookup: Lookup, platformsMax = PLATFORMS_MAX): WithConfig {
  const kept = new Lru<string, ConfigRow>(platformsMax)

  async function load(id: string): Promise<ConfigRow> {
    const row = await lookup(CONFIG_BY_ID, id)
    if (!row) throw new Error(`There is no platform ${id}`)
    freeze(row.config)
    kept.set(id, row)
    return row
  }

  return async (platform) => {
    const found = kept.get(platform.id)
    return { ...platform, ...(found?.version === platform.version ? found : await load(platform.id)) }
  }
}

/** Many operations share it: what one of them did to it would be seen by all. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}
