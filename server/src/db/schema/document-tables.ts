import type { Stamped } from './tables.ts'

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
