import type { Op } from '../app.ts'
import { rowByKey } from '../db/lookup.ts'
import type { Read } from '../db/read.ts'
import type { PlatformRow } from '../db/schema/tables.ts'

/** What changes together, or not at all. */
export type ConfigRow = Pick<PlatformRow, 'id' | 'version' | 'config' | 'updated_at'>

export const CONFIG_BY_ID = rowByKey<ConfigRow>(
  'SELECT id, version, config, updated_at FROM platforms WHERE id = ANY ($1::text[])',
  'id',
)

export async function selectPlatform(op: Op): Promise<PlatformRow> {
  return op.read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', op.platform.id)
    .executeTakeFirstOrThrow()
}

/** A platform that was not reset. */
export async function selectOpenPlatform(read: Read, id: string): Promise<PlatformRow | undefined> {
  return read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** The platforms that were not reset, oldest first. */
export async function selectOpenPlatforms(read: Read): Promise<PlatformRow[]> {
  return read
    .selectFrom('platforms')
    .selectAll()
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function hasPlatforms(read: Read): Promise<boolean> {
  return (await read.selectFrom('platforms').select('id').limit(1).executeTakeFirst()) !== undefined
}
