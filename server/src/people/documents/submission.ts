import type { Op } from '../../kernel/operation/app.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { DocumentRow } from '../../storage/rows/document.ts'
import { selectCustomerDocuments } from './store.ts'

/** Far more documents than any verification requires. */
const DOCUMENTS_MAX = 1000

/** The documents of a customer and its owners, oldest first. */
export async function findCustomerDocuments(op: Op, customerId: string): Promise<DocumentRow[]> {
  return selectCustomerDocuments(op, customerId, DOCUMENTS_MAX)
}

/**
 * Marks documents as submitted, so that they can no longer be replaced or deleted. Guard: the documents are
 * unchanged.
 */
export function submitDocuments(op: Op, documents: readonly DocumentRow[]): Write[] {
  return documents
    .filter(({ submitted_at }) => submitted_at === null)
    .map((document) => setSubmitted(document, op.now))
}

/** Makes submitted documents replaceable and deletable again. */
export function releaseDocuments(documents: readonly DocumentRow[], ids: ReadonlySet<string>): Write[] {
  return documents
    .filter(({ id, submitted_at }) => submitted_at !== null && ids.has(id))
    .map((document) => setSubmitted(document, null))
}

/** Does not touch `updated_at`, because the document's details stay the same. */
function setSubmitted({ id, version }: DocumentRow, submittedAt: Date | null): Write {
  const change = { submitted_at: submittedAt, version: version + 1 }
  return update('documents', id, { version, deleted_at: null }, change)
}
