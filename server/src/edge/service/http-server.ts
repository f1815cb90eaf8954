import { Readable } from 'node:stream'
import { API, type EndpointName } from '@countersign/contract/api'
import { API_VERSION } from '@countersign/contract/core/api-version'
import {
  BODY_BYTES_MAX_DEFAULT,
  bodyBytesMaxOf,
  type Endpoint,
  isStream,
  KIB,
} from '@countersign/contract/core/endpoint'
import type { ErrorCode } from '@countersign/contract/core/errors'
import { keysOf } from '@countersign/contract/core/objects'
import multipart from '@fastify/multipart'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { TObject } from 'typebox'
import { VERSION } from '../../base/settings/version.ts'
import type { RequestLog } from '../../kernel/audit/request-log.ts'
import { type Actor, type App, newRequestId } from '../../kernel/operation/app.ts'
import { pathOf, urlOf, withoutPrefix } from '../../kernel/operation/base-path.ts'
import { ApiError, type Caller, implementationOf } from '../../kernel/operation/operation.ts'
import { SCHEMA_NAME } from '../../storage/schema/migrate.ts'
import { allowPages } from '../http/authentication/cors.ts'
import { createRequestLogger, type Keep } from '../http/logging/log-request.ts'
import { observe, observeRequests } from '../http/logging/request-lines.ts'
import { createDeadline } from '../http/pipeline/deadline.ts'
import { createPipeline, type Pipeline, type PipelineOptions } from '../http/pipeline/pipeline.ts'
import { createEventPipeline } from '../http/pipeline/processor-calls.ts'
import { behindLastEvent, endStalled, namingLastEvent } from '../http/pipeline/streams.ts'
import { type Answer, isAnswer } from '../http/request/call.ts'
import { headerText, headOf } from '../http/request/head.ts'
import { type TakeUpload, uploadTaker } from '../http/request/upload.ts'
import { closeUnread, limitRest, refuseEarly, refuseNotHttp, sendError } from '../http/response/refuse.ts'
import { addMetrics } from '../observability/metrics-endpoint.ts'
import type { RequestLine } from '../observability/request-lines.ts'
import { addCardPage } from '../pages/card-page.ts'
import { addConsole } from '../pages/console.ts'
import { addDocs } from '../pages/docs.ts'
import { addFileLinks } from '../pages/file-links.ts'
import { addGuides } from '../pages/guides.ts'
import { createKycCalls } from '../pages/kyc-calls.ts'
import { addKycPage } from '../pages/kyc-page.ts'
import { addLanding } from '../pages/landing.ts'
import type { Standing } from '../rate-limits/request-counts.ts'
import { headersOf, type RequestLimits } from '../rate-limits/request-limits.ts'
import type { Leaving } from './graceful-shutdown.ts'
import { implement, REPORTED, readerOf, type ServedHandlers } from './implementations.ts'
import { connectionsWithin } from './open-files.ts'
import { findUnready } from './readiness.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, if the whole request had arrived by the time of authentication. */
    caller: Caller | undefined
    seen: { actor: Actor | undefined; standing?: Standing | undefined }
  }

  interface FastifyContextConfig {
    isUpload?: boolean
    /** The path parameters, whose schemas decide which of them logs mask. */
    params?: TObject
  }
}

/**
 * Timeouts from the first byte of a request, or the start of its connection, to the end of its headers and
 * its body.
 */
const HEADERS_MS_MAX = 10_000
const REQUEST_MS_MAX = 30_000
/** The delay with which a timeout may be noticed. */
const TIMEOUT_CHECK_MS = 1_000
/** Refused connections are logged in one line per this interval, because there may be very many. */
const DROP_LINE_MS = 10_000

/** Options beyond the service's settings; mostly set by tests. */
export interface ServerOptions {
  /** Checks every response against the contract. */
  readonly checkAnswers?: boolean
  /** The card processor's timeout. */
  readonly cardAnswerMsMax?: number
  /** Timeout for receiving a whole request. */
  readonly requestMsMax?: number
  /** The process's limit of open files and connections; undefined if unknown. */
  readonly openFilesMax?: number | undefined
  /** Called for every request once its response is sent. */
  readonly showRequest?: (line: RequestLine) => void
}

/** Options from the service, in addition to those set by tests. */
type ServedOptions = ServerOptions & {
  readonly logRequest: RequestLog['add']
  readonly leaving: Leaving
  readonly limits: RequestLimits
}

/** The HTTP server, not yet listening. */
export function createServer(app: App, handlers: ServedHandlers, options: ServedOptions): FastifyInstance {
  const requestMsMax = options.requestMsMax ?? REQUEST_MS_MAX
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX_DEFAULT,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: requestMsMax,
    // Longer than any path segment: the schema of a parameter limits it, and the refusal names it.
    routerOptions: { maxParamLength: 64 * KIB },
    rewriteUrl: ({ url = '/' }) => withoutPrefix(app.config, url),
    genReqId: () => newRequestId(app.clock()),
    http: {
      // A request without Host is refused by our own hook, with a normal error body.
      requireHostHeader: false,
      headersTimeout: Math.min(HEADERS_MS_MAX, requestMsMax),
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestMsMax),
    },
    clientErrorHandler: (error, socket) => refuseNotHttp(app, error, socket),
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      observe(app, reply.request, reply, options.showRequest)
      sendError(app, reply, new ApiError('NOT_FOUND'))
    },
  })
  limitConnections(server, app, options.openFilesMax)
  options.leaving.watch(server)
  // Ignores an expectation other than 100-continue, as the standard allows.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  readBytesOnly(server)
  server.setErrorHandler((error, request, reply) =>
    sendError(app, reply, transportError(app, error, request)),
  )
  server.setNotFoundHandler((_request, reply) => sendError(app, reply, new ApiError('NOT_FOUND')))

  observeRequests(server, app, options.showRequest)
  server.decorateRequest('caller')
  server.decorateRequest('seen')
  const { logRequest } = options
  const deadline = createDeadline(app.log, options.cardAnswerMsMax)
  server.addHook('onClose', deadline.waitForAll)
  const steps = { checkAnswers: options.checkAnswers ?? false, deadline, limits: options.limits }
  const takeUpload = uploadTaker(requestMsMax)
  addApi(server, app, handlers, { steps, takeUpload, logRequest })
  addHealth(server, app, options.leaving)
  addMetrics(server, app, async () => !(await findUnready(app)))
  addPages(server, app)
  const stepsOf = (name: string) => ({ ...steps, readBefore: readerOf(handlers, name) })
  addKycPage(server, app, createKycCalls(app, handlers, stepsOf), takeUpload)
  return server
}

/** The pipeline parses a body, after authentication. */
function readBytesOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => body,
  )
}

/** Pages and files for people and for programs. */
function addPages(server: FastifyInstance, app: App): void {
  addWellKnown(server, app)
  addDocs(server, app)
  addGuides(server, app)
  addLanding(server, app)
  addConsole(server)
  addCardPage(server, app)
  addFileLinks(server, app)
}

/** Features that only some endpoints have: forms, the request log. */
interface RouteOptions {
  readonly takeUpload?: TakeUpload
  readonly keep?: Keep
}

interface ApiOptions {
  readonly steps: PipelineOptions
  readonly takeUpload: TakeUpload
  readonly logRequest: RequestLog['add']
}

/** Adds all routes of the pipeline: the API, and the endpoints for reports, if any. */
function addApi(
  server: FastifyInstance,
  app: App,
  handlers: ServedHandlers,
  { steps, takeUpload, logRequest }: ApiOptions,
): void {
  const routes = keysOf(API)
    .map((name): [name: EndpointName, endpoint: Endpoint] => [name, API[name]])
    .filter(([, { sandboxOnly }]) => !sandboxOnly || app.config.mode === 'sandbox')
  const endpoints = routes.map(([, endpoint]) => endpoint)
  allowPages(server, app.wire, endpoints)
  refuseEarly(server, app, endpoints)
  for (const [name, endpoint] of routes) {
    const pipeline = createPipeline(app, name, endpoint, implement(handlers, name), {
      ...steps,
      readBefore: readerOf(handlers, name),
    })
    const keep = createRequestLogger(app, name, endpoint, logRequest)
    if (endpoint.upload) addUpload(server, app, endpoint, pipeline, { takeUpload, keep })
    else addEndpoint(server, app, endpoint, pipeline, { keep })
  }
  const reporters = {
    card_processor_event: app.cardProcessor,
    verification_provider_event: app.verifier,
    // Rails can be configured while the server runs.
    rail_event: app.config.mode === 'production',
  }
  for (const name of keysOf(REPORTED)) {
    if (!reporters[name]) continue
    const endpoint = REPORTED[name]
    addEndpoint(
      server,
      app,
      endpoint,
      createEventPipeline(app, name, endpoint, implementationOf(handlers, name), steps),
    )
  }
}

/** Adds an endpoint whose body is a form, the only content type that it accepts. */
function addUpload(
  server: FastifyInstance,
  app: App,
  endpoint: Endpoint,
  pipeline: Pipeline,
  means: RouteOptions & { readonly takeUpload: TakeUpload },
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart, { throwFileSizeLimit: false })
    addEndpoint(scope, app, endpoint, pipeline, means)
  })
}

function addEndpoint(
  server: FastifyInstance,
  app: App,
  endpoint: Endpoint,
  pipeline: Pipeline,
  { takeUpload, keep }: RouteOptions = {},
): void {
  const signatureHeader = app.wire.walletSignatureHeader.toLowerCase()
  server.route<{ Params: Readonly<Record<string, string>>; Body: Buffer | undefined }>({
    method: endpoint.method,
    url: urlOf(endpoint),
    bodyLimit: bodyBytesMaxOf(endpoint),
    config: { isUpload: takeUpload !== undefined, ...(endpoint.params ? { params: endpoint.params } : {}) },
    // Runs before the body is read, so that an unauthorized caller costs no memory and no parsing.
    onRequest: async (request, reply) => {
      request.seen = { actor: undefined }
      const admitted = await pipeline.admit(headOf(app, request))
      if (request.seen.standing) reply.headers(headersOf(request.seen.standing))
      if (isAnswer(admitted)) {
        keep?.(request, reply, admitted)
        closeUnread(request, reply)
        return sendAnswer(reply, admitted)
      }
      request.caller = request.raw.complete ? admitted : undefined
    },
    handler: async (request, reply) => {
      const call = {
        ...headOf(app, request),
        method: endpoint.method,
        path: pathOf(endpoint, request.params),
        query: isStream(endpoint) ? behindLastEvent(request) : request.query,
        body: request.body,
        headers: request.headers,
        idempotencyKey: headerText(request, 'idempotency-key'),
        signature: headerText(request, signatureHeader),
        requestId: headerText(request, 'request-id'),
        ...(takeUpload ? { readForm: takeUpload(request, endpoint) } : {}),
      }
      const answered = await pipeline.answer(call, request.caller)
      const answer = isStream(endpoint) ? namingLastEvent(request, answered) : answered
      keep?.(request, reply, answer)
      if (takeUpload) limitRest(request)
      if (isStream(endpoint)) endStalled(reply.raw)
      return sendAnswer(reply, answer)
    },
  })
}

/** Closes new connections beyond a limit immediately, because each costs memory before authentication. */
function limitConnections(
  server: FastifyInstance,
  { config, log }: App,
  openFilesMax: number | undefined,
): void {
  const connectionsMax = connectionsWithin(config.connectionsMax, openFilesMax)
  if (connectionsMax < config.connectionsMax)
    log.warn(
      { openFilesMax, connectionsMax, COUNTERSIGN_CONNECTIONS_MAX: config.connectionsMax },
      'the limit of open files is below COUNTERSIGN_CONNECTIONS_MAX: raise it (ulimit -n, LimitNOFILE), or callers get fewer connections',
    )
  server.server.maxConnections = connectionsMax
  let saidAtMs = Number.NEGATIVE_INFINITY
  server.server.on('drop', () => {
    if (performance.now() - saidAtMs < DROP_LINE_MS) return
    saidAtMs = performance.now()
    log.warn({ connectionsMax }, 'connections refused')
  })
}

function sendAnswer(reply: FastifyReply, { status, headers, body, pieces, isLost }: Answer): FastifyReply {
  if (status >= 400) reply.request.trace.code = (JSON.parse(body) as { code: ErrorCode }).code
  reply.code(status).headers(headers).header('Cache-Control', 'no-store')
  if (pieces && !isLost && reply.request.method !== 'HEAD') return reply.send(Readable.from(pieces))
  void pieces?.[Symbol.asyncIterator]().return?.()
  if (isLost) {
    reply.hijack().raw.destroy()
    return reply
  }
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

function addHealth(server: FastifyInstance, app: App, leaving: Leaving): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/version', async () => ({ version: VERSION, apiVersion: API_VERSION, schema: SCHEMA_NAME }))
  server.get('/readyz', async (request, reply) => {
    if (leaving.isBegun)
      return sendError(app, reply, new ApiError('UNAVAILABLE', { message: 'This server is shutting down.' }))
    const unready = await findUnready(app)
    if (!unready) return { status: 'ready' }
    const { message, cause } = unready
    if (cause !== undefined) app.log.error({ err: cause, ...request.trace }, 'database not reachable')
    return sendError(app, reply, new ApiError('UNAVAILABLE', { message }))
  })
}

/** Converts fastify's refusals before a handler runs to our errors. */
function transportError(app: App, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const statusCode = statusOf(error)
  if (statusCode === 413) return tooLarge(request.routeOptions.bodyLimit)
  if (statusCode === 415) return mediaTypeError(request.routeOptions.config.isUpload ?? false)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && error instanceof Error)
    return new ApiError('INVALID_INPUT', { message: error.message })
  app.log.error({ err: error, route: request.routeOptions.url, ...request.trace }, 'request failed')
  return new ApiError('INTERNAL_ERROR')
}

function mediaTypeError(isUpload: boolean): ApiError {
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
