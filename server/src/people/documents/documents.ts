import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type {
  document_create,
  document_get,
  document_replace,
} from '@countersign/contract/customers/documents'
import { removeFile } from '../../kernel/files/stored-files.ts'
import { findDocumentRefusal } from '../../kernel/magic-values/document-outcomes.ts'
import { addSeconds, canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../kernel/operation/uploaded-file.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { DocumentRow } from '../../storage/rows/document.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { findBeneficialOwner } from '../customers/beneficial-owners.ts'
import { findCustomer } from '../customers/customers.ts'
import { detectFileType } from './file-type.ts'
import { selectCustomerDocuments, selectDocument } from './store.ts'

type CreateBody = BodyOf<typeof document_create>
type ReplaceBody = BodyOf<typeof document_replace>
type DocumentView = SuccessOf<typeof document_get>['body']

/** Finds a document. Throws 404 `DOCUMENT_NOT_FOUND`, also if it was deleted. */
export async function findDocument(op: Op, id: string, field = 'documentId'): Promise<DocumentRow> {
  const document = await selectDocument(op, id)
  if (!document || !canSee(op, document.customer_id))
    throw new ApiError('DOCUMENT_NOT_FOUND', { details: { field } })
  return document
}

/** The holder of a document, and the customer to which the holder belongs. */
export interface Holder {
  readonly id: string
  readonly customer: CustomerRow
}

/**
 * Finds a holder by id. Throws 404 `USER_NOT_FOUND` or `BENEFICIAL_OWNER_NOT_FOUND`, or 410
 * `CUSTOMER_DELETED`, naming `documentHolder`.
 */
export async function findHolder(op: Op, id: string): Promise<Holder> {
  const isOwner = id.startsWith('BeneficialOwner:')
  const customerId = isOwner ? (await findBeneficialOwner(op, id, 'documentHolder')).customer_id : id
  return { id, customer: await findCustomer(op, customerId, 'documentHolder') }
}

/** Throws 409 `DOCUMENT_SUBMITTED` if the document was submitted with a verification. */
export function checkIsOpen(document: DocumentRow): void {
  if (document.submitted_at) throw new ApiError('DOCUMENT_SUBMITTED', { details: { field: 'documentId' } })
}

/** A new document row for an uploaded file. */
export function makeDocument(op: Op, holder: Holder, body: CreateBody, file: UploadedFile): DocumentRow {
  const id = op.newId('Document')
  return {
    id,
    platform_id: op.platform.id,
    holder_id: holder.id,
    customer_id: holder.customer.id,
    ...buildFileColumns(op, id, body, file),
    created_at: op.now,
    updated_at: op.now,
    submitted_at: null,
    deleted_at: null,
    version: 1,
  }
}

/** The columns that change when a document is replaced. */
export function buildReplacementColumns(
  op: Op,
  document: DocumentRow,
  body: ReplaceBody,
  file: UploadedFile,
) {
  return {
    ...buildFileColumns(op, document.id, body, file),
    updated_at: op.now,
    version: document.version + 1,
  }
}

function buildFileColumns(op: Op, id: string, body: ReplaceBody, file: UploadedFile) {
  const { documentNumber: number } = body
  return {
    document_type: body.documentType,
    side: body.side ?? null,
    country: body.country,
    sealed_number: number === undefined ? null : op.enclave.sealText('document', id, number),
    shown_number: number === undefined ? null : maskNumber(number),
    issuing_authority: body.issuingAuthority ?? null,
    issued_on: checkIssueDate(op, body.issuedOn),
    file_id: file.id,
    file_name: file.name,
    content_type: checkFileType(op, file),
    bytes: BigInt(file.bytes),
    sha256: file.sha256,
  }
}

/**
 * Detects a file's type from its content. Throws 400 for other types and for truncated files. In the sandbox,
 * magic file names trigger other errors.
 */
function checkFileType(op: Op, { name, head, tail }: UploadedFile): DocumentRow['content_type'] {
  const fileType = detectFileType(head, tail)
  if (!fileType) throw createFieldError('INVALID_INPUT', 'file', 'file must be a PDF, a JPEG or a PNG')
  if (!fileType.isComplete)
    throw createFieldError('INVALID_INPUT', 'file', 'file is incomplete: its end is missing')
  const refusal = op.mode === 'sandbox' ? findDocumentRefusal(name) : undefined
  if (refusal) throw new ApiError(refusal, { details: { field: 'file' } })
  return fileType.type
}

/** Throws 400 naming the field if the date is in the future. */
function checkIssueDate({ now }: Op, date: string | undefined): string | null {
  if (date !== undefined && date > now.toISOString())
    throw createFieldError('INVALID_INPUT', 'issuedOn', 'issuedOn is in the future')
  return date ?? null
}

const SHOWN_CHARACTERS_MAX = 4

/**
 * Masks a number with `*`, except for its last four characters, or the last half of a short number.
 */
function maskNumber(number: string): string {
  const characters = [...number]
  const shown = Math.min(SHOWN_CHARACTERS_MAX, Math.floor(characters.length / 2))
  const hidden = characters.length - shown
  return '*'.repeat(hidden) + characters.slice(hidden).join('')
}

/** Builds the writes that delete a document and its file. Guard: the document is unchanged. */
export async function buildDeletionWrites(op: Op, document: DocumentRow): Promise<readonly Write[]> {
  const { id, version, file_id } = document
  const change = {
    sealed_number: null,
    shown_number: null,
    deleted_at: op.now,
    updated_at: op.now,
    version: version + 1,
  }
  return [update('documents', id, { version, deleted_at: null }, change), ...(await removeFile(op, file_id))]
}

const BATCH_MAX = 50

/**
 * Builds the writes that delete a batch of documents of a customer and its owners, including submitted ones.
 * Empty if none are left.
 */
export async function buildNextDocumentRemovals(op: Op, customerId: string): Promise<readonly Write[]> {
  const documents = await selectCustomerDocuments(op, customerId, BATCH_MAX)
  return (await Promise.all(documents.map((document) => buildDeletionWrites(op, document)))).flat()
}

const DAY_SECONDS = 24 * 60 * 60

/** Schedules the deletion of a deleted customer's documents when their retention period ends. */
export function scheduleDocumentRemoval(op: Op, customerId: string): Write {
  const dueAt = addSeconds(op.now, op.documentRetentionDays * DAY_SECONDS)
  return job(op, 'documents.remove', { customerId }, dueAt)
}

/** Converts a document to its API form. */
export function toDocumentView(row: DocumentRow): DocumentView {
  return {
    ...present({
      side: row.side,
      documentNumber: row.shown_number,
      issuingAuthority: row.issuing_authority,
      issuedOn: row.issued_on,
    }),
    id: row.id,
    documentHolder: row.holder_id,
    documentType: row.document_type,
    country: row.country,
    fileName: row.file_name,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
