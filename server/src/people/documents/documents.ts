import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type {
  document_create,
  document_get,
  document_replace,
} from '@countersign/contract/customers/documents'
import { removeFile } from '../../kernel/files/stored-files.ts'
import { documentRefusal } from '../../kernel/magic-values/document-outcomes.ts'
import { maySee, type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../kernel/operation/uploaded-file.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { DocumentRow } from '../../storage/rows/document.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { findBeneficialOwner } from '../customers/beneficial-owners.ts'
import { findCustomer } from '../customers/customers.ts'
import { detectFileType } from './file-type.ts'
import { selectDocument, selectDocumentsOfCustomer } from './store.ts'

type CreateBody = BodyOf<typeof document_create>
type ReplaceBody = BodyOf<typeof document_replace>
type DocumentView = SuccessOf<typeof document_get>['body']

/** A document of this platform. Throws 404 `DOCUMENT_NOT_FOUND`, also if it was deleted. */
export async function findDocument(op: Op, id: string, field = 'documentId'): Promise<DocumentRow> {
  const document = await selectDocument(op, id)
  if (!document || !maySee(op, document.customer_id))
    throw new ApiError('DOCUMENT_NOT_FOUND', { details: { field } })
  return document
}

/** The holder of a document, and the customer to which the holder belongs. */
export interface Holder {
  readonly id: string
  readonly customer: CustomerRow
}

/**
 * Finds a holder by id. Errors, naming `documentHolder`: 404 `USER_NOT_FOUND` or
 * `BENEFICIAL_OWNER_NOT_FOUND`, 410 `CUSTOMER_DELETED`.
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
    ...columnsOf(op, id, body, file),
    created_at: op.now,
    updated_at: op.now,
    submitted_at: null,
    deleted_at: null,
    version: 1,
  }
}

/** The columns that change when a document is replaced. */
export function replacementColumns(op: Op, document: DocumentRow, body: ReplaceBody, file: UploadedFile) {
  return { ...columnsOf(op, document.id, body, file), updated_at: op.now, version: document.version + 1 }
}

function columnsOf(op: Op, id: string, body: ReplaceBody, file: UploadedFile) {
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
 * Detects a file's type from its content. Throws 400 for other types and for truncated files; in the sandbox
 * also the errors that magic file names trigger.
 */
function checkFileType(op: Op, { name, head, tail }: UploadedFile): DocumentRow['content_type'] {
  const found = detectFileType(head, tail)
  if (!found) throw fieldError('INVALID_INPUT', 'file', 'file must be a PDF, a JPEG or a PNG')
  if (!found.isWhole) throw fieldError('INVALID_INPUT', 'file', 'file is cut off: its end is missing')
  const refusal = op.mode === 'sandbox' ? documentRefusal(name) : undefined
  if (refusal) throw new ApiError(refusal, { details: { field: 'file' } })
  return found.type
}

/** Throws 400 naming the field if the date is in the future. */
function checkIssueDate({ now }: Op, date: string | undefined): string | null {
  if (date !== undefined && date > now.toISOString())
    throw fieldError('INVALID_INPUT', 'issuedOn', 'issuedOn is in the future')
  return date ?? null
}

const SHOWN_CHARACTERS_MAX = 4

/**
 * Shows the last four characters of a number, or the last half of a short one, and masks the rest with `*`.
 */
function maskNumber(number: string): string {
  const characters = [...number]
  const shown = Math.min(SHOWN_CHARACTERS_MAX, Math.floor(characters.length / 2))
  const hidden = characters.length - shown
  return '*'.repeat(hidden) + characters.slice(hidden).join('')
}

/** The writes that delete a document and its file. Guard: the document is unchanged. */
export async function deletionWrites(op: Op, document: DocumentRow): Promise<readonly Write[]> {
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
 * The writes that delete a batch of documents of a customer and its owners, including submitted ones. Empty
 * if none are left.
 */
export async function nextDocumentRemovals(op: Op, customerId: string): Promise<readonly Write[]> {
  const documents = await selectDocumentsOfCustomer(op, customerId, BATCH_MAX)
  return (await Promise.all(documents.map((document) => deletionWrites(op, document)))).flat()
}

const DAY_SECONDS = 24 * 60 * 60

/** The job that deletes the documents of a deleted customer when their retention period ends. */
export function removalOfDocuments(op: Op, customerId: string): Write {
  const dueAt = plusSeconds(op.now, op.documentRetentionDays * DAY_SECONDS)
  return job(op, 'documents.remove', { customerId }, dueAt)
}

/** A document as the API shows it. */
export function documentView(row: DocumentRow): DocumentView {
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
