import type { App, Op } from '../../kernel/operation/app.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { DocumentReadRow, DocumentRow } from '../../storage/rows/document.ts'

function selectPlatformDocuments(op: Op) {
  return op.read
    .selectFrom('documents')
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
}

export async function selectDocument(op: Op, id: string): Promise<DocumentRow | undefined> {
  return selectPlatformDocuments(op).selectAll().where('id', '=', id).executeTakeFirst()
}

/** A page of the documents of one holder, or of all holders. */
export function selectDocuments(op: Op, holderId: string | undefined) {
  return selectPlatformDocuments(op)
    .selectAll()
    .$call((q) => whereIfDefined(q, 'holder_id', '=', holderId))
}

/** Up to `limit` documents of a customer and its owners that are not deleted. */
export async function selectCustomerDocuments(
  op: Op,
  customerId: string,
  limit: number,
): Promise<DocumentRow[]> {
  return selectPlatformDocuments(op)
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** A link to a file, regardless of platform. */
export async function selectLink(app: Pick<App, 'read'>, id: string): Promise<DocumentReadRow | undefined> {
  return app.read
    .selectFrom('document_reads')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', 'LINK')
    .executeTakeFirst()
}

/** A submission's unexpired links, oldest first. */
export async function selectLinksRequestedBy(
  op: Op,
  requestedBy: string,
  now: Date,
): Promise<DocumentReadRow[]> {
  return op.read
    .selectFrom('document_reads')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('asked_by', '=', requestedBy)
    .where('kind', '=', 'LINK')
    .where('expires_at', '>', now)
    .orderBy('id')
    .execute()
}
