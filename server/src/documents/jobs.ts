import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { deletionOf } from './documents.ts'
import { selectDocumentsOfCustomer } from './store.ts'

const AT_ONCE_MAX = 50

/** Removes the documents of a deleted customer and of its owners, also those of verifications, some at a time. */
export const removeDocuments: JobHandler<'documents.remove'> = async (op, { customerId }) => {
  const documents = await selectDocumentsOfCustomer(op, customerId, AT_ONCE_MAX)
  const writes = await Promise.all(documents.map((document) => deletionOf(op, document)))
  const isMore = documents.length === AT_ONCE_MAX
  return [...writes.flat(), ...(isMore ? [job(op, 'documents.remove', { customerId }, op.now)] : [])]
}
