import type { Endpoint } from '@countersign/contract/core/endpoint'
import { type App, createOp, type Op } from '../../../kernel/operation/app.ts'
import { decideAndCommit } from '../../../kernel/operation/decide-and-commit.ts'
import { LogWith } from '../../../kernel/operation/log-fields.ts'
import {
  type AnyImplementation,
  ApiError,
  type EndpointWithResponseBody,
  type IdempotentOperation,
  type Input,
  type ProcessorHandler,
} from '../../../kernel/operation/operation.ts'
import type { Rail } from '../../../kernel/ports/rail.ts'
import { inSpan } from '../logging/request-spans.ts'
import type { Call, HttpResponse } from '../request/call.ts'
import { encode } from '../response/encode.ts'
import type { Deadline } from './deadline.ts'
import type { Pipeline, PipelineOptions } from './pipeline.ts'
import { checkDeclared, createRoute, type Route } from './route.ts'

type EventHandler = ProcessorHandler<EndpointWithResponseBody>

/**
 * The pipeline for events of the card processor, the verification provider and rails, authenticated by a
 * signature over the body. The event itself is the idempotency key, and only responses to processed events
 * are stored. Throws 401 `INVALID_SIGNATURE`, 400 `INVALID_INPUT` and the handler's errors.
 */
export function createEventPipeline(
  app: App,
  name: string,
  endpoint: Endpoint,
  handler: AnyImplementation,
  { checkResponses, deadline }: Pick<PipelineOptions, 'checkResponses' | 'deadline'>,
): Pipeline {
  if (!('resolvePlatform' in handler)) throw new Error(`${name} accepts no events`)
  const route = createRoute(app, name, endpoint, checkResponses)
  return {
    admit: async () => undefined,
    answer: (call) => inSpan(call.trace, () => respondToEvent(route, handler, deadline, call)),
  }
}

async function respondToEvent(
  route: Route,
  handler: EventHandler,
  deadline: Deadline,
  call: Call,
): Promise<HttpResponse> {
  const event = authenticateEvent(route, call)
  const input = await route.parse({ params: call.params, query: call.query, body: event })
  const timeout = handler.timeout(input)
  if (!timeout) {
    const op = await createEventOp(route.app, handler, input, call)
    return (await respondOnce(route, op, handler, input, () => false)).answer
  }
  return deadline.answer(call.trace, encode(timeout.answer, route.app.wire), async (isLate) => {
    const op = await createEventOp(route.app, handler, input, call)
    const { answer, isRevertible } = await respondOnce(route, op, handler, input, isLate)
    const revert = async () => {
      const later = createOp(route.app, op.platform, op.actor, { log: op.log })
      await respondOnce(route, later, timeout.takeBack, input, isLate)
    }
    return { answer, revert: isRevertible ? revert : undefined }
  })
}

type Headers = Readonly<Record<string, string | undefined>>

/** Parsers that verify the signature of an event. They return undefined if it is invalid. */
const READERS: Readonly<
  Partial<Record<Endpoint['auth'], (app: App, headers: Headers, body: Uint8Array, params: Params) => unknown>>
> = {
  cardProcessor: ({ cardProcessor }, headers, body) => cardProcessor?.readEvent(headers, body),
  verificationProvider: ({ verifier, clock }, headers, body) => verifier?.readEvent(headers, body, clock()),
  rail: ({ rails }, headers, body, { rail: name = null }) =>
    requireRail(rails, name).readEvent?.(headers, body),
}

type Params = Readonly<Record<string, string>>

/** Throws 404 `NOT_FOUND`. */
function requireRail(rails: App['rails'], name: string | null): Rail {
  const rail = name === null ? undefined : rails.find(name)
  if (!rail) throw new ApiError('NOT_FOUND')
  return rail
}

/** Returns a signed event that is not validated yet. Throws 401 `INVALID_SIGNATURE`. */
function authenticateEvent({ app, endpoint }: Route, { headers, body, params }: Call): unknown {
  const texts = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )
  const event = READERS[endpoint.auth]?.(app, texts, body ?? Buffer.alloc(0), params as Params)
  if (event === undefined) throw new ApiError('INVALID_SIGNATURE', { reason: 'Invalid signature' })
  return event
}

async function createEventOp(
  app: App,
  handler: EventHandler,
  input: Input<EndpointWithResponseBody>,
  { trace }: Call,
): Promise<Op> {
  const { platform, actor } = await handler.resolvePlatform(app, input)
  trace.platformId = platform.id
  return createOp(app, await app.withConfig(platform), actor, { log: new LogWith(app.log, trace) })
}

interface EventAttempt {
  readonly answer: HttpResponse
  readonly isRevertible: boolean
}

/** The remaining steps: idempotency → handler → commit → encode. */
function respondOnce(
  route: Route,
  op: Op,
  operation: IdempotentOperation<EndpointWithResponseBody>,
  input: Input<EndpointWithResponseBody>,
  isLate: () => boolean,
): Promise<EventAttempt> {
  return decideAndCommit<EventAttempt>(
    route.app,
    op,
    async () => {
      const before = await operation.replay(op, input)
      return before && { answer: encode(before, route.app.wire), isRevertible: false }
    },
    async () => {
      const outcome = await operation.handle(op, input, isLate).catch((error: unknown) => {
        if (error instanceof ApiError) checkDeclared(route, error)
        throw error
      })
      route.checkResponse?.(outcome)
      const { writes = [], isRevertible = false } = outcome
      return { answer: { answer: encode(outcome, route.app.wire), isRevertible }, writes }
    },
  )
}
