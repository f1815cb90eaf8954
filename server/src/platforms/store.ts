import type { Op } from '../app.ts'
import type { Read } from '../db/read.ts'
import type { PlatformRow } from '../db/tables.ts'

export async function selectPlatform(op: Op): Promise<PlatformRow> {
  return op.read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', op.platform.id)
    .executeTakeFirstOrThrow()
}

export async function isPlatformThere(read: Read, id: string): Promise<boolean> {
  return (
    (await read.selectFrom('platforms').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  )
}

export async function hasPlatforms(read: Read): Promise<boolean> {
  return (await read.selectFrom('platforms').select('id').limit(1).executeTakeFirst()) !== undefined
}
