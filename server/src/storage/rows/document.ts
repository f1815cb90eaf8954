import type { DocumentType } from '@countersign/contract/customers/documents'
import type { Static } from 'typebox'
import type { Stamped } from './stamped.ts'

/** A file in the file store, and its sealed encryption key. */
export interface StoredFileRow extends Stamped {
  id: string
  platform_id: string
  state: 'STAGED' | 'KEPT' | 'REMOVED'
  bytes: bigint
  sha256: Uint8Array
  /** The encryption key, sealed by the enclave. Null once the file is removed. */
  sealed_key: Uint8Array | null
}

export interface DocumentRow extends Stamped {
  id: string
  platform_id: string
  /** A customer, or a beneficial owner of a customer. */
  holder_id: string
  /** The holder, or the business it owns. */
  customer_id: string
  document_type: Static<typeof DocumentType>
  side: 'FRONT' | 'BACK' | null
  /** ISO 3166-1 alpha-2. */
  country: string
  /**
   * The document number, sealed by the enclave and as shown. Null if the document has no number or is
   * deleted.
   */
  sealed_number: Uint8Array | null
  shown_number: string | null
  issuing_authority: string | null
  /** YYYY-MM-DD. */
  issued_on: string | null
  file_id: string
  file_name: string
  /** The content type of the file. */
  content_type: 'application/pdf' | 'image/jpeg' | 'image/png'
  bytes: bigint
  sha256: Uint8Array
  /**
   * When a verification was first submitted with the document. Afterwards it can be neither replaced nor
   * deleted.
   */
  submitted_at: Date | null
  deleted_at: Date | null
  version: number
}

/** A link to the file of a document, or a download through such a link. Kept permanently. */
export interface DocumentReadRow {
  id: string
  platform_id: string
  kind: 'LINK' | 'READ'
  document_id: string
  file_id: string
  /** The token that created the link. */
  asked_by: string
  /** For downloads: the link, and the IP address of the connection. */
  link_id: string | null
  address: string | null
  created_at: Date
  /** Set for links. */
  expires_at: Date | null
}
