import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/endpoint'
import type { ErrorCode } from '@countersign/contract/errors'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { App } from '../app.ts'
import { pathOf, urlOf } from '../base-path.ts'
import { HANDLERS } from '../handlers.ts'
import { ApiError, type Implementation } from '../operation.ts'
import { addCardPage } from './card-page.ts'
import { addCardProcessor } from './card-processor.ts'
import { addDocs } from './docs.ts'
import { addMetrics } from './metrics.ts'
import { observe, observeRequests, requestIdOf } from './observe.ts'
import { createPipeline } from './pipeline.ts'
import { refuseEarly, refuseNotHttp, sendError } from './refuse.ts'
import { ping } from './store.ts'

const BODY_BYTES_MAX = 1024 * 1024

/**
 * The HTTP server, not yet listening. `checkAnswers` holds every answer against the contract, `cardAnswerMsMax` is how long
 * a card's processor waits; tests set them.
 */
export function createServer(
  app: App,
  options: { checkAnswers?: boolean; cardAnswerMsMax?: number } = {},
): FastifyInstance {
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 512 },
    genReqId: (request) => requestIdOf(app, request),
    // Without Host it is refused by us, in an answer like any other.
    http: { requireHostHeader: false },
    clientErrorHandler: (error, socket) => refuseNotHttp(app, error, socket),
    frameworkErrors: (_error, request, reply) => {
      observe(app, request as FastifyRequest, reply as FastifyReply)
      sendError(reply as FastifyReply, new ApiError('NOT_FOUND'))
    },
  })
  // An expectation that is not 100-continue; it is allowed to pass over it.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.removeAllContentTypeParsers()
  // Only taken in here: the pipeline parses it, once it knows who is calling.
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => body,
  )
  server.setErrorHandler((error, request, reply) => sendError(reply, transportError(app, error, request)))
  server.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('NOT_FOUND')))

  const routes = Object.entries<Endpoint>(API).filter(
    ([, { sandboxOnly }]) => !sandboxOnly || app.config.mode === 'sandbox',
  )
  observeRequests(server, app)
  refuseEarly(
    server,
    routes.map(([, endpoint]) => endpoint),
  )
  for (const [name] of routes) addEndpoint(server, app, name as EndpointName, options.checkAnswers ?? false)
  addHealth(server, app)
  addMetrics(server, app)
  addWellKnown(server, app)
  addDocs(server, app)
  addCardPage(server, app)
  addCardProcessor(server, app, options.cardAnswerMsMax)
  return server
}

function addEndpoint(server: FastifyInstance, app: App, name: EndpointName, checkAnswers: boolean): void {
  const endpoint: Endpoint = API[name]
  const answer = createPipeline(app, name, endpoint, HANDLERS[name] as Implementation<Endpoint>, {
    checkAnswers,
  })
  server.route({
    method: endpoint.method,
    url: urlOf(endpoint),
    handler: async (request, reply) => {
      const { status, headers, body } = await answer({
        method: endpoint.method,
        path: pathOf(endpoint, request.params as Record<string, string>),
        params: request.params,
        query: request.query,
        body: request.body as Buffer | undefined,
        authorization: request.headers.authorization,
        idempotencyKey: headerText(request, 'idempotency-key'),
        signature: headerText(request, 'svc-wallet-signature'),
        requestId: headerText(request, 'request-id'),
        address: request.ip,
        trace: request.trace,
      })
      if (status >= 400) request.trace.code = (JSON.parse(body) as { code: ErrorCode }).code
      reply.code(status).headers(headers).header('Cache-Control', 'no-store')
      if (body === '') return reply.send()
      return reply.type('application/json; charset=utf-8').send(body)
    },
  })
}

/** The public keys of this server, for clients to pin. */
function addWellKnown(server: FastifyInstance, app: App): void {
  const { quorumPublicKey, webhookPublicKey } = app.enclave
  server.get('/.well-known/countersign.json', async () => ({
    enclaveQuorumPublic: quorumPublicKey,
    webhookPublicKey,
  }))
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

/** What fastify refuses before a handler runs, in our words. */
function transportError(app: App, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode } = error as { statusCode?: number }
  if (statusCode === 413) return new ApiError('PAYLOAD_TOO_LARGE')
  if (statusCode === 415) return new ApiError('UNSUPPORTED_MEDIA_TYPE')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('INVALID_INPUT', { message: (error as Error).message })
  app.log.error({ err: error, route: request.routeOptions.url, ...request.trace }, 'request failed')
  return new ApiError('INTERNAL_ERROR')
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
