import type { Op } from '../app.ts'
import type { PlatformRow } from '../db/tables.ts'

export async function selectPlatform(op: Op): Promise<PlatformRow> {
  return op.read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', op.platform.id)
    .executeTakeFirstOrThrow()
}
