/**
 * The file of an upload, as a handler gets it. Its bytes are not in memory: they are sealed on the disk of
 * this process, and go to the file store before the handler's writes are committed.
 */
export interface UploadedFile {
  /** `File:…`, the id under which it is stored and opened. */
  readonly id: string
  /** A base name: no path, no control characters. */
  readonly name: string
  /** Content type according to the sender. It is not checked. */
  readonly declaredType: string
  readonly bytes: number
  /** SHA-256 of the bytes. */
  readonly sha256: Uint8Array
  /** The first and the last bytes, at most `EDGE_BYTES` each. */
  readonly head: Uint8Array
  readonly tail: Uint8Array
  /** The key of its bytes, sealed for the database. */
  readonly sealedKey: Uint8Array
}

export const EDGE_BYTES = 1024
