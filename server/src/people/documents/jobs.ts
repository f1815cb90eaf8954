import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { buildNextDocumentRemovals } from './documents.ts'

/**
 * Deletes all documents of a deleted customer and its owners, including submitted ones. Each run deletes one
 * batch and schedules the next.
 */
export const removeDocuments: JobHandler<'documents.remove'> = async (op, { customerId }) => {
  const writes = await buildNextDocumentRemovals(op, customerId)
  return writes.length === 0 ? [] : [...writes, job(op, 'documents.remove', { customerId }, op.now)]
}
