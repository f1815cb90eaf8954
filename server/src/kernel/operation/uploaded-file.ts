/**
 * An uploaded file as handlers see it. Its bytes are not in memory: they are sealed on the disk of this
 * process, and are stored before the handler's writes are committed.
 */
export interface UploadedFile {
  /** `File:…`, the id under which the file is stored and opened. */
  readonly id: string
  /** A base name, without a path or control characters. */
  readonly name: string
  /** The content type declared by the sender, unchecked. */
  readonly declaredType: string
  readonly bytes: number
  /** SHA-256 of the bytes. */
  readonly sha256: Uint8Array
  /** The first and last bytes, at most `EDGE_BYTES` each. */
  readonly head: Uint8Array
  readonly tail: Uint8Array
  /** The encryption key of the bytes, sealed for the database. */
  readonly sealedKey: Uint8Array
}

export const EDGE_BYTES = 1024
