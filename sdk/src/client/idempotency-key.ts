import { hexFromBytes } from '../crypto/bytes.ts'
import { randomBytes } from '../crypto/port.ts'

/** Fills an array with random bytes. */
export type Random = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array

export const systemRandom: Random = (bytes) => randomBytes(bytes)

/** Generates an `Idempotency-Key` of 128 random bits, in hex. */
export function newIdempotencyKey(random: Random = systemRandom): string {
  return hexFromBytes(random(new Uint8Array(16)))
}
