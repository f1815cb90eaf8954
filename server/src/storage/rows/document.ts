import type { DocumentType } from '@countersign/contract/customers/documents'
import type { Static } from 'typebox'
import type { Stamped } from './stamped.ts'

/** A file in the file store, and the key that opens it. */
export interface StoredFileRow extends Stamped {
  id: string
  platform_id: string
  state: 'STAGED' | 'KEPT' | 'REMOVED'
  bytes: bigint
  sha256: Uint8Array
  /** The key of the bytes as sealed by the enclave; null once the file is removed. */
  sealed_key: Uint8Array | null
}

export interface DocumentRow extends Stamped {
  id: string
  platform_id: string
  /** A customer, or a beneficial owner of one. */
  holder_id: string
  /** The holder, or the business that it owns. */
  customer_id: string
  document_type: Static<typeof DocumentType>
  side: 'FRONT' | 'BACK' | null
  /** ISO 3166-1 alpha-2. */
  country: string
  /** The number as sealed by the enclave, and as it is shown; null where there is none, or the document is deleted. */
  sealed_number: Uint8Array | null
  shown_number: string | null
  issuing_authority: string | null
  /** YYYY-MM-DD. */
  issued_on: string | null
  file_id: string
  file_name: string
  /** Of the file's content. */
  content_type: 'application/pdf' | 'image/jpeg' | 'image/png'
  bytes: bigint
  sha256: Uint8Array
  /** When a verification was submitted with it: from then on it is neither replaced nor deleted. */
  submitted_at: Date | null
  deleted_at: Date | null
  version: number
}

/** A link to the file of a document, or a reading by such a link. Kept for good. */
export interface DocumentReadRow {
  id: string
  platform_id: string
  kind: 'LINK' | 'READ'
  document_id: string
  file_id: string
  /** Who made the link: the id of a token. */
  asked_by: string
  /** Of a reading: its link, and the address at the other end of the connection. */
  link_id: string | null
  address: string | null
  created_at: Date
  /** Of a link. */
  expires_at: Date | null
}
