import { createHash } from 'node:crypto'
import type { Op } from '../../kernel/operation/app.ts'

const SECRET_BYTES = 32

/** A new secret for a link or a cookie, 256 bits in base64url, and its stored hash. */
export function makeSecret(op: Pick<Op, 'random'>): { readonly secret: string; readonly hash: string } {
  const secret = Buffer.from(op.random(SECRET_BYTES)).toString('base64url')
  return { secret, hash: hashOf(secret) }
}

/** SHA-256 in hex: a secret has too much entropy to be found from its hash. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
