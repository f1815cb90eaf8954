import type { Endpoint } from '@countersign/contract/core/endpoint'
import { ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import { codeFailed } from '../agents/device-codes.ts'
import { type KeyedRequest, keepAnswer } from '../kept-answers/kept-answers.ts'
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
  type SignedCall,
  type SignedHandler,
} from '../op/operation.ts'
import { consumeRequest } from '../signed-retry/signed-retry.ts'
import { findUnusedRequest } from '../signing/signing.ts'
import { admit, codeOf } from './admission.ts'
import { encode, encodeRefusal } from './answers.ts'
import { parseBody } from './body.ts'
import { type Answer, type Call, type Head, isAnswer } from './call.ts'
import type { Deadline } from './deadline.ts'
import { asApiError } from './errors.ts'
import { findStoredAnswer, keyedRequest } from './idempotency.ts'
import { answerProcessor } from './processor.ts'
import { commitForSure, type Decided, decideAndCommit } from './rerun.ts'
import { checkDeclared, createRoute, type Route } from './route.ts'
import { type Gate, signatureGate } from './signature-gate.ts'
import { type Takes, takesOf } from './signed-check.ts'

/** What answers the calls to one endpoint. For callers of the API neither throws. */
export interface Pipeline {
  /**
   * Who calls, or the answer to who may not: nothing of the body is needed for it, so it is not read. Undefined where the
   * body says who calls.
   */
  admit(head: Head): Promise<Caller | Answer | undefined>
  /** Without a caller it asks who that is: a body that came late may be of one who has lost the right meanwhile. */
  answer(call: Call, caller: Caller | undefined): Promise<Answer>
}

export interface PipelineOptions {
  readonly checkAnswers: boolean
  /** For the processor of cards, who waits so long only. */
  readonly deadline: Deadline
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
  { checkAnswers, deadline }: PipelineOptions,
): Pipeline {
  const route = createRoute(app, name, endpoint, checkAnswers)
  if ('whose' in implementation)
    return {
      admit: async () => undefined,
      // It is no caller of the API: what is refused it, or fails, is answered as what reaches no endpoint is, by the server.
      answer: (call) => answerProcessor(route, implementation, deadline, call),
    }
  const operation = operationOf(route, implementation)
  return {
    admit: (head) => orRefusal(route, head, () => admit(app, endpoint, head)),
    answer: (call, caller) => orRefusal(route, call, () => answerCall(operation, call, caller)),
  }
}

/** What comes of some steps, or the answer that says why nothing does. */
async function orRefusal<T>(route: Route, head: Head, steps: () => Promise<T>): Promise<T | Answer> {
  try {
    const outcome = await steps()
    if (isAnswer(outcome)) countTry(route, head, outcome)
    return outcome
  } catch (error) {
    const { refusal, isFault } = asApiError(error)
    if (isFault) route.app.log.error({ ...head.trace, err: error, endpoint: route.name }, 'operation failed')
    const answer = encodeRefusal(refusal)
    countTry(route, head, answer)
    return answer
  }
}

/** Counts a device code that does not exist, or was known and is not good any more. */
function countTry({ app, endpoint }: Route, head: Head, answer: Answer): void {
  if (endpoint.auth === 'deviceCode' && answer.status === ERRORS.DEVICE_CODE_NOT_FOUND.status)
    codeFailed(app, codeOf(head), head.address)
}

/** An endpoint with what does it. */
interface Operation {
  readonly route: Route
  readonly handle: Handler<Endpoint>
  /** Where it takes the signed retry. */
  readonly signed: SignedHandler<Endpoint> | undefined
  readonly takes: Takes
}

function operationOf(route: Route, implementation: Handler<Endpoint> | SignedHandler<Endpoint>): Operation {
  const takes = takesOf(route.endpoint)
  return typeof implementation === 'function'
    ? { route, handle: implementation, signed: undefined, takes }
    : { route, handle: implementation.handle, signed: implementation, takes }
}

/** A call that was understood. */
interface Request {
  readonly call: Call
  readonly input: Input<Endpoint>
  /** What a signature would be for, of an endpoint that takes one. */
  readonly signedCall: SignedCall | undefined
  readonly keyed: KeyedRequest | undefined
}

async function answerCall(operation: Operation, call: Call, caller: Caller | undefined): Promise<Answer> {
  const { app } = operation.route
  const op = await authenticate(operation.route, call, caller)
  const request = await parse(operation, op, call)
  const { keyed } = request
  return decideAndCommit(
    app,
    op,
    () => replay(op, keyed),
    async () => {
      const { answer, writes, isFinal } = await attempt(operation, op, request)
      return { answer, writes: keyed && isFinal ? [...writes, keepAnswer(op, keyed, answer)] : writes }
    },
  )
}

async function authenticate({ app, endpoint }: Route, call: Call, known: Caller | undefined): Promise<Op> {
  const { platform, actor } = known ?? (await admit(app, endpoint, call))
  const log = new LogWith(app.log, call.trace)
  return createOp(app, await app.withConfig(platform), actor, log)
}

async function parse({ route, signed }: Operation, op: Op, call: Call): Promise<Request> {
  const { endpoint, name } = route
  const body = parseBody(call.body)
  const input = await route.parse({ params: call.params, query: call.query, body }, op)
  const target = `${call.method} ${call.path}`
  const sent = endpoint.body ? body : undefined
  const signedCall =
    signed && ((await signed.signedAs?.(op, input)) ?? { operation: name, target, body: sent })
  const keyed = endpoint.idempotent ? keyedRequest(op, call.idempotencyKey, target, sent) : undefined
  return { call, input, signedCall, keyed }
}

/** The answer that was stored with this request's key, if there is one. */
async function replay(op: Op, keyed: KeyedRequest | undefined): Promise<Answer | undefined> {
  const stored = keyed && (await findStoredAnswer(op, keyed))
  return stored && { status: stored.status, headers: { 'Idempotency-Replayed': 'true' }, body: stored.body }
}

const UNSIGNED: Gate = {}

interface Attempt extends Decided<Answer> {
  /** Whether the answer is kept with the idempotency key. */
  readonly isFinal: boolean
}

/** Signed check → handler → encode, once. What the handler refuses is an answer like any other. */
async function attempt(operation: Operation, op: Op, { call, input, signedCall }: Request): Promise<Attempt> {
  const { signed, takes } = operation
  try {
    const { approval, challenge } =
      signed && signedCall ? await signatureGate(op, takes, signed, input, call, signedCall) : UNSIGNED
    // A 202 is never the final answer.
    if (challenge)
      return {
        answer: encode({ status: 202, body: challenge.challenge }),
        writes: challenge.writes,
        isFinal: false,
      }
    const outcome = await handle(operation, op, input, approval)
    operation.route.checkAnswer?.(outcome)
    // The request first: an operation may end the very session that signed it.
    const writes = [...(approval ? consumeRequest(op, approval) : []), ...(outcome.writes ?? [])]
    return { answer: encode(outcome), writes, isFinal: true }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return refused(operation.route, op, error)
  }
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
    // That the request was used meanwhile comes before what has changed by that.
    if (approval && error instanceof ApiError) await findUnusedRequest(op, approval.requestId)
    throw error
  }
}

/** Throws what says nothing final about the request, once what it leaves behind is written. */
async function refused(route: Route, op: Op, refusal: ApiError): Promise<Attempt> {
  checkDeclared(route, refusal)
  if (!isFinal(refusal.code)) {
    await commitForSure(route.app, op, refusal.writes)
    throw refusal
  }
  return { answer: encodeRefusal(refusal), writes: refusal.writes, isFinal: true }
}

/** Refusals that say nothing final about the request are not kept with its idempotency key. */
function isFinal(code: ErrorCode): boolean {
  const { status } = ERRORS[code]
  return status < 500 && ![401, 403, 424, 429].includes(status)
}
