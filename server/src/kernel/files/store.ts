import type { StoredFileRow } from '../../storage/rows/document.ts'
import type { Op } from '../operation/app.ts'

/** A stored file of this platform, in any state. */
export async function selectStoredFile(
  op: Pick<Op, 'read' | 'platform'>,
  id: string,
): Promise<StoredFileRow | undefined> {
  return op.read
    .selectFrom('stored_files')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** For jobs, whose payload has the file's id. Also finds files of platforms that were reset. */
export async function selectAnyStoredFile(op: Op, id: string): Promise<StoredFileRow | undefined> {
  return op.read.selectFrom('stored_files').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A batch of a platform's files that have not been removed. */
export async function selectPresentFiles(
  op: Op,
  platformId: string,
  limit: number,
): Promise<StoredFileRow[]> {
  return op.read
    .selectFrom('stored_files')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('sealed_key', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
}
