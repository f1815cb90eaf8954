import { createHash } from 'node:crypto'
import type { Payload, Statement } from '@countersign/contract/signing/payloads'
import { sql } from 'kysely'
import { toCanonicalJson, toJson } from '../../base/json/json.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { SigningRequestRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'
import { ApiError, type SignedCall, type ToSign } from '../operation/operation.ts'

/**
 * The signed retry (specification 3.4), shared by all signed operations. A request is issued with the payload
 * to sign, matched with the retry, and consumed in the transaction that performs the operation.
 */

/** The default lifetime of a signing request (specification 2.3). */
export const SIGNING_SECONDS = 5 * 60

/** The body of a 202 response (specification 2.3). */
export interface Challenge {
  readonly requestId: string
  readonly payloadToSign: string
  readonly expiresAt: Date
}

type NewAuthorization = Exclude<ToSign, { requestId: string }>

/** Issues a signing request. Returns the challenge for the client and the row to write. */
export function issueRequest(
  op: Op,
  call: SignedCall,
  authorization: NewAuthorization,
): Challenge & { write: Write } {
  const requestId = op.newId('Request')
  const bodyHash = hashBody(call.body)
  const payload =
    'payload' in authorization
      ? authorization.payload
      : toJson({
          ...orderStatement(call, authorization.statement),
          account: authorization.accountId,
          target: call.target,
          bodySha256: bodyHash.toString('hex'),
          requestId,
          expiresAt: authorization.expiresAt.toISOString(),
        } satisfies Payload)
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
    session_id: null,
    stamp: null,
  }
  return {
    requestId,
    payloadToSign: payload,
    expiresAt: authorization.expiresAt,
    write: insert('signing_requests', row),
  }
}

/** Puts operation and summary first. Throws if the statement is about another operation than the call. */
function orderStatement(call: SignedCall, { operation, summary, ...details }: Statement): Statement {
  if (operation !== call.operation) throw new Error(`${call.operation} states ${operation}`)
  return { operation, summary, ...details } as Statement
}

const REQUEST_BY_ID = lookupById('signing_requests')

/** Throws 401 `UNAUTHORIZED` for an unknown or used request. */
export async function findUnusedRequest(op: Op, requestId: string): Promise<SigningRequestRow> {
  const request = await op.find(REQUEST_BY_ID, requestId)
  if (!request) throw new ApiError('UNAUTHORIZED', { reason: 'Unknown request' })
  if (request.consumed_at) throw new ApiError('UNAUTHORIZED', { reason: 'Request already used' })
  return request
}

/** Creation times of the latest unused requests of a sign-in, newest first. `target` is the verify call. */
export async function selectUnusedSignIns(
  op: Op,
  target: SignedCall['target'],
  since: Date,
  limit: number,
): Promise<Date[]> {
  const rows = await op.read
    .selectFrom('signing_requests')
    .select('created_at')
    .where('platform_id', '=', op.platform.id)
    // Must be written exactly as in the partial index.
    .where(sql<boolean>`operation = 'credential_verify'`)
    .where('target', '=', target)
    .where('consumed_at', 'is', null)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ created_at }) => created_at)
}

/** Throws 401 `UNAUTHORIZED` for an unknown, used or expired request. */
export async function findOpenRequest(op: Op, requestId: string): Promise<SigningRequestRow> {
  const request = await findUnusedRequest(op, requestId)
  if (request.expires_at <= op.now) throw new ApiError('UNAUTHORIZED', { reason: 'Request expired' })
  return request
}

/** The hash that binds a signing request to the body of its first call. */
export function hashBody(body: unknown): Buffer {
  return createHash('sha256').update(toCanonicalJson(body)).digest()
}
