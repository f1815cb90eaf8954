import type { ImportState } from '@countersign/contract/states/customer-states'
import type { Stamped } from './stamped.ts'

/** A file of customers. */
export interface CustomerImportRow extends Stamped {
  id: string
  platform_id: string
  state: ImportState
  /** The stored file, which is removed at the end of the import. */
  file_id: string
  /** The columns in order, once the file has been scanned. */
  columns: string[] | null
  /** The byte offset of the next row in the file. */
  next_byte: bigint
  total: number
  /** The numbers of rows that created a customer, and of rejected rows. */
  successful: number
  failed: number
  completed_at: Date | null
}

/** A rejected row, or an error in the file as a whole. */
export interface CustomerImportErrorRow {
  id: string
  platform_id: string
  import_id: string
  /** The position in the file. The header is row 1, and empty lines do not count. */
  row_number: number
  correlation_id: string
  code: string
  message: string
  details: Record<string, unknown>
  created_at: Date
}
