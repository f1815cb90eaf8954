import type { Endpoint } from '@countersign/contract/core/endpoint'
import { ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import { codeFailed } from '../agents/device-codes.ts'
import type { Write } from '../db/commit/writes.ts'
import { parseJson, toJson } from '../json/json.ts'
import { type App, createOp, type Op } from '../op/app.ts'
import { LogWith } from '../op/log-with.ts'
import {
  ApiError,
  type Approval,
  type Handler,
  type Implementation,
  type Input,
  type SignedCall,
  type SignedHandler,
} from '../op/operation.ts'
import { approve, approveByProof, challengeFor, consumeRequest } from '../signed-retry/signed-retry.ts'
import { findUnusedRequest } from '../signing/signing.ts'
import { admit, type Caller, codeOf, type Head } from './admission.ts'
import { parseBody } from './body.ts'
import { asApiError, encodeError } from './errors.ts'
import { findStoredAnswer, type KeyedRequest, keyedRequest, storeAnswer } from './idempotency.ts'
import { createParser } from './parse.ts'
import { commitForSure, type Decided, decideAndCommit } from './rerun.ts'
import { validator } from './validate.ts'

/** A request as HTTP delivers it, and the answer to it. */
export interface Call extends Head {
  readonly method: string
  /** The path below the base address, decoded. */
  readonly path: string
  readonly query: unknown
  readonly body: Buffer | undefined
  readonly idempotencyKey: string | undefined
  readonly signature: string | undefined
  readonly requestId: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What answers the calls to one endpoint. Neither throws. */
export interface Pipeline {
  /** Who calls, or the answer to who may not: nothing of the body is needed for it, so it is not read. */
  admit(head: Head): Promise<Caller | Answer>
  /** Without a caller it asks who that is: a body that came late may be of one who has lost the right meanwhile. */
  answer(call: Call, caller: Caller | undefined): Promise<Answer>
}

/** Codes that the pipeline itself raises, for any endpoint. */
const PIPELINE_CODES: ReadonlySet<ErrorCode> = new Set(
  (Object.keys(ERRORS) as ErrorCode[]).filter(
    (code) => ERRORS[code].status === 401 || ERRORS[code].status >= 500,
  ),
).add('INVALID_INPUT')

/** Refusals that say nothing final about the request are not kept with its idempotency key. */
function isFinal(code: ErrorCode): boolean {
  const { status } = ERRORS[code]
  return status < 500 && ![401, 403, 424, 429].includes(status)
}

/**
 * The one way through the server: authenticate → parse → idempotency → signed check → handler → commit → encode.
 */
export function createPipeline<E extends Endpoint>(
  app: App,
  name: string,
  endpoint: E,
  implementation: Implementation<E>,
  options: { checkAnswers: boolean },
): Pipeline {
  const parse = createParser(endpoint)
  const signed = endpoint.signed ? (implementation as unknown as SignedHandler<Endpoint>) : undefined
  const handle = (signed?.handle ?? implementation) as Handler<Endpoint>
  const allowed = new Set<ErrorCode>([...endpoint.errors, ...PIPELINE_CODES])
  const checkAnswer = options.checkAnswers ? createAnswerCheck(endpoint) : undefined

  return {
    admit: (head) => orRefusal(head, () => admit(app, endpoint, head)),
    answer: (call, caller) =>
      orRefusal(call, async () => {
        const { platform, actor } = caller ?? (await admit(app, endpoint, call))
        const log = new LogWith(app.log, call.trace)
        return await run(createOp(app, await app.withConfig(platform), actor, log), call)
      }),
  }

  /** What comes of it, or the answer that says why nothing does. */
  async function orRefusal<T>(head: Head, begin: () => Promise<T>): Promise<T | Answer> {
    try {
      const outcome = await begin()
      if (isAnswer(outcome)) countTry(head, outcome)
      return outcome
    } catch (error) {
      const { refusal, isFault } = asApiError(error)
      if (isFault) app.log.error({ ...head.trace, err: error, endpoint: name }, 'operation failed')
      const { status, headers, body } = encodeError(refusal)
      const answer = { status, headers, body: toJson(body) }
      countTry(head, answer)
      return answer
    }
  }

  /** Whether there is no such code, or it was known and is not good any more: both are a try. */
  function countTry(head: Head, answer: Answer): void {
    if (endpoint.auth === 'deviceCode' && answer.status === ERRORS.DEVICE_CODE_NOT_FOUND.status)
      codeFailed(app, codeOf(head), head.address)
  }

  async function run(op: Op, call: Call): Promise<Answer> {
    const body = parseBody(call.body)
    const input = await parse(op, { params: call.params, query: call.query, body })
    const target = `${call.method} ${call.path}`
    const sent = endpoint.body ? body : undefined
    const signedCall = (await signed?.signedAs?.(op, input)) ?? { operation: name, target, body: sent }
    const keyed = endpoint.idempotent ? keyedRequest(op, call.idempotencyKey, target, sent) : undefined
    return decideAndCommit(
      app,
      op,
      () => replay(op, keyed),
      async () => {
        const { answer, writes, isFinal } = await decide(op, input, call, signedCall)
        return { answer, writes: keyed && isFinal ? [...writes, storeAnswer(op, keyed, answer)] : writes }
      },
    )
  }

  /** One try at the operation. */
  async function decide(
    op: Op,
    input: Input<Endpoint>,
    call: Call,
    signedCall: SignedCall,
  ): Promise<Decision> {
    try {
      const gate = signed ? await signatureGate(op, signed, endpoint, input, call, signedCall) : {}
      if ('challenge' in gate) return gate.challenge
      const { approval } = gate
      const outcome = await handle(op, approval ? { ...input, approval } : input).catch(async (error) => {
        // That the request was used meanwhile comes before what has changed by that.
        if (approval && error instanceof ApiError) await findUnusedRequest(op, approval.requestId)
        throw error
      })
      checkAnswer?.(outcome)
      return {
        answer: {
          status: outcome.status,
          headers: {},
          body: outcome.body === undefined ? '' : toJson(outcome.body),
        },
        // The request first: an operation may end the very session that signed it.
        writes: [...(approval ? consumeRequest(op, approval) : []), ...(outcome.writes ?? [])],
        isFinal: true,
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!allowed.has(error.code)) throw new Error(`${name} raised ${error.code}, which it does not declare`)
      if (!isFinal(error.code)) {
        await commitForSure(app, op, error.writes)
        throw error
      }
      const { status, headers, body } = encodeError(error)
      return { answer: { status, headers, body: toJson(body) }, writes: error.writes, isFinal: true }
    }
  }
}

/** Whether an admission is the answer already. */
export function isAnswer(outcome: unknown): outcome is Answer {
  return typeof outcome === 'object' && outcome !== null && 'status' in outcome && 'body' in outcome
}

interface Decision extends Decided<Answer> {
  readonly isFinal: boolean
}

/** The answer that was stored with this request's key, if there is one. */
async function replay(op: Op, keyed: KeyedRequest | undefined): Promise<Answer | undefined> {
  const stored = keyed && (await findStoredAnswer(op, keyed))
  return stored && { status: stored.status, headers: { 'Idempotency-Replayed': 'true' }, body: stored.body }
}

/** What the signature headers allow: the operation with its approval or without needing one, or a challenge. */
async function signatureGate(
  op: Op,
  signed: SignedHandler<Endpoint>,
  endpoint: Endpoint,
  input: Input<Endpoint>,
  call: Call,
  signedCall: SignedCall,
): Promise<{ approval?: Approval } | { challenge: Decision }> {
  const { signature, requestId } = call
  const prove = await signed.prove?.(op, input)
  const isProof = prove !== undefined || (signature !== undefined && !endpoint.signatureAlone)
  if (requestId === undefined && isProof)
    throw new ApiError('REQUEST_ID_MISSING', { reason: 'Missing Request-Id' })
  if (requestId !== undefined) {
    if (prove) return { approval: await approveByProof(op, signedCall, requestId, prove) }
    if (signature === undefined)
      throw new ApiError('WALLET_SIGNATURE_MISSING', { reason: 'Missing wallet signature' })
    return { approval: await approve(op, signedCall, requestId, signature) }
  }
  const alone = endpoint.signatureAlone === 'executes' ? signature : undefined
  const authorization = await signed.authorize(op, input, alone !== undefined)
  if (authorization === null) return {}
  if (alone === undefined) {
    const { challenge, writes } = await challengeFor(op, signedCall, authorization)
    return { challenge: challengeAnswer(challenge, writes) }
  }
  if (!('requestId' in authorization)) throw new Error('A payload that the client cannot hold yet')
  return { approval: await approve(op, signedCall, authorization.requestId, alone) }
}

/** A 202. It is never the final answer, so it is not kept with an idempotency key. */
function challengeAnswer(challenge: object, writes: readonly Write[]): Decision {
  return { answer: { status: 202, headers: {}, body: toJson(challenge) }, writes, isFinal: false }
}

/** In tests every answer is held against the contract. */
function createAnswerCheck(endpoint: Endpoint): (outcome: { status: number; body?: unknown }) => void {
  const checks = new Map(
    Object.entries(endpoint.responses).map(([status, schema]) => [
      Number(status),
      schema ? validator(schema, 'answer') : null,
    ]),
  )
  return ({ status, body }) => {
    if (!checks.has(status))
      throw new Error(`${endpoint.method} ${endpoint.path} does not declare status ${status}`)
    const check = checks.get(status)
    if (!check) return
    try {
      check(parseJson(toJson(body)))
    } catch (error) {
      throw new Error(
        `${endpoint.method} ${endpoint.path} answered outside its schema: ${(error as Error).message}`,
      )
    }
  }
}
