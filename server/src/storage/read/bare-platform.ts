import type { BarePlatformRow } from '../rows/tables.ts'
import { lookupByKey } from './lookup.ts'

const COLUMNS = {
  id: true,
  name: true,
  clock_offset_ms: true,
  version: true,
  closed_at: true,
  successor_id: true,
  created_at: true,
  updated_at: true,
} as const satisfies Record<keyof BarePlatformRow, true>

/** The columns of a platform `p` except its config, which may be long. `App.withConfig` adds it. */
export const BARE_PLATFORM = Object.keys(COLUMNS)
  .map((column) => `p.${column}`)
  .join(', ')

export const BARE_PLATFORM_BY_ID = lookupByKey<BarePlatformRow>(
  `SELECT ${BARE_PLATFORM} FROM platforms p WHERE p.id = ANY ($1::uuid[])`,
  'id',
)
