/** A signed checkpoint of the hash chain over a platform's transfers. */
export interface LedgerCheckpointRow {
  id: string
  platform_id: string
  block_number: bigint
  transfer_count: bigint
  hash: Uint8Array
  payload: string
  /** DER-encoded. */
  signature: Uint8Array
  created_at: Date
}
