import { parseStamp, type Stamp, verifyStamp } from '../../base/crypto/stamp.ts'
import { SANDBOX_WALLET_SIGNATURE } from '../../kernel/magic-values/magic-values.ts'
import type { Op } from '../../kernel/operation/app.ts'
import {
  ApiError,
  type Approval,
  type Prove,
  type SignedCall,
  type ToSign,
} from '../../kernel/operation/operation.ts'
import { type Challenge, findOpenRequest, hashBody, issueRequest } from '../../kernel/signing/signing.ts'
import { expectRow, update, type Write } from '../../storage/commit/writes.ts'
import type { SigningRequestRow } from '../../storage/rows/tables.ts'
import { areCodesLocked, clearCodeFailures } from '../credentials/code-failures.ts'
import { findFirstCredentialType } from '../credentials/credentials.ts'
import { findActiveSession, findNewestSession } from './sessions.ts'

/**
 * Builds the 202 response to a first call, with the write that creates its signing request unless an earlier
 * request is reused.
 */
export async function issueChallenge(
  op: Op,
  call: SignedCall,
  authorization: ToSign,
): Promise<{
  readonly challenge: Challenge & { readonly type: string }
  readonly writes: readonly Write[]
}> {
  if ('requestId' in authorization) {
    const request = await findOpenRequest(op, authorization.requestId)
    const { id: requestId, payload: payloadToSign, expires_at: expiresAt } = request
    const type = await findFirstCredentialType(op, request.account_id)
    return { challenge: { type, payloadToSign, requestId, expiresAt }, writes: [] }
  }
  const { accountId, credentialType } = authorization
  const type = credentialType ?? (await findFirstCredentialType(op, accountId))
  const { write, ...challenge } = issueRequest(op, call, authorization)
  return { challenge: { type, ...challenge }, writes: [write] }
}

/**
 * Checks a signed retry. Throws 401 `UNAUTHORIZED` if the request is unknown, used or expired;
 * `WALLET_SIGNATURE_*` for the header and the signature (specification 7).
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
  if (isMagic && request.context.needsStamp)
    throw new ApiError('WALLET_SIGNATURE_INVALID', { reason: 'A wallet on a chain needs a real stamp' })
  const signer = stamp ? await findSigner(op, request, stamp) : await findMagicSigner(op, request)
  if (!signer) throw new ApiError('WALLET_SIGNATURE_INVALID', { reason: 'Invalid wallet signature' })
  return buildApproval(request, signer, request.context, stamp && signature)
}

/** Checks a call that completes its signing request with a proof in the body instead of a stamp. */
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
  return buildApproval(request, { publicKey: '', session: undefined }, { ...request.context, ...proven })
}

type Signer = Pick<Approval, 'publicKey' | 'session'>

function buildApproval(
  request: SigningRequestRow,
  signer: Signer,
  context: Approval['context'],
  stamp?: string,
): Approval {
  return { requestId: request.id, accountId: request.account_id, ...signer, stamp, context }
}

function isSameCall(request: SigningRequestRow, call: SignedCall): boolean {
  return request.operation === call.operation && request.target === call.target
}

/**
 * Finds the signer of a stamp over the payload: the key that the request requires, or else an active session
 * of the account.
 */
async function findSigner(op: Op, request: SigningRequestRow, stamp: Stamp): Promise<Signer | undefined> {
  const { publicKey } = stamp
  if (request.signer_public_key !== null)
    return request.signer_public_key === publicKey && verifyStamp(stamp, request.payload)
      ? { publicKey, session: undefined }
      : undefined
  const session = await findActiveSession(op, request.account_id, publicKey)
  if (!session || !verifyStamp(stamp, request.payload)) return undefined
  return { publicKey, session: toSigningSession(session) }
}

/** Treats the sandbox's legacy magic value as a signature by the newest active session of the account. */
async function findMagicSigner(op: Op, request: SigningRequestRow): Promise<Signer | undefined> {
  if (request.signer_public_key !== null) return { publicKey: request.signer_public_key, session: undefined }
  const session = await findNewestSession(op, request.account_id)
  return session && { publicKey: session.public_key, session: toSigningSession(session) }
}

function toSigningSession(row: NonNullable<Awaited<ReturnType<typeof findActiveSession>>>) {
  const { id, credential_id, code_failures } = row
  return { id, credentialId: credential_id, areCodesLocked: areCodesLocked(code_failures) }
}

/**
 * Builds the writes that use up a request, and store its signer and signature. A signature proves control of
 * the wallet, so the count of wrong codes is reset. Guards: the request is unused, and its session is not
 * revoked.
 */
export function consumeRequest(op: Op, approval: Approval): Write[] {
  return [
    update(
      'signing_requests',
      approval.requestId,
      { consumed_at: null },
      { consumed_at: op.now, session_id: approval.session?.id ?? null, stamp: approval.stamp ?? null },
    ),
    ...(approval.session ? [expectRow('sessions', approval.session.id, { revoked_at: null })] : []),
    ...(approval.session?.areCodesLocked ? [clearCodeFailures(approval.accountId)] : []),
  ]
}
