import { parseUncompressedPublicKey } from '../../base/crypto/p256.ts'
import { createFieldError } from '../operation/operation.ts'

/** Throws 400, naming `clientPublicKey`, if the 130 hex characters are not a point on the curve. */
export function checkClientPublicKey(hex: string): void {
  if (!parseUncompressedPublicKey(hex))
    throw createFieldError('INVALID_INPUT', 'clientPublicKey', 'clientPublicKey is not a P-256 public key')
}
