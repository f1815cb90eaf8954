import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { isFinalError } from '@countersign/contract/core/errors'
import { readBefore as readerBefore } from '@countersign/contract/reads-before'
import type { TSchema } from 'typebox'
import { auditWrites } from '../../../kernel/audit/audit-trail.ts'
import {
  findStoredResponse,
  type KeyedRequest,
  saveResponse,
} from '../../../kernel/idempotency/stored-responses.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import {
  commitForSure,
  type DecidedResponse,
  decideAndCommit,
} from '../../../kernel/operation/decide-and-commit.ts'
import {
  ApiError,
  type Approval,
  getBody,
  type Handler,
  type Input,
  type Outcome,
  type SignedCall,
  type SignedHandler,
} from '../../../kernel/operation/operation.ts'
import { findUnusedRequest } from '../../../kernel/signing/signing.ts'
import { consumeRequest } from '../../../people/sign-in/signed-retry.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import { checkCallSignature, type Gate } from '../authentication/check-signature.ts'
import { withCookie } from '../authentication/member-cookie.ts'
import { findSignaturePolicy, type SignaturePolicy } from '../authentication/signature-steps.ts'
import type { Call, HttpResponse } from '../request/call.ts'
import { encode, encodeRefusal } from '../response/encode.ts'
import { checkDeclared, type Route } from './route.ts'

/** An endpoint with its implementation. */
export interface Operation {
  readonly route: Route
  readonly handle: Handler<Endpoint>
  /** Present if the endpoint accepts the signed retry. */
  readonly signed: SignedHandler<Endpoint> | undefined
  readonly takes: SignaturePolicy
  readonly readBefore?: Handler<Endpoint> | undefined
}

export function createOperation(
  route: Route,
  implementation: Handler<Endpoint> | SignedHandler<Endpoint>,
  readBefore?: Handler<Endpoint>,
): Operation {
  const takes = findSignaturePolicy(route.endpoint)
  return typeof implementation === 'function'
    ? { route, handle: implementation, signed: undefined, takes, readBefore }
    : { route, handle: implementation.handle, signed: implementation, takes, readBefore }
}

/** A parsed call. */
export interface Request {
  readonly call: Call
  readonly input: Input<Endpoint>
  /** The call that a signature must cover, if the endpoint accepts signatures. */
  readonly signedCall: SignedCall | undefined
  readonly keyed: KeyedRequest | undefined
}

/** Runs the operation. `beforeCommit` is called with the response of each attempt. */
export async function decide(
  operation: Operation,
  op: Op,
  request: Request,
  beforeCommit?: (op: Op, answer: HttpResponse) => Promise<void>,
): Promise<HttpResponse> {
  const { keyed } = request
  const { app } = operation.route
  const decideOnce = () =>
    decideAndCommit(
      app,
      op,
      () => replay(op, keyed),
      async () => {
        const { answer, writes, isFinal } = await attempt(operation, op, request)
        await beforeCommit?.(op, answer)
        return { answer, writes: keyed && isFinal ? [...writes, saveResponse(op, keyed, answer)] : writes }
      },
    )
  return app.gate.run(op.platform.id, decideOnce)
}

/** The response stored under this request's key. */
async function replay(op: Op, keyed: KeyedRequest | undefined): Promise<HttpResponse | undefined> {
  const stored = keyed && (await findStoredResponse(op, keyed))
  if (stored) op.tracing?.note({ 'countersign.idempotency.replayed': true })
  return stored && { status: stored.status, headers: { 'Idempotency-Replayed': 'true' }, body: stored.body }
}

const UNSIGNED: Gate = {}

interface Attempt extends DecidedResponse<HttpResponse> {
  /** True if the response must be stored under the idempotency key. */
  readonly isFinal: boolean
}

/** One attempt: signature check → handler → encode. A refusal by the handler is also a response. */
async function attempt(operation: Operation, op: Op, { call, input, signedCall }: Request): Promise<Attempt> {
  const { signed, takes } = operation
  const { wire } = operation.route.app
  try {
    const { approval, challenge } =
      signed && signedCall ? await checkCallSignature(op, takes, signed, input, call, signedCall) : UNSIGNED
    // A 202 is never the final response.
    if (challenge)
      return {
        answer: encode({ status: 202, body: challenge.challenge }, wire),
        writes: challenge.writes,
        isFinal: false,
      }
    const outcome = await handle(operation, op, input, approval)
    operation.route.checkResponse?.(outcome)
    // Consumes the signing request first, because the operation may end the session that signed it.
    const writes = [
      ...(approval ? consumeRequest(op, approval) : []),
      ...(outcome.writes ?? []),
      ...(await buildAuditEntry(operation, op, call, input, outcome, approval)),
    ]
    return { answer: withCookie(encode(outcome, wire), outcome, operation.route.app), writes, isFinal: true }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return handleRefusal(operation.route, op, error)
  }
}

/** Builds the audit entry of a call that changes something. */
async function buildAuditEntry(
  { route: { endpoint, name }, readBefore }: Operation,
  op: Op,
  { trace }: Call,
  { params }: Input<Endpoint>,
  outcome: Outcome<Endpoint>,
  approval: Approval | undefined,
): Promise<Write[]> {
  if (endpoint.method === 'GET' || endpoint.changesNothing) return []
  const before = await readBefore?.(op, { params, query: {}, body: undefined })
  return auditWrites(op, {
    operation: name,
    params,
    body: getBody(outcome),
    before: before && getBody(before),
    schemas: { before: findSchemaBefore(name), body: endpoint.responses[outcome.status] ?? undefined },
    walletSessionId: approval?.session?.id,
    httpRequestId: trace.httpRequestId,
  })
}

/** The schema of the record returned by `readBefore`. */
function findSchemaBefore(name: string): TSchema | undefined {
  const reader = readerBefore(name)
  const endpoint: Endpoint | undefined = reader && API[reader]
  return endpoint?.responses[200] ?? undefined
}

async function handle(
  operation: Operation,
  op: Op,
  input: Input<Endpoint>,
  approval: Approval | undefined,
): Promise<Outcome<Endpoint>> {
  try {
    return await operation.handle(op, approval ? { ...input, approval } : input)
  } catch (error) {
    // If the signing request was used in the meantime, report that instead of an error caused by that use.
    if (approval && error instanceof ApiError) await findUnusedRequest(op, approval.requestId)
    throw error
  }
}

/** Rethrows a refusal that is not final, after committing its writes. */
async function handleRefusal(route: Route, op: Op, refusal: ApiError): Promise<Attempt> {
  checkDeclared(route, refusal)
  if (!isFinalError(refusal.code)) {
    await commitForSure(route.app, op, refusal.writes)
    throw refusal
  }
  return { answer: encodeRefusal(refusal, route.app), writes: refusal.writes, isFinal: true }
}
