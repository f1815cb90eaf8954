import { openAtRest, sealAtRest } from '../../base/crypto/seal.ts'

/** The prefix of sealed data: the generation of its data key. */
const GENERATION_BYTES = 4

/** The data is sealed under a data key that this process does not have: it started before the master key was rotated. */
export class RotatedKeyError extends Error {
  constructor() {
    super('The master key was rotated: start this server with the new one.')
  }
}

/**
 * The data keys of a database, one per rotation of the master key, by generation from 1 on. The newest one seals, and all
 * of them open.
 */
export class Keyring {
  readonly generation: number
  readonly #keys: ReadonlyMap<number, Uint8Array>

  constructor(keys: ReadonlyMap<number, Uint8Array>) {
    this.#keys = keys
    this.generation = Math.max(...keys.keys())
  }

  /** The key itself, to derive others from. Throws RotatedKeyError. */
  key(generation: number): Uint8Array {
    const key = this.#keys.get(generation)
    if (!key) throw new RotatedKeyError()
    return key
  }

  /** As `sealAtRest`, behind 4 bytes of generation. */
  seal(plaintext: Uint8Array, associatedData: string): Uint8Array {
    const generation = Buffer.alloc(GENERATION_BYTES)
    generation.writeUInt32BE(this.generation)
    return Buffer.concat([generation, sealAtRest(this.key(this.generation), plaintext, associatedData)])
  }

  /** As `openAtRest`. Throws RotatedKeyError. */
  open(sealed: Uint8Array, associatedData: string): Uint8Array | undefined {
    if (sealed.length < GENERATION_BYTES) return undefined
    const generation = Buffer.from(sealed.subarray(0, GENERATION_BYTES)).readUInt32BE()
    return openAtRest(this.key(generation), sealed.subarray(GENERATION_BYTES), associatedData)
  }
}

/** The associated data of a sealed data key. */
export function dataKeyName(generation: number): string {
  return generation === 1 ? 'data_key' : `data_key ${generation}`
}
