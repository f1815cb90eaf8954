import { createHash } from 'node:crypto'
import type { Op } from '../../kernel/operation/app.ts'

const SECRET_BYTES = 32

/** A new secret of 256 bits for a link or a cookie, in base64url, and the hash that is stored. */
export function makeSecret(op: Pick<Op, 'random'>): { readonly secret: string; readonly hash: string } {
  const secret = Buffer.from(op.random(SECRET_BYTES)).toString('base64url')
  return { secret, hash: hashOf(secret) }
}

/** The SHA-256 hash in hex. A fast hash is enough for a random secret of 256 bits. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
