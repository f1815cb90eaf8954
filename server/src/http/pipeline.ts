import { type Endpoint, isStream } from '@countersign/contract/core/endpoint'
import { ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import { codeFailed } from '../agents/device-codes.ts'
import { auditWrites } from '../audit/trail.ts'
import type { Write } from '../db/commit/writes.ts'
import { type KeyedRequest, keepAnswer } from '../kept-answers/kept-answers.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { type App, createOp, type Op } from '../op/app.ts'
import { LogWith } from '../op/log-with.ts'
import {
  type AnyImplementation,
  ApiError,
  type Approval,
  type Caller,
  type Handler,
  type Input,
  type Outcome,
  type PublicHandler,
  type SignedCall,
  type SignedHandler,
} from '../op/operation.ts'
import { commitForSure, type DecidedAnswer, decideAndCommit } from '../op/rerun.ts'
import { consumeRequest } from '../signed-retry/signed-retry.ts'
import { findUnusedRequest } from '../signing/signing.ts'
import { admit, codeOf } from './admission.ts'
import { begun, encode, encodeRefusal } from './answers.ts'
import { parseBody } from './body.ts'
import { type Answer, type Call, type Head, isAnswer } from './call.ts'
import { CallFaults, mayFault } from './call-faults.ts'
import type { Deadline } from './deadline.ts'
import { asApiError } from './errors.ts'
import { findStoredAnswer, keyedRequest } from './idempotency.ts'
import { limited, note } from './limited.ts'
import { withCookie } from './member-cookie.ts'
import { fromOf } from './members.ts'
import { answerProcessor } from './processor.ts'
import { whoCalls } from './public.ts'
import { checkDeclared, createRoute, type Route } from './route.ts'
import { type Gate, signatureGate } from './signature-gate.ts'
import { type Takes, takesOf } from './signed-check.ts'
import { whileAdmitted } from './streams.ts'
import { inSpans } from './traced.ts'
import { type ReadUpload, readUpload } from './upload.ts'

/** Answers the calls to one endpoint. For callers of the API neither method throws. */
export interface Pipeline {
  /**
   * Authenticates the caller before the body is read, or answers a caller that is not allowed. Undefined where the body
   * identifies the caller.
   */
  admit(head: Head): Promise<Caller | Answer | undefined>
  /** Authenticates again where `caller` is undefined, because rights may be lost while a slow body arrives. */
  answer(call: Call, caller: Caller | undefined): Promise<Answer>
}

export interface PipelineOptions {
  readonly checkAnswers: boolean
  /** How many requests callers may make. */
  readonly limits: RequestLimits
  /** The deadline of answers to the card processor. */
  readonly deadline: Deadline
  /** Reads what the endpoint changes, as it was before. */
  readonly readBefore?: Handler<Endpoint> | undefined
}

/**
 * The one way through the server: authenticate → parse → idempotency → signed check → handler → commit → encode. The
 * endpoint was matched before, by its route.
 */
export function createPipeline(
  app: App,
  name: string,
  endpoint: Endpoint,
  implementation: AnyImplementation,
  options: PipelineOptions,
): Pipeline {
  const route = createRoute(app, name, endpoint, options.checkAnswers)
  const pipeline = pipelineOf(route, implementation, options)
  return app.tracing ? inSpans(pipeline) : pipeline
}

function pipelineOf(
  route: Route,
  implementation: AnyImplementation,
  { deadline, limits, readBefore }: PipelineOptions,
): Pipeline {
  const { app, endpoint } = route
  if ('who' in implementation) return publicPipeline(route, implementation, limits)
  if ('whose' in implementation)
    return {
      admit: async () => undefined,
      // The processor is not a caller of the API: the server itself answers its refusals and faults.
      answer: (call) => answerProcessor(route, implementation, deadline, call),
    }
  const operation = operationOf(route, implementation, readBefore)
  return {
    admit: (head) =>
      orRefusal(route, head, async () => {
        app.gate.checkRoom()
        const caller = noted(head, await limited(limits, head, () => admit(app, endpoint, head)))
        app.gate.checkRoom(caller.platform.id)
        return caller
      }),
    answer: async (call, caller) => {
      const faults = new CallFaults()
      const answer = await orRefusal(route, call, async () => {
        const answer = await answerCall(operation, call, caller, faults)
        return begun(isStream(endpoint) ? whileAdmitted(app, endpoint, call, answer) : answer, (error) =>
          brokeOff(route, call, error),
        )
      })
      return faults.apply(app, answer)
    },
  }
}

/** The caller, noted for the request log. */
function noted<C extends Pick<Caller, 'actor'>>({ seen }: Head, caller: C): C {
  if (seen) seen.actor = caller.actor
  return caller
}

/** Of an endpoint that anybody may call: the body says who does. */
function publicPipeline(route: Route, handler: PublicHandler<Endpoint>, limits: RequestLimits): Pipeline {
  const operation = operationOf(route, handler.handle)
  return {
    admit: (head) =>
      orRefusal(route, head, async () => {
        route.app.gate.checkRoom()
        note(head, await limits.takeAddress(head.address))
        return undefined
      }),
    answer: (call) =>
      orRefusal(route, call, async () => {
        const named = await whoCalls(route, handler, call)
        if ('answer' in named) return named.answer
        noted(call, named.op)
        return decide(operation, named.op, {
          call,
          input: named.input,
          signedCall: undefined,
          keyed: undefined,
        })
      }),
  }
}

/** The result of some steps, or the answer to their refusal or fault. */
async function orRefusal<T>(route: Route, head: Head, steps: () => Promise<T>): Promise<T | Answer> {
  try {
    const outcome = await steps()
    if (isAnswer(outcome)) countFailedAttempt(route, head, outcome)
    return outcome
  } catch (error) {
    const { refusal, isFault } = asApiError(error)
    if (isFault) route.app.log.error({ ...head.trace, err: error, endpoint: route.name }, 'operation failed')
    const answer = encodeRefusal(refusal, route.app.wire)
    countFailedAttempt(route, head, answer)
    return answer
  }
}

/** Logs a text that could not be made to its end. */
function brokeOff({ app, name }: Route, { trace }: Head, error: unknown): void {
  app.log.error({ ...trace, err: error, endpoint: name }, 'an answer broke off')
}

/** Counts a failed attempt at a device code, unknown or no longer valid, or at signing a member in. */
function countFailedAttempt({ app, endpoint }: Route, head: Head, answer: Answer): void {
  if (endpoint.auth === 'public' && answer.status === 401)
    app.failedAttempts.failed('memberSignInsByAddress', head.address)
  if (endpoint.auth === 'deviceCode' && answer.status === ERRORS.DEVICE_CODE_NOT_FOUND.status)
    codeFailed(app, codeOf(head), head.address)
}

/** An endpoint with its implementation. */
interface Operation {
  readonly route: Route
  readonly handle: Handler<Endpoint>
  /** Present where the endpoint takes the signed retry. */
  readonly signed: SignedHandler<Endpoint> | undefined
  readonly takes: Takes
  readonly readBefore?: Handler<Endpoint> | undefined
}

function operationOf(
  route: Route,
  implementation: Handler<Endpoint> | SignedHandler<Endpoint>,
  readBefore?: Handler<Endpoint>,
): Operation {
  const takes = takesOf(route.endpoint)
  return typeof implementation === 'function'
    ? { route, handle: implementation, signed: undefined, takes, readBefore }
    : { route, handle: implementation.handle, signed: implementation, takes, readBefore }
}

/** A parsed call. */
interface Request {
  readonly call: Call
  readonly input: Input<Endpoint>
  /** What a signature has to cover, for an endpoint that takes one. */
  readonly signedCall: SignedCall | undefined
  readonly keyed: KeyedRequest | undefined
}

async function answerCall(
  operation: Operation,
  call: Call,
  caller: Caller | undefined,
  faults: CallFaults,
): Promise<Answer> {
  const { app } = operation.route
  if (!call.readForm) {
    const op = await authenticate(operation.route, call, caller, faults)
    return decide(operation, op, await parse(operation, op, call))
  }
  const upload = await readUpload(app, call.readForm)
  let op: Op | undefined
  let answer: Answer | undefined
  let decided: Answer | undefined
  try {
    op = await authenticate(operation.route, call, caller, faults)
    const request = await parse(operation, op, call, upload)
    const { store } = upload
    answer = await decide(operation, op, request, async (op, attempted) => {
      decided = attempted
      if (attempted.status < 400) await store(op)
    })
    return answer
  } finally {
    // An answer that was kept earlier is not of this file.
    await upload.end(op, answer !== undefined && answer === decided)
  }
}

/** Runs the operation. `beforeCommit` sees the answer of each attempt. */
async function decide(
  operation: Operation,
  op: Op,
  request: Request,
  beforeCommit?: (op: Op, answer: Answer) => Promise<void>,
): Promise<Answer> {
  const { keyed } = request
  const { app } = operation.route
  const decided = () =>
    decideAndCommit(
      app,
      op,
      () => replay(op, keyed),
      async () => {
        const { answer, writes, isFinal } = await attempt(operation, op, request)
        await beforeCommit?.(op, answer)
        return { answer, writes: keyed && isFinal ? [...writes, keepAnswer(op, keyed, answer)] : writes }
      },
    )
  return app.gate.run(op.platform.id, decided)
}

async function authenticate(
  route: Route,
  call: Call,
  known: Caller | undefined,
  faults: CallFaults,
): Promise<Op> {
  const { app, endpoint } = route
  const { platform, actor } = known ?? noted(call, await admit(app, endpoint, call))
  const log = new LogWith(app.log, call.trace)
  const atPrimary = createOp(app, await app.withConfig(platform), actor, log, fromOf(app, call))
  // Copied only where it must be: nearly every call goes without.
  const reads = route.readsMuch ? await app.replica?.upToDate() : undefined
  const op = reads ? { ...atPrimary, ...reads } : atPrimary
  return mayFault(app, op, call) ? faults.find(route, op, call) : op
}

async function parse(
  { route, signed }: Operation,
  op: Op,
  call: Call,
  upload?: ReadUpload,
): Promise<Request> {
  const { endpoint, name } = route
  const body = upload ? upload.fields : parseBody(call.body)
  // Copied: the parser converts the fields of a form in place.
  const sent = upload ? sentAs(upload) : endpoint.body ? body : undefined
  const input = await route.parse({ params: call.params, query: call.query, body, file: upload?.file }, op)
  const target = `${call.method} ${call.path}`
  const signedCall =
    signed && ((await signed.signedAs?.(op, input)) ?? { operation: name, target, body: sent })
  const keyed = keyedRequest(op, endpoint, call.idempotencyKey, target, sent)
  return { call, input, signedCall, keyed }
}

/** What a repeated upload has to send again. */
function sentAs({ fields, file }: ReadUpload): unknown {
  return { ...fields, file: file && [file.name, Buffer.from(file.sha256).toString('hex')] }
}

/** The stored answer to this request's key, if there is one. */
async function replay(op: Op, keyed: KeyedRequest | undefined): Promise<Answer | undefined> {
  const stored = keyed && (await findStoredAnswer(op, keyed))
  if (stored) op.tracing?.note({ 'countersign.idempotency.replayed': true })
  return stored && { status: stored.status, headers: { 'Idempotency-Replayed': 'true' }, body: stored.body }
}

const UNSIGNED: Gate = {}

interface Attempt extends DecidedAnswer<Answer> {
  /** Whether the answer is stored under the idempotency key. */
  readonly isFinal: boolean
}

/** One attempt: signed check → handler → encode. A handler's refusal is an answer like any other. */
async function attempt(operation: Operation, op: Op, { call, input, signedCall }: Request): Promise<Attempt> {
  const { signed, takes } = operation
  const { wire } = operation.route.app
  try {
    const { approval, challenge } =
      signed && signedCall ? await signatureGate(op, takes, signed, input, call, signedCall) : UNSIGNED
    // A 202 is never the final answer.
    if (challenge)
      return {
        answer: encode({ status: 202, body: challenge.challenge }, wire),
        writes: challenge.writes,
        isFinal: false,
      }
    const outcome = await handle(operation, op, input, approval)
    operation.route.checkAnswer?.(outcome)
    // The writes of the request come first, because an operation may end the session that signed it.
    const writes = [
      ...(approval ? consumeRequest(op, approval) : []),
      ...(outcome.writes ?? []),
      ...(await entryOf(operation, op, call, input, outcome, approval)),
    ]
    return { answer: withCookie(encode(outcome, wire), outcome, operation.route.app), writes, isFinal: true }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return refused(operation.route, op, error)
  }
}

/** The entry of the audit trail for a call that changes something. */
async function entryOf(
  { route: { endpoint, name }, readBefore }: Operation,
  op: Op,
  { trace }: Call,
  { params }: Input<Endpoint>,
  { body }: Outcome<Endpoint>,
  approval: Approval | undefined,
): Promise<Write[]> {
  if (endpoint.method === 'GET' || endpoint.changesNothing) return []
  const before = await readBefore?.(op, { params, query: {}, body: undefined })
  return auditWrites(op, {
    operation: name,
    params,
    body,
    before: before?.body,
    walletSessionId: approval?.session?.id,
    requestId: trace.requestId,
  })
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
    // A request used meanwhile is reported before errors that result from its use.
    if (approval && error instanceof ApiError) await findUnusedRequest(op, approval.requestId)
    throw error
  }
}

/** Throws a refusal that is not final, after committing its writes. */
async function refused(route: Route, op: Op, refusal: ApiError): Promise<Attempt> {
  checkDeclared(route, refusal)
  if (!isFinal(refusal.code)) {
    await commitForSure(route.app, op, refusal.writes)
    throw refusal
  }
  return { answer: encodeRefusal(refusal, route.app.wire), writes: refusal.writes, isFinal: true }
}

/** Whether a refusal is final for the request. Only final refusals are stored under its idempotency key. */
function isFinal(code: ErrorCode): boolean {
  const { status } = ERRORS[code]
  return status < 500 && ![401, 403, 424, 429].includes(status)
}
