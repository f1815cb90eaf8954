import type { Op } from '../../kernel/operation/app.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { DocumentRow } from '../../storage/rows/document.ts'
import { selectDocumentsOfCustomer } from './store.ts'

/** Far more than a verification requires. */
const DOCUMENTS_MAX = 1000

/** The documents of a customer and its owners, oldest first. */
export async function findDocumentsOf(op: Op, customerId: string): Promise<DocumentRow[]> {
  return selectDocumentsOfCustomer(op, customerId, DOCUMENTS_MAX)
}

/**
 * Marks documents as submitted: from then on they are neither replaced nor deleted. Guard: they are unchanged
 * since they were read.
 */
export function submitDocuments(op: Op, documents: readonly DocumentRow[]): Write[] {
  return documents
    .filter(({ submitted_at }) => submitted_at === null)
    .map((document) => setSubmitted(document, op.now))
}

/** Lets the named documents be replaced and deleted again. */
export function releaseDocuments(documents: readonly DocumentRow[], ids: ReadonlySet<string>): Write[] {
  return documents
    .filter(({ id, submitted_at }) => submitted_at !== null && ids.has(id))
    .map((document) => setSubmitted(document, null))
}

/** Leaves `updated_at` unchanged: the document's details stay the same. */
function setSubmitted({ id, version }: DocumentRow, submittedAt: Date | null): Write {
  const change = { submitted_at: submittedAt, version: version + 1 }
  return update('documents', id, { version, deleted_at: null }, change)
}
