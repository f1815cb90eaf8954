import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { someDocumentRemovals } from './documents.ts'

/** Deletes the documents of a deleted customer and its owners in batches, including submitted ones. */
export const removeDocuments: JobHandler<'documents.remove'> = async (op, { customerId }) => {
  const writes = await someDocumentRemovals(op, customerId)
  return writes.length === 0 ? [] : [...writes, job(op, 'documents.remove', { customerId }, op.now)]
}
