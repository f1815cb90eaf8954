import { createHash } from 'node:crypto'
import type { Op } from '../app.ts'
import { parseStamp, verifyStamp } from '../crypto/stamp.ts'
import type { SigningRequestRow } from '../db/tables.ts'
import { expectRow, insert, update, type Write } from '../db/writes.ts'
import { toCanonicalJson, toJson } from '../json.ts'
import { ApiError, type Approval, type Authorization } from '../operation.ts'
import { findActiveSession } from '../sessions/sessions.ts'

/**
 * The signed retry (specification 3.4), one mechanism for every signed operation: a request is issued with the payload
 * to sign, matched against the retry, and consumed in the transaction that performs the operation.
 */

/** The call that is being authorized: what was sent, where. The retry must be the same. */
export interface SignedCall {
  /** The endpoint's name in the contract. */
  readonly operation: string
  /** Method and path as sent, `POST /quotes/Quote:…/execute`. */
  readonly target: string
  readonly body: unknown
}

/** What a 202 answer tells the client (specification 2.3). */
export interface Challenge {
  readonly requestId: string
  readonly payloadToSign: string
  readonly expiresAt: Date
}

type NewAuthorization = Exclude<Authorization, { requestId: string }>

/** A new request: the challenge for the client and the row to write. */
export function issueRequest(op: Op, call: SignedCall, authorization: NewAuthorization): Challenge & { write: Write } {
  const requestId = op.newId('Request')
  const bodyHash = hashBody(call.body)
  const payload =
    'payload' in authorization
      ? authorization.payload
      : toJson({
          operation: call.operation,
          ...authorization.statement,
          account: authorization.accountId,
          target: call.target,
          bodySha256: Buffer.from(bodyHash).toString('hex'),
          requestId,
          expiresAt: authorization.expiresAt,
        })
  const row: SigningRequestRow = {
    id: requestId,
    platform_id: op.platform.id,
    account_id: authorization.accountId,
    operation: call.operation,
    target: call.target,
    body_hash: bodyHash,
    payload,
    signer_public_key: 'signerPublicKey' in authorization ? authorization.signerPublicKey : null,
    context: authorization.context ?? {},
    expires_at: authorization.expiresAt,
    consumed_at: null,
    created_at: op.now,
  }
  return {
    requestId,
    payloadToSign: payload,
    expiresAt: authorization.expiresAt,
    write: insert('signing_requests', row),
  }
}

/** The challenge of a request that was issued earlier and can still be answered. */
export async function findChallenge(op: Op, requestId: string): Promise<Challenge> {
  const request = await findOpenRequest(op, requestId)
  return { requestId: request.id, payloadToSign: request.payload, expiresAt: request.expires_at }
}

/**
 * Checks a signed retry. Errors: 401 `UNAUTHORIZED` for an unknown, used or expired request, `WALLET_SIGNATURE_*` for
 * the header and the signature (specification 7).
 */
export async function approve(op: Op, call: SignedCall, requestId: string, signature: string): Promise<Approval> {
  const stamp = parseStamp(signature)
  if (!stamp) throw new ApiError('WALLET_SIGNATURE_MALFORMED', { reason: 'Malformed wallet signature' })
  const request = await findOpenRequest(op, requestId)
  const same =
    request.operation === call.operation &&
    request.target === call.target &&
    Buffer.from(request.body_hash).equals(hashBody(call.body))
  if (!same) throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', { reason: 'Request differs from the first call' })
  const session =
    request.signer_public_key === null
      ? await findActiveSession(op, request.account_id, stamp.publicKey)
      : request.signer_public_key === stamp.publicKey
        ? null
        : undefined
  if (session === undefined || !verifyStamp(stamp, request.payload))
    throw new ApiError('WALLET_SIGNATURE_INVALID', { reason: 'Invalid wallet signature' })
  return {
    requestId: request.id,
    accountId: request.account_id,
    sessionId: session?.id,
    publicKey: stamp.publicKey,
    context: request.context,
  }
}

/** The writes that use up a request with its operation. Guards: not used before, its session not revoked meanwhile. */
export function consumeRequest(op: Op, approval: Approval): Write[] {
  return [
    update('signing_requests', approval.requestId, { consumed_at: null }, { consumed_at: op.now }),
    ...(approval.sessionId ? [expectRow('sessions', approval.sessionId, { revoked_at: null })] : []),
  ]
}

async function findOpenRequest(op: Op, requestId: string): Promise<SigningRequestRow> {
  const request = await op.read
    .selectFrom('signing_requests')
    .selectAll()
    .where('id', '=', requestId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
  if (!request) throw new ApiError('UNAUTHORIZED', { reason: 'Unknown request' })
  if (request.consumed_at) throw new ApiError('UNAUTHORIZED', { reason: 'Request already used' })
  if (request.expires_at <= op.now) throw new ApiError('UNAUTHORIZED', { reason: 'Request expired' })
  return request
}

function hashBody(body: unknown): Buffer {
  return createHash('sha256').update(toCanonicalJson(body)).digest()
}
