import { createHash } from 'node:crypto'
import type { Op } from '../../kernel/operation/app.ts'

const SECRET_BYTES = 32

/** Creates a 256-bit secret in base64url for a link or a cookie, and the hash to store. */
export function makeSecret(op: Pick<Op, 'random'>): { readonly secret: string; readonly hash: string } {
  const secret = Buffer.from(op.random(SECRET_BYTES)).toString('base64url')
  return { secret, hash: hashSecret(secret) }
}

/** Computes the SHA-256 hash in hex. A fast hash is enough for a random 256-bit secret. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
