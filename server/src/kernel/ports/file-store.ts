import type { Readable } from 'node:stream'

/** A sealed file on the disk of this process, ready to be stored. */
export interface SpooledFile {
  readonly path: string
  /** The length of the sealed file. */
  readonly sealedBytes: number
  /** SHA-256 of the sealed file. */
  readonly sealedSha256: Uint8Array
}

/**
 * Where sealed files are. It gets sealed bytes only, and every call may be repeated. Each method throws where the store
 * cannot be reached.
 */
export interface FileStore {
  /** Stores a file under its id, on the disk before it returns. May move the spooled file. */
  put(id: string, spooled: SpooledFile): Promise<void>
  /**
   * The bytes of a file from this one on; undefined where there is no such file. The caller reads the stream to its end or
   * destroys it.
   */
  openAt(id: string, fromByte: number): Promise<Readable | undefined>
  /** Removes a file; an absent one is no error. */
  remove(id: string): Promise<void>
}
