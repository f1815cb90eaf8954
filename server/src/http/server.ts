import { Readable } from 'node:stream'
import { API, type EndpointName } from '@countersign/contract/api'
import { card_processor_event } from '@countersign/contract/cards/card-processor'
import { rail_event } from '@countersign/contract/connectors/rail-events'
import { BODY_BYTES_MAX_DEFAULT, bodyBytesMaxOf, type Endpoint } from '@countersign/contract/core/endpoint'
import type { ErrorCode } from '@countersign/contract/core/errors'
import { verification_provider_event } from '@countersign/contract/customers/verifications'
import multipart from '@fastify/multipart'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { RequestLine } from '../observability/request-lines.ts'
import type { App } from '../op/app.ts'
import { pathOf, urlOf } from '../op/base-path.ts'
import { type AnyImplementation, ApiError, type Caller, type Handlers } from '../op/operation.ts'
import { type Answer, type Head, isAnswer } from './call.ts'
import { addCardPage } from './card-page.ts'
import { createDeadline } from './deadline.ts'
import { addDocs } from './docs.ts'
import { addFileLinks } from './file-links.ts'
import { addGuides } from './guides.ts'
import { createKycCalls } from './kyc-calls.ts'
import { addKycPage } from './kyc-page.ts'
import { addLanding } from './landing.ts'
import { addMetrics } from './metrics.ts'
import { observe, observeRequests, requestIdOf } from './observe.ts'
import { allowPages } from './origins.ts'
import { createPipeline, type Pipeline, type PipelineOptions } from './pipeline.ts'
import { boundRest, closeUnread, refuseEarly, refuseNotHttp, sendError } from './refuse.ts'
import { ping } from './store.ts'
import { type TakeUpload, uploadTaker } from './upload.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, where the whole request had arrived by the time of authentication. */
    caller: Caller | undefined
  }

  interface FastifyContextConfig {
    isUpload?: boolean
  }
}

/** Timeouts from the first byte of a request, or the start of its connection, to the end of its headers and its body. */
const HEADERS_MS_MAX = 10_000
const REQUEST_MS_MAX = 30_000
/** How late a timeout may be noticed. */
const TIMEOUT_CHECK_MS = 1_000
/** Refused connections are logged in one line per this interval, because there may be very many. */
const DROP_LINE_MS = 10_000

/** Options beyond the service's settings; mostly set by tests. */
export interface ServerOptions {
  /** Checks every answer against the contract. */
  readonly checkAnswers?: boolean
  /** How long the card processor waits. */
  readonly cardAnswerMsMax?: number
  /** How long a whole request may take to arrive. */
  readonly requestMsMax?: number
  /** Called for every request once its answer is sent. */
  readonly showRequest?: (line: RequestLine) => void
}

/** The endpoints outside of the API, to which others report. */
const REPORTED = { card_processor_event, verification_provider_event, rail_event }

/** The implementations of all endpoints of the API and of those beside it. */
export type ServedHandlers = Handlers<typeof API & typeof REPORTED>

/** The HTTP server, not yet listening. */
export function createServer(
  app: App,
  handlers: ServedHandlers,
  options: ServerOptions = {},
): FastifyInstance {
  const requestMsMax = options.requestMsMax ?? REQUEST_MS_MAX
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX_DEFAULT,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: requestMsMax,
    routerOptions: { maxParamLength: 512 },
    genReqId: (request) => requestIdOf(app, request),
    http: {
      // A request without Host is refused by our own hook, with a normal error body.
      requireHostHeader: false,
      headersTimeout: Math.min(HEADERS_MS_MAX, requestMsMax),
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestMsMax),
    },
    clientErrorHandler: (error, socket) => refuseNotHttp(app, error, socket),
    frameworkErrors: (_error, _request, frameworkReply) => {
      const reply = frameworkReply as FastifyReply
      observe(app, reply.request, reply, options.showRequest)
      sendError(reply, new ApiError('NOT_FOUND'))
    },
  })
  limitConnections(server, app)
  // Ignores an expectation other than 100-continue, as the standard allows.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.removeAllContentTypeParsers()
  // Reads the bytes only: the pipeline parses them after authentication.
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => body,
  )
  server.setErrorHandler((error, request, reply) => sendError(reply, transportError(app, error, request)))
  server.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('NOT_FOUND')))

  observeRequests(server, app, options.showRequest)
  server.decorateRequest('caller')
  const deadline = createDeadline(app.log, options.cardAnswerMsMax)
  server.addHook('onClose', deadline.settled)
  const steps = { checkAnswers: options.checkAnswers ?? false, deadline }
  const takeUpload = uploadTaker(requestMsMax)
  addApi(server, app, handlers, { steps, takeUpload })
  addHealth(server, app)
  addMetrics(server, app)
  addWellKnown(server, app)
  addDocs(server, app)
  addGuides(server)
  addLanding(server, app)
  addCardPage(server, app)
  addFileLinks(server, app)
  addKycPage(server, app, createKycCalls(app, handlers, steps), takeUpload)
  return server
}

/** Adds all routes of the pipeline: the API, and the endpoints of those who report, where there are any. */
function addApi(
  server: FastifyInstance,
  app: App,
  handlers: ServedHandlers,
  { steps, takeUpload }: { readonly steps: PipelineOptions; readonly takeUpload: TakeUpload },
): void {
  const routes = Object.entries<Endpoint>(API).filter(
    ([, { sandboxOnly }]) => !sandboxOnly || app.config.mode === 'sandbox',
  )
  const endpoints = routes.map(([, endpoint]) => endpoint)
  allowPages(server, app.wire, endpoints)
  refuseEarly(server, endpoints)
  for (const [name, endpoint] of routes) {
    const pipeline = createPipeline(
      app,
      name,
      endpoint,
      handlers[name as EndpointName] as AnyImplementation,
      steps,
    )
    if (endpoint.upload) addUpload(server, app, endpoint, pipeline, takeUpload)
    else addEndpoint(server, app, endpoint, pipeline)
  }
  const reporters = {
    card_processor_event: app.cardProcessor,
    verification_provider_event: app.verifier,
    // Rails can be configured while the server runs.
    rail_event: app.config.mode === 'production',
  }
  for (const [name, endpoint] of Object.entries(REPORTED)) {
    const key = name as keyof typeof REPORTED
    if (!reporters[key]) continue
    addEndpoint(
      server,
      app,
      endpoint,
      createPipeline(app, name, endpoint, handlers[key] as AnyImplementation, steps),
    )
  }
}

/** Adds an endpoint whose body is a form. Only here a body of that type is accepted, and no other. */
function addUpload(
  server: FastifyInstance,
  app: App,
  endpoint: Endpoint,
  pipeline: Pipeline,
  takeUpload: TakeUpload,
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart, { throwFileSizeLimit: false })
    addEndpoint(scope, app, endpoint, pipeline, takeUpload)
  })
}

function addEndpoint(
  server: FastifyInstance,
  { wire }: App,
  endpoint: Endpoint,
  pipeline: Pipeline,
  takeUpload?: TakeUpload,
): void {
  const signatureHeader = wire.walletSignatureHeader.toLowerCase()
  server.route<{ Params: Readonly<Record<string, string>>; Body: Buffer | undefined }>({
    method: endpoint.method,
    url: urlOf(endpoint),
    bodyLimit: bodyBytesMaxOf(endpoint),
    config: { isUpload: takeUpload !== undefined },
    // Runs before the body is read, so that an unauthorized caller costs no memory and no parsing.
    onRequest: async (request, reply) => {
      const admitted = await pipeline.admit(headOf(request))
      if (isAnswer(admitted)) {
        closeUnread(request, reply)
        return sendAnswer(reply, admitted)
      }
      request.caller = request.raw.complete ? admitted : undefined
    },
    handler: async (request, reply) => {
      const call = {
        ...headOf(request),
        method: endpoint.method,
        path: pathOf(endpoint, request.params),
        query: request.query,
        body: request.body,
        headers: request.headers,
        idempotencyKey: headerText(request, 'idempotency-key'),
        signature: headerText(request, signatureHeader),
        requestId: headerText(request, 'request-id'),
        ...(takeUpload ? { readForm: takeUpload(request, endpoint) } : {}),
      }
      const answer = await pipeline.answer(call, request.caller)
      if (takeUpload) boundRest(request)
      return sendAnswer(reply, answer)
    },
  })
}

/** Closes new connections beyond a limit at once, because each costs memory before authentication. */
function limitConnections(server: FastifyInstance, { config, log }: App): void {
  const { connectionsMax } = config
  server.server.maxConnections = connectionsMax
  let saidAtMs = Number.NEGATIVE_INFINITY
  server.server.on('drop', () => {
    if (performance.now() - saidAtMs < DROP_LINE_MS) return
    saidAtMs = performance.now()
    log.warn({ connectionsMax }, 'connections refused')
  })
}

function headOf({ params, headers, ip, trace }: FastifyRequest): Head {
  return { params, authorization: headers.authorization, origin: headers.origin, address: ip, trace }
}

function sendAnswer(reply: FastifyReply, { status, headers, body, pieces }: Answer): FastifyReply {
  if (status >= 400) reply.request.trace.code = (JSON.parse(body) as { code: ErrorCode }).code
  reply.code(status).headers(headers).header('Cache-Control', 'no-store')
  if (pieces) return reply.send(Readable.from(pieces))
  if (body === '') return reply.send()
  return reply.type('application/json; charset=utf-8').send(body)
}

/** Serves the public keys of this server, for clients to pin. */
function addWellKnown(server: FastifyInstance, app: App): void {
  const { quorumPublicKey, webhookPublicKey } = app.enclave
  server.get('/.well-known/countersign.json', async (_, reply) => {
    reply.header('Access-Control-Allow-Origin', '*')
    return { enclaveQuorumPublic: quorumPublicKey, webhookPublicKey }
  })
}

function addHealth(server: FastifyInstance, app: App): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (request, reply) => {
    try {
      await ping(app.db)
      return { status: 'ready' }
    } catch (error) {
      app.log.error({ err: error, ...request.trace }, 'database not reachable')
      return sendError(reply, new ApiError('UNAVAILABLE', { message: 'The database cannot be reached.' }))
    }
  })
}

/** Converts what fastify refuses before a handler runs to our errors. */
function transportError(app: App, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const statusCode = statusOf(error)
  if (statusCode === 413) return tooLarge(request.routeOptions.bodyLimit)
  if (statusCode === 415) return unsupportedType(request.routeOptions.config.isUpload ?? false)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && error instanceof Error)
    return new ApiError('INVALID_INPUT', { message: error.message })
  app.log.error({ err: error, route: request.routeOptions.url, ...request.trace }, 'request failed')
  return new ApiError('INTERNAL_ERROR')
}

function unsupportedType(isUpload: boolean): ApiError {
  return new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    isUpload ? { message: 'The request body must be multipart/form-data.' } : {},
  )
}

function statusOf(error: unknown): number | undefined {
  const hasStatus = typeof error === 'object' && error !== null && 'statusCode' in error
  return hasStatus && typeof error.statusCode === 'number' ? error.statusCode : undefined
}

function tooLarge(bodyBytesMax: number | undefined): ApiError {
  const message = `The request body may have at most ${bodyBytesMax} bytes.`
  return new ApiError('PAYLOAD_TOO_LARGE', { message, details: { bodyBytesMax } })
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
