import { openAtRest, sealAtRest } from '../../base/crypto/seal.ts'

/** Sealed data starts with the generation of its data key, in this many bytes. */
const GENERATION_BYTES = 4

/**
 * The data is sealed with a data key that this process does not have, because the master key was rotated
 * after the process started.
 */
export class RotatedKeyError extends Error {
  constructor() {
    super('The master key was rotated: start this server with the new one.')
  }
}

/**
 * The data keys of a database by generation, starting at 1; each rotation of the master key adds one. The
 * newest one seals, and all of them open.
 */
export class Keyring {
  readonly generation: number
  readonly #keys: ReadonlyMap<number, Uint8Array>

  constructor(keys: ReadonlyMap<number, Uint8Array>) {
    this.#keys = keys
    this.generation = Math.max(...keys.keys())
  }

  /** The raw key, from which others can be derived. Throws RotatedKeyError. */
  key(generation: number): Uint8Array {
    const key = this.#keys.get(generation)
    if (!key) throw new RotatedKeyError()
    return key
  }

  /** Like `sealAtRest`, prefixed with the generation in 4 bytes. */
  seal(plaintext: Uint8Array, associatedData: string): Uint8Array {
    const generation = Buffer.alloc(GENERATION_BYTES)
    generation.writeUInt32BE(this.generation)
    return Buffer.concat([generation, sealAtRest(this.key(this.generation), plaintext, associatedData)])
  }

  /** Like `openAtRest`, for a prefixed value. Throws RotatedKeyError. */
  open(sealed: Uint8Array, associatedData: string): Uint8Array | undefined {
    if (sealed.length < GENERATION_BYTES) return undefined
    const generation = Buffer.from(sealed.subarray(0, GENERATION_BYTES)).readUInt32BE()
    return openAtRest(this.key(generation), sealed.subarray(GENERATION_BYTES), associatedData)
  }
}

/** The associated data of a sealed data key. */
export function formatDataKeyName(generation: number): string {
  return generation === 1 ? 'data_key' : `data_key ${generation}`
}
