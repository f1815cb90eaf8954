import { Readable } from 'node:stream'
import { API, type EndpointName } from '@countersign/contract/api'
import { API_VERSION } from '@countersign/contract/core/api-version'
import {
  BODY_BYTES_MAX_DEFAULT,
  type Endpoint,
  getBodyBytesMax,
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
import { removePrefix, toCanonicalPath, toRouterPath } from '../../kernel/operation/base-path.ts'
import { ApiError, type Caller, findImplementation } from '../../kernel/operation/operation.ts'
import { SCHEMA_NAME } from '../../storage/schema/migrate.ts'
import { allowPages } from '../http/authentication/cors.ts'
import { createRequestLogger, type Keep } from '../http/logging/log-request.ts'
import { observe, observeRequests } from '../http/logging/request-lines.ts'
import { createDeadline } from '../http/pipeline/deadline.ts'
import { createPipeline, type Pipeline, type PipelineOptions } from '../http/pipeline/pipeline.ts'
import { createEventPipeline } from '../http/pipeline/processor-calls.ts'
import { closeStalled, nameLastEventHeader, queryWithLastEvent } from '../http/pipeline/streams.ts'
import { type HttpResponse, isHttpResponse } from '../http/request/call.ts'
import { buildHead, readHeaderText } from '../http/request/head.ts'
import { type TakeUpload, uploadTaker } from '../http/request/upload.ts'
import { closeUnread, limitRest, refuseEarly, refuseNotHttp, sendError } from '../http/response/refuse.ts'
import { convertTransportError } from '../http/response/transport-errors.ts'
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
import { type RequestLimits, toRateLimitHeaders } from '../rate-limits/request-limits.ts'
import type { Shutdown } from './graceful-shutdown.ts'
import { findReader, implement, REPORTED, type ServedHandlers } from './implementations.ts'
import { computeConnectionsMax } from './open-files.ts'
import { findUnready } from './readiness.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, if the whole request had arrived when it was authenticated. */
    caller: Caller | undefined
    seen: { actor: Actor | undefined; standing?: Standing | undefined }
  }

  interface FastifyContextConfig {
    isUpload?: boolean
    /** The path parameters. Their schemas determine which values are masked in logs. */
    params?: TObject
  }
}

/** Timeouts for the headers and for the whole request, from its first byte or the start of its connection. */
const HEADERS_MS_MAX = 10_000
const REQUEST_MS_MAX = 30_000
/** The interval at which timeouts are checked. */
const TIMEOUT_CHECK_MS = 1_000
/** Refused connections are logged once per interval, because there may be very many. */
const DROP_LINE_MS = 10_000

/** Options in addition to the settings of the service, mostly set by tests. */
export interface ServerOptions {
  /** Checks every response against the contract. */
  readonly checkResponses?: boolean
  /** The timeout for responses to the card processor. */
  readonly cardResponseMsMax?: number
  /** The timeout for receiving a whole request. */
  readonly requestMsMax?: number
  /** The limit on open files and connections of the process. Undefined if unknown. */
  readonly openFilesMax?: number | undefined
  /** Called for every request after its response was sent. */
  readonly showRequest?: (line: RequestLine) => void
}

/** Options that the service sets itself. */
type ServedOptions = ServerOptions & {
  readonly logRequest: RequestLog['add']
  readonly leaving: Shutdown
  readonly limits: RequestLimits
}

/** Creates the HTTP server, which is not listening yet. */
export function createServer(app: App, handlers: ServedHandlers, options: ServedOptions): FastifyInstance {
  const requestMsMax = options.requestMsMax ?? REQUEST_MS_MAX
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX_DEFAULT,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: requestMsMax,
    // Longer than any valid path segment. The parameter's schema limits its length, so that the error names
    // it.
    routerOptions: { maxParamLength: 64 * KIB },
    rewriteUrl: ({ url = '/' }) => removePrefix(app.config, url),
    genReqId: () => newRequestId(app.clock()),
    http: {
      // The server's own hook refuses requests without Host, with a regular error body.
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
  // Ignores any expectation other than 100-continue, as the standard allows.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  readBytesOnly(server)
  server.setErrorHandler((error, request, reply) =>
    sendError(app, reply, convertTransportError(app, error, request)),
  )
  server.setNotFoundHandler((_request, reply) => sendError(app, reply, new ApiError('NOT_FOUND')))

  observeRequests(server, app, options.showRequest)
  server.decorateRequest('caller')
  server.decorateRequest('seen')
  const { logRequest } = options
  const deadline = createDeadline(app.log, options.cardResponseMsMax)
  server.addHook('onClose', deadline.waitForAll)
  const steps = { checkResponses: options.checkResponses ?? false, deadline, limits: options.limits }
  const takeUpload = uploadTaker(requestMsMax)
  addApi(server, app, handlers, { steps, takeUpload, logRequest })
  addHealth(server, app, options.leaving)
  addMetrics(server, app, async () => !(await findUnready(app)))
  addPages(server, app)
  const stepsFor = (name: string) => ({ ...steps, readBefore: findReader(handlers, name) })
  addKycPage(server, app, createKycCalls(app, handlers, stepsFor), takeUpload)
  return server
}

/** Passes bodies on as bytes, because the pipeline parses them after authentication. */
function readBytesOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => body,
  )
}

/** Adds pages and files for people and programs. */
function addPages(server: FastifyInstance, app: App): void {
  addWellKnown(server, app)
  addDocs(server, app)
  addGuides(server, app)
  addLanding(server, app)
  addConsole(server)
  addCardPage(server, app)
  addFileLinks(server, app)
}

/** Options of some endpoints: forms and the request log. */
interface RouteOptions {
  readonly takeUpload?: TakeUpload
  readonly keep?: Keep
}

interface ApiOptions {
  readonly steps: PipelineOptions
  readonly takeUpload: TakeUpload
  readonly logRequest: RequestLog['add']
}

/** Adds all routes with a pipeline: the API, and the endpoints to which external systems report. */
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
      readBefore: findReader(handlers, name),
    })
    const logCall = createRequestLogger(app, name, endpoint, logRequest)
    if (endpoint.upload) addUpload(server, app, endpoint, pipeline, { takeUpload, keep: logCall })
    else addEndpoint(server, app, endpoint, pipeline, { keep: logCall })
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
      createEventPipeline(app, name, endpoint, findImplementation(handlers, name), steps),
    )
  }
}

/** Adds an endpoint whose body is a form; it accepts no other content type. */
function addUpload(
  server: FastifyInstance,
  app: App,
  endpoint: Endpoint,
  pipeline: Pipeline,
  options: RouteOptions & { readonly takeUpload: TakeUpload },
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart, { throwFileSizeLimit: false })
    addEndpoint(scope, app, endpoint, pipeline, options)
  })
}

function addEndpoint(
  server: FastifyInstance,
  app: App,
  endpoint: Endpoint,
  pipeline: Pipeline,
  { takeUpload, keep: logCall }: RouteOptions = {},
): void {
  const signatureHeader = app.wire.walletSignatureHeader.toLowerCase()
  server.route<{ Params: Readonly<Record<string, string>>; Body: Buffer | undefined }>({
    method: endpoint.method,
    url: toRouterPath(endpoint),
    bodyLimit: getBodyBytesMax(endpoint),
    config: { isUpload: takeUpload !== undefined, ...(endpoint.params ? { params: endpoint.params } : {}) },
    // Runs before the body is read, so that an unauthorized caller costs neither memory nor parsing.
    onRequest: async (request, reply) => {
      request.seen = { actor: undefined }
      const admitted = await pipeline.admit(buildHead(app, request))
      if (request.seen.standing) reply.headers(toRateLimitHeaders(request.seen.standing))
      if (isHttpResponse(admitted)) {
        logCall?.(request, reply, admitted)
        closeUnread(request, reply)
        return sendResponse(reply, admitted)
      }
      request.caller = request.raw.complete ? admitted : undefined
    },
    handler: async (request, reply) => {
      const call = {
        ...buildHead(app, request),
        method: endpoint.method,
        path: toCanonicalPath(endpoint, request.params),
        query: isStream(endpoint) ? queryWithLastEvent(request) : request.query,
        body: request.body,
        headers: request.headers,
        idempotencyKey: readHeaderText(request, 'idempotency-key'),
        signature: readHeaderText(request, signatureHeader),
        requestId: readHeaderText(request, 'request-id'),
        ...(takeUpload ? { readForm: takeUpload(request, endpoint) } : {}),
      }
      const pipelineResponse = await pipeline.answer(call, request.caller)
      const answer = isStream(endpoint) ? nameLastEventHeader(request, pipelineResponse) : pipelineResponse
      logCall?.(request, reply, answer)
      if (takeUpload) limitRest(request)
      if (isStream(endpoint)) closeStalled(reply.raw)
      return sendResponse(reply, answer)
    },
  })
}

/**
 * Closes new connections beyond a limit immediately, because each one takes memory before it is
 * authenticated.
 */
function limitConnections(
  server: FastifyInstance,
  { config, log }: App,
  openFilesMax: number | undefined,
): void {
  const connectionsMax = computeConnectionsMax(config.connectionsMax, openFilesMax)
  if (connectionsMax < config.connectionsMax)
    log.warn(
      { openFilesMax, connectionsMax, COUNTERSIGN_CONNECTIONS_MAX: config.connectionsMax },
      'open file limit is below COUNTERSIGN_CONNECTIONS_MAX: raise it (ulimit -n, LimitNOFILE) to allow more connections',
    )
  server.server.maxConnections = connectionsMax
  let lastLoggedMs = Number.NEGATIVE_INFINITY
  server.server.on('drop', () => {
    if (performance.now() - lastLoggedMs < DROP_LINE_MS) return
    lastLoggedMs = performance.now()
    log.warn({ connectionsMax }, 'refused connections beyond the limit')
  })
}

function sendResponse(
  reply: FastifyReply,
  { status, headers, body, pieces, isLost }: HttpResponse,
): FastifyReply {
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

/** Serves the server's public keys, which clients can pin. */
function addWellKnown(server: FastifyInstance, app: App): void {
  const { quorumPublicKey, webhookPublicKey } = app.enclave
  server.get('/.well-known/countersign.json', async (_, reply) => {
    reply.header('Access-Control-Allow-Origin', '*')
    return { enclaveQuorumPublic: quorumPublicKey, webhookPublicKey }
  })
}

function addHealth(server: FastifyInstance, app: App, leaving: Shutdown): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/version', async () => ({ version: VERSION, apiVersion: API_VERSION, schema: SCHEMA_NAME }))
  server.get('/readyz', async (request, reply) => {
    if (leaving.hasStarted)
      return sendError(app, reply, new ApiError('UNAVAILABLE', { message: 'This server is shutting down.' }))
    const unready = await findUnready(app)
    if (!unready) return { status: 'ready' }
    const { message, cause } = unready
    if (cause !== undefined) app.log.error({ err: cause, ...request.trace }, 'database unreachable')
    return sendError(app, reply, new ApiError('UNAVAILABLE', { message }))
  })
}
