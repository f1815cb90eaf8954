import { createHash } from 'node:crypto'
import type { Payload, Statement } from '@countersign/contract/signing/payloads'
import { sql } from 'kysely'
import { insert, type Write } from '../db/commit/writes.ts'
import { rowByKey } from '../db/read/lookup.ts'
import type { SigningRequestRow } from '../db/schema/tables.ts'
import { toCanonicalJson, toJson } from '../json/json.ts'
import type { Op } from '../op/app.ts'
import { ApiError, type Authorization, type SignedCall } from '../op/operation.ts'

/**
 * The signed retry (specification 3.4), one mechanism for every signed operation: a request is issued with the payload
 * to sign, matched against the retry, and consumed in the transaction that performs the operation.
 */

/** How long a signed retry may take, where nothing else sets its time (specification 2.3). */
export const SIGNING_SECONDS = 5 * 60

/** What a 202 answer tells the client (specification 2.3). */
export interface Challenge {
  readonly requestId: string
  readonly payloadToSign: string
  readonly expiresAt: Date
}

type NewAuthorization = Exclude<Authorization, { requestId: string }>

/** A new request: the challenge for the client and the row to write. */
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
          ...stated(call, authorization.statement),
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
  }
  return {
    requestId,
    payloadToSign: payload,
    expiresAt: authorization.expiresAt,
    write: insert('signing_requests', row),
  }
}

/** A statement, its operation and its sentence first. Throws where it is about another operation than its call. */
function stated(call: SignedCall, { operation, summary, ...own }: Statement): Statement {
  if (operation !== call.operation) throw new Error(`${call.operation} states ${operation}`)
  return { operation, summary, ...own } as Statement
}

const REQUEST_BY_ID = rowByKey<SigningRequestRow>(
  'SELECT * FROM signing_requests WHERE id = ANY ($1::text[])',
  'id',
)

/** Error: 401 `UNAUTHORIZED` for a request that is not there, or was used. */
export async function findUnusedRequest(op: Op, requestId: string): Promise<SigningRequestRow> {
  const request = await op.find(REQUEST_BY_ID, requestId)
  if (!request) throw new ApiError('UNAUTHORIZED', { reason: 'Unknown request' })
  if (request.consumed_at) throw new ApiError('UNAUTHORIZED', { reason: 'Request already used' })
  return request
}

/** When the latest requests of a sign-in were issued that nobody has answered, newest first. `target`: the verify call. */
export async function unansweredSignIns(
  op: Op,
  target: SignedCall['target'],
  since: Date,
  limit: number,
): Promise<Date[]> {
  const rows = await op.read
    .selectFrom('signing_requests')
    .select('created_at')
    .where('platform_id', '=', op.platform.id)
    // In the words of the index, which has no others.
    .where(sql<boolean>`operation = 'credential_verify'`)
    .where('target', '=', target)
    .where('consumed_at', 'is', null)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ created_at }) => created_at)
}

/** Likewise, and 401 for one that is expired. */
export async function findOpenRequest(op: Op, requestId: string): Promise<SigningRequestRow> {
  const request = await findUnusedRequest(op, requestId)
  if (request.expires_at <= op.now) throw new ApiError('UNAUTHORIZED', { reason: 'Request expired' })
  return request
}

/** What binds a request to the body of its first call. */
export function hashBody(body: unknown): Buffer {
  return createHash('sha256').update(toCanonicalJson(body)).digest()
}
