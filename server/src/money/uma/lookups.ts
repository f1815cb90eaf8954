import { createHash, timingSafeEqual } from 'node:crypto'
import { LOOKUP_SECONDS } from '@countersign/contract/payments/receivers'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'

/**
 * A lookup's id contains all its data: the receiver, the expiry, and a digest that only this server can
 * compute for this platform. A lookup therefore writes no row that would need cleanup.
 */
const PREFIX = 'Lookup:'
const EXPIRY_BYTES = 6
const SALT_BYTES = 4
const RECEIVER_BYTES = 16
const MAC_BYTES = 16
const BODY_BYTES = EXPIRY_BYTES + SALT_BYTES + RECEIVER_BYTES

/** A new lookup id for `receiver`: an UMA address in lower case, or the id of an external account. */
export function newLookupId(op: Op, receiver: string): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES)
  expiry.writeUIntBE(addSeconds(op.now, LOOKUP_SECONDS).getTime(), 0, EXPIRY_BYTES)
  const body = Buffer.concat([expiry, op.random(SALT_BYTES), digestReceiver(receiver)])
  return PREFIX + Buffer.concat([body, computeMac(op, body)]).toString('base64url')
}

/**
 * Checks that a lookup belongs to this platform, has not expired, and is for this `receiver`. Errors, naming
 * `field`: 404 `LOOKUP_REQUEST_NOT_FOUND`, 400 if it is for another receiver.
 */
export function checkLookup(op: Op, lookupId: string, receiver: string, field = 'lookupId'): void {
  const text = lookupId.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64url')
  const body = bytes.subarray(0, BODY_BYTES)
  const isOurs =
    lookupId.startsWith(PREFIX) &&
    bytes.length === BODY_BYTES + MAC_BYTES &&
    bytes.toString('base64url') === text &&
    timingSafeEqual(bytes.subarray(BODY_BYTES), computeMac(op, body))
  if (!isOurs || body.readUIntBE(0, EXPIRY_BYTES) <= op.now.getTime())
    throw new ApiError('LOOKUP_REQUEST_NOT_FOUND', { details: { field } })
  if (!body.subarray(EXPIRY_BYTES + SALT_BYTES).equals(digestReceiver(receiver)))
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `${field} is a lookup of another receiver. Look up this receiver first.`,
    )
}

function digestReceiver(receiver: string): Buffer {
  return createHash('sha256').update(receiver).digest().subarray(0, RECEIVER_BYTES)
}

function computeMac(op: Op, body: Uint8Array): Buffer {
  const message = createHash('sha256').update(op.platform.id).update('\u0000').update(body).digest()
  return Buffer.from(op.enclave.mac('lookup', message)).subarray(0, MAC_BYTES)
}
