import type { DocumentType } from '@countersign/contract/customers/documents'
import type { Static } from 'typebox'
import type { Stamped } from './stamped.ts'

/** A file in the file store, and its sealed key. */
export interface StoredFileRow extends Stamped {
  id: string
  platform_id: string
  state: 'STAGED' | 'KEPT' | 'REMOVED'
  bytes: bigint
  sha256: Uint8Array
  /** The file's key, sealed by the enclave; null once the file is removed. */
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
  /** The number as sealed by the enclave, and as shown; null if the document has no number or is deleted. */
  sealed_number: Uint8Array | null
  shown_number: string | null
  issuing_authority: string | null
  /** YYYY-MM-DD. */
  issued_on: string | null
  file_id: string
  file_name: string
  /** Type of the file's content. */
  content_type: 'application/pdf' | 'image/jpeg' | 'image/png'
  bytes: bigint
  sha256: Uint8Array
  /**
   * The time when a verification was submitted with it. From then on it can be neither replaced nor deleted.
   */
  submitted_at: Date | null
  deleted_at: Date | null
  version: number
}

/** A link to the file of a document, or a download by such a link. Kept permanently. */
export interface DocumentReadRow {
  id: string
  platform_id: string
  kind: 'LINK' | 'READ'
  document_id: string
  file_id: string
  /** The token that made the link. */
  asked_by: string
  /** For downloads: the link, and the peer address of the connection. */
  link_id: string | null
  address: string | null
  created_at: Date
  /** For links. */
  expires_at: Date | null
}
