import { type Endpoint, isStream } from '@countersign/contract/core/endpoint'
import { ERRORS } from '@countersign/contract/core/errors'
import { recordFailedCode } from '../../../agents/identity/device-codes.ts'
import { type App, createOp, type Op } from '../../../kernel/operation/app.ts'
import { LogWith } from '../../../kernel/operation/log-fields.ts'
import type {
  AnyImplementation,
  Caller,
  Handler,
  PublicHandler,
} from '../../../kernel/operation/operation.ts'
import type { RequestLimits } from '../../rate-limits/request-limits.ts'
import { admit, readDeviceCode } from '../authentication/authenticate.ts'
import { requestOrigin } from '../authentication/members.ts'
import { inSpan } from '../logging/request-spans.ts'
import { type Call, type Head, type HttpResponse, isHttpResponse } from '../request/call.ts'
import { parseBody } from '../request/json-body.ts'
import { type ReadUpload, readUpload } from '../request/upload.ts'
import { encodeRefusal, startStream } from '../response/encode.ts'
import { toApiError } from '../response/errors.ts'
import type { Deadline } from './deadline.ts'
import { readKeyedRequest } from './idempotency.ts'
import { identifyCaller, parsePublicInput, withFailureCount } from './public-calls.ts'
import { applyLimits, recordStanding } from './rate-limit.ts'
import { createRoute, type Route } from './route.ts'
import { createOperation, decide, type Operation, type Request } from './run-operation.ts'
import { CallFaults, mayFault } from './sandbox-faults.ts'
import { endWhenNotAdmitted } from './streams.ts'

/** Handles the calls to one endpoint. Neither method throws for callers of the API. */
export interface Pipeline {
  /**
   * Authenticates the caller before the body is read, or returns the refusal. Undefined if the body
   * identifies the caller.
   */
  admit(head: Head): Promise<Caller | HttpResponse | undefined>
  /**
   * Authenticates again if `caller` is undefined, because access may have been revoked while a slow body
   * arrived.
   */
  answer(call: Call, caller: Caller | undefined): Promise<HttpResponse>
}

export interface PipelineOptions {
  readonly checkResponses: boolean
  readonly limits: RequestLimits
  /** The deadline for responses to the card processor. */
  readonly deadline: Deadline
  /** Reads the record that the endpoint changes, before the change. */
  readonly readBefore?: Handler<Endpoint> | undefined
}

/**
 * The path of every call: authenticate → parse → idempotency → signature check → handler → commit → encode.
 * The router has already chosen the endpoint.
 */
export function createPipeline(
  app: App,
  name: string,
  endpoint: Endpoint,
  implementation: AnyImplementation,
  options: PipelineOptions,
): Pipeline {
  const route = createRoute(app, name, endpoint, options.checkResponses)
  const pipeline = createCallPipeline(route, implementation, options)
  return app.tracing ? withTracing(pipeline) : pipeline
}

/** Runs the pipeline within the span of the request. */
function withTracing(pipeline: Pipeline): Pipeline {
  return {
    admit: (head) => inSpan(head.trace, () => pipeline.admit(head)),
    answer: (call, caller) => inSpan(call.trace, () => pipeline.answer(call, caller)),
  }
}

function createCallPipeline(
  route: Route,
  implementation: AnyImplementation,
  { limits, readBefore }: PipelineOptions,
): Pipeline {
  const { app, endpoint } = route
  if ('resolveCaller' in implementation) return createPublicPipeline(route, implementation, limits)
  if ('resolvePlatform' in implementation) throw new Error(`${route.name} accepts events, not calls`)
  const operation = createOperation(route, implementation, readBefore)
  return {
    admit: (head) =>
      catchErrors(route, head, async () => {
        app.gate.admit()
        const caller = recordCaller(head, await applyLimits(limits, head, () => admit(app, endpoint, head)))
        app.gate.admit(caller.platform.id)
        return caller
      }),
    answer: async (call, caller) => {
      const faults = new CallFaults()
      const answer = await catchErrors(route, call, async () => {
        const answer = await respondToCall(operation, call, caller, faults)
        return startStream(
          isStream(endpoint) ? endWhenNotAdmitted(app, endpoint, call, answer) : answer,
          (error) => logBrokenStream(route, call, error),
        )
      })
      return faults.apply(app, answer)
    },
  }
}

/** Records the caller for the request log. */
function recordCaller<C extends Pick<Caller, 'actor'>>({ seen }: Head, caller: C): C {
  if (seen) seen.actor = caller.actor
  return caller
}

/** The pipeline of a public endpoint, whose callers are identified by the body. */
function createPublicPipeline(
  route: Route,
  handler: PublicHandler<Endpoint>,
  limits: RequestLimits,
): Pipeline {
  const operation = createOperation(route, handler.handle)
  return {
    admit: (head) =>
      catchErrors(route, head, async () => {
        route.app.gate.admit()
        recordStanding(head, await limits.takeAddress(head.address))
        return undefined
      }),
    answer: (call) =>
      catchErrors(route, call, async () => {
        const input = await parsePublicInput(route, call)
        return withFailureCount(route.app, handler.nameCredential?.(input), async () => {
          const identified = await identifyCaller(route, handler, call, input)
          if ('answer' in identified) return identified.answer
          recordCaller(call, identified.op)
          const request = { call, input: identified.input, signedCall: undefined, keyed: undefined }
          return decide(operation, identified.op, request)
        })
      }),
  }
}

/** Runs steps, and converts a refusal or internal error to its response. */
async function catchErrors<T>(route: Route, head: Head, steps: () => Promise<T>): Promise<T | HttpResponse> {
  try {
    const outcome = await steps()
    if (isHttpResponse(outcome)) countFailedAttempt(route, head, outcome)
    return outcome
  } catch (error) {
    const { refusal, isFault } = toApiError(error)
    if (isFault) route.app.log.error({ ...head.trace, err: error, endpoint: route.name }, 'operation failed')
    const answer = encodeRefusal(refusal, route.app)
    countFailedAttempt(route, head, answer)
    return answer
  }
}

/** Logs a streamed response that failed midway. */
function logBrokenStream({ app, name }: Route, { trace }: Head, error: unknown): void {
  app.log.error({ ...trace, err: error, endpoint: name }, 'failed to complete a response')
}

/** Counts a failed attempt with an unknown or expired device code. */
function countFailedAttempt({ app, endpoint }: Route, head: Head, answer: HttpResponse): void {
  if (endpoint.auth === 'deviceCode' && answer.status === ERRORS.DEVICE_CODE_NOT_FOUND.status)
    recordFailedCode(app, readDeviceCode(head), head.address)
}

async function respondToCall(
  operation: Operation,
  call: Call,
  caller: Caller | undefined,
  faults: CallFaults,
): Promise<HttpResponse> {
  const { app } = operation.route
  if (!call.readForm) {
    const op = await authenticate(operation.route, call, caller, faults)
    return decide(operation, op, await parse(operation, op, call))
  }
  const upload = await readUpload(app, call.readForm)
  let op: Op | undefined
  let answer: HttpResponse | undefined
  let decided: HttpResponse | undefined
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
    // The file is not needed if the response is a replay of an earlier upload.
    await upload.end(op, answer !== undefined && answer === decided)
  }
}

async function authenticate(
  route: Route,
  call: Call,
  known: Caller | undefined,
  faults: CallFaults,
): Promise<Op> {
  const { app, endpoint } = route
  const { platform, actor } = known ?? recordCaller(call, await admit(app, endpoint, call))
  const log = new LogWith(app.log, call.trace)
  const primaryOp = createOp(app, await app.withConfig(platform), actor, {
    log,
    from: requestOrigin(app, call),
  })
  // Nearly all calls use the primary and need no copy.
  const replicaReads = route.readsMuch ? await app.replica?.upToDate() : undefined
  const op = replicaReads ? { ...primaryOp, ...replicaReads } : primaryOp
  return mayFault(app, op, call) ? faults.find(route, op, call) : op
}

async function parse(
  { route, signed }: Operation,
  op: Op,
  call: Call,
  upload?: ReadUpload,
): Promise<Request> {
  const { endpoint, name } = route
  const body = upload ? upload.fields : parseBody(call.body, endpoint.bodyMembersMax)
  // A copy, because the parser converts form fields in place.
  const sent = upload ? toReplayContent(upload) : endpoint.body ? body : undefined
  const input = await route.parse({ params: call.params, query: call.query, body, file: upload?.file }, op)
  const target = `${call.method} ${call.path}`
  const signedCall =
    signed && ((await signed.findSignedCall?.(op, input)) ?? { operation: name, target, body: sent })
  const keyed = readKeyedRequest(op, endpoint, call.idempotencyKey, target, sent)
  return { call, input, signedCall, keyed }
}

/** The content that must be identical when an upload is replayed. */
function toReplayContent({ fields, file }: ReadUpload): unknown {
  return { ...fields, file: file && [file.name, Buffer.from(file.sha256).toString('hex')] }
}
