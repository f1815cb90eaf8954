import type { ImportState } from '@countersign/contract/states/customer-states'
import type { Stamped } from './stamped.ts'

/** A file of customers. */
export interface CustomerImportRow extends Stamped {
  id: string
  platform_id: string
  state: ImportState
  /** The stored file, which is removed when the import ends. */
  file_id: string
  /** The columns in order, once the file was scanned. */
  columns: string[] | null
  /** The byte of the file at which the next row begins. */
  next_byte: bigint
  total: number
  /** Rows that created a customer, and refused rows. */
  successful: number
  failed: number
  completed_at: Date | null
}

/** A refused row, or an error in the whole file. */
export interface CustomerImportErrorRow {
  id: string
  platform_id: string
  import_id: string
  /** Position in the file: the header is 1, empty lines do not count. */
  row_number: number
  correlation_id: string
  code: string
  message: string
  details: Record<string, unknown>
  created_at: Date
}
