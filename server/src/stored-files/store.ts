import type { StoredFileRow } from '../db/schema/document-tables.ts'
import type { Op } from '../op/app.ts'

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
