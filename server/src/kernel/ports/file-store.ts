import type { Readable } from 'node:stream'

/** A sealed file on the disk of this process, ready to be stored. */
export interface SpooledFile {
  readonly path: string
  /** The length of the sealed file in bytes. */
  readonly sealedBytes: number
  /** SHA-256 of the sealed file. */
  readonly sealedSha256: Uint8Array
}

/** Stores sealed bytes. All calls are idempotent. Methods throw if the store cannot be reached. */
export interface FileStore {
  /** Stores a file under its id and flushes it to disk. May move the spooled file. */
  put(id: string, spooled: SpooledFile): Promise<void>
  /**
   * The bytes of a file from a position. Undefined if the file does not exist. The caller must read the
   * stream to its end or destroy it.
   */
  openAt(id: string, fromByte: number): Promise<Readable | undefined>
  /** Removes a file if it exists. */
  remove(id: string): Promise<void>
}
