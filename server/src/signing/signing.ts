import { createHash } from 'node:crypto'
import type { Payload, Statement } from '@countersign/contract/payloads'
import { sql } from 'kysely'
import type { Op } from '../app.ts'
import { areCodesLocked, clearCodeFailures } from '../credentials/code-failures.ts'
import { firstCredentialType } from '../credentials/credentials.ts'
import { parseStamp, type Stamp, verifyStamp } from '../crypto/stamp.ts'
import { rowByKey } from '../db/lookup.ts'
import type { SigningRequestRow } from '../db/schema/tables.ts'
import { expectRow, insert, update, type Write } from '../db/writes.ts'
import { toCanonicalJson, toJson } from '../json.ts'
import { ApiError, type Approval, type Authorization, type Prove, type SignedCall } from '../operation.ts'
import { present } from '../present.ts'
import { SANDBOX_WALLET_SIGNATURE } from '../sandbox/magic-values.ts'
import { findActiveSession, findNewestSession } from '../sessions/sessions.ts'

/**
 * The signed retry (specification 3.4), one mechanism for every signed operation: a request is issued with the payload
 * to sign, matched against the retry, and consumed in the transaction that performs the operation.
 */

/** How long a signed retry may take, where nothing else sets its time (specification 2.3). */
export const SIGNING_SECONDS = 5 * 60

/** What a 202 answer tells the client (specification 2.3). */
interface Challenge {
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

/** The 202 answer to a first call, with the request to write where none was issued earlier that can still be answered. */
export async function challengeFor(
  op: Op,
  call: SignedCall,
  authorization: Authorization,
): Promise<{
  readonly challenge: Challenge & { readonly type?: string }
  readonly writes: readonly Write[]
}> {
  if ('requestId' in authorization) {
    const request = await findOpenRequest(op, authorization.requestId)
    const { id: requestId, payload: payloadToSign, expires_at: expiresAt } = request
    const type = await firstCredentialType(op, request.account_id)
    return { challenge: { ...present({ type }), payloadToSign, requestId, expiresAt }, writes: [] }
  }
  const { accountId, credentialType } = authorization
  const type = credentialType ?? (await firstCredentialType(op, accountId))
  const { write, ...challenge } = issueRequest(op, call, authorization)
  return { challenge: { ...present({ type }), ...challenge }, writes: [write] }
}

/**
 * Checks a signed retry. Errors: 401 `UNAUTHORIZED` for an unknown, used or expired request, `WALLET_SIGNATURE_*` for
 * the header and the signature (specification 7).
 */
export async function approve(
  op: Op,
  call: SignedCall,
  requestId: string,
  signature: string,
): Promise<Approval> {
  const isMagic = op.mode === 'sandbox' && signature === SANDBOX_WALLET_SIGNATURE
  const stamp = isMagic ? undefined : parseStamp(signature)
  if (!stamp && !isMagic)
    throw new ApiError('WALLET_SIGNATURE_MALFORMED', { reason: 'Malformed wallet signature' })
  const request = await findOpenRequest(op, requestId)
  if (!isSameCall(request, call) || !Buffer.from(request.body_hash).equals(hashBody(call.body)))
    throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', { reason: 'Request differs from the first call' })
  const signer = stamp ? await findSigner(op, request, stamp) : await findMagicSigner(op, request)
  if (!signer) throw new ApiError('WALLET_SIGNATURE_INVALID', { reason: 'Invalid wallet signature' })
  return approval(request, signer, request.context)
}

/** Checks a call that answers its request by a proof of its own: what is in the body, instead of a stamp. */
export async function approveByProof(
  op: Op,
  call: SignedCall,
  requestId: string,
  prove: Prove,
): Promise<Approval> {
  const request = await findOpenRequest(op, requestId)
  if (!isSameCall(request, call))
    throw new ApiError('UNAUTHORIZED', { reason: 'Request is for another operation' })
  const proven = await prove(request)
  return approval(request, { publicKey: '', session: undefined }, { ...request.context, ...proven })
}

type Signer = Pick<Approval, 'publicKey' | 'session'>

function approval(request: SigningRequestRow, signer: Signer, context: Approval['context']): Approval {
  return { requestId: request.id, accountId: request.account_id, ...signer, context }
}

function isSameCall(request: SigningRequestRow, call: SignedCall): boolean {
  return request.operation === call.operation && request.target === call.target
}

/** Who made this stamp over the payload: the key that the request asks for, or else an active session of the account. */
async function findSigner(op: Op, request: SigningRequestRow, stamp: Stamp): Promise<Signer | undefined> {
  const { publicKey } = stamp
  if (request.signer_public_key !== null)
    return request.signer_public_key === publicKey && verifyStamp(stamp, request.payload)
      ? { publicKey, session: undefined }
      : undefined
  const session = await findActiveSession(op, request.account_id, publicKey)
  if (!session || !verifyStamp(stamp, request.payload)) return undefined
  return { publicKey, session: signingSession(session) }
}

/** The legacy value of the sandbox stands for a signature by the account's newest active session. */
async function findMagicSigner(op: Op, request: SigningRequestRow): Promise<Signer | undefined> {
  if (request.signer_public_key !== null) return { publicKey: request.signer_public_key, session: undefined }
  const session = await findNewestSession(op, request.account_id)
  return session && { publicKey: session.public_key, session: signingSession(session) }
}

function signingSession(row: NonNullable<Awaited<ReturnType<typeof findActiveSession>>>) {
  const { id, credential_id, code_failures } = row
  return { id, credentialId: credential_id, areCodesLocked: areCodesLocked(code_failures) }
}

/**
 * The writes that use up a request with its operation. Guards: not used before, its session not revoked meanwhile. Whoever
 * signs holds the wallet: its codes may be tried again.
 */
export function consumeRequest(op: Op, approval: Approval): Write[] {
  return [
    update('signing_requests', approval.requestId, { consumed_at: null }, { consumed_at: op.now }),
    ...(approval.session ? [expectRow('sessions', approval.session.id, { revoked_at: null })] : []),
    ...(approval.session?.areCodesLocked ? [clearCodeFailures(approval.accountId)] : []),
  ]
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

async function findOpenRequest(op: Op, requestId: string): Promise<SigningRequestRow> {
  const request = await findUnusedRequest(op, requestId)
  if (request.expires_at <= op.now) throw new ApiError('UNAUTHORIZED', { reason: 'Request expired' })
  return request
}

function hashBody(body: unknown): Buffer {
  return createHash('sha256').update(toCanonicalJson(body)).digest()
}
