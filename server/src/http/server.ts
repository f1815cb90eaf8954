import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/endpoint'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { HANDLERS } from '../handlers.ts'
import { parseJson, toJson } from '../json.ts'
import { ApiError, type Implementation } from '../operation.ts'
import { BASE_PATH } from './base-path.ts'
import { addDocs } from './docs.ts'
import { encodeError } from './errors.ts'
import { createPipeline } from './pipeline.ts'

const BODY_BYTES_MAX = 1024 * 1024
const NESTING_MAX = 64
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The HTTP server, not yet listening. `checkAnswers` holds every answer against the contract; tests set it. */
export function createServer(app: App, options: { checkAnswers?: boolean } = {}): FastifyInstance {
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (_error, _request, reply) => sendError(reply as FastifyReply, new ApiError('NOT_FOUND')),
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
    parseBody(body),
  )
  server.setErrorHandler((error, request, reply) => sendError(reply, transportError(app, error, request)))
  server.setNotFoundHandler((_request, reply) => sendError(reply, new ApiError('NOT_FOUND')))

  const byPath = new Map<string, EndpointName[]>()
  for (const [name, { path, sandboxOnly }] of Object.entries<Endpoint>(API)) {
    if (sandboxOnly && app.config.mode !== 'sandbox') continue
    byPath.set(path, [...(byPath.get(path) ?? []), name as EndpointName])
  }
  for (const [path, names] of byPath) {
    const url = BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1')
    for (const name of names) addEndpoint(server, app, name, url, options.checkAnswers ?? false)
    const taken = names.map((name) => API[name].method as string)
    addMethodNotAllowed(server, url, taken)
  }
  addHealth(server, app)
  addDocs(server, app)
  return server
}

function addEndpoint(server: FastifyInstance, app: App, name: EndpointName, url: string, checkAnswers: boolean): void {
  const endpoint: Endpoint = API[name]
  const answer = createPipeline(app, name, endpoint, HANDLERS[name] as Implementation<Endpoint>, { checkAnswers })
  server.route({
    method: endpoint.method,
    url,
    handler: async (request, reply) => {
      const { status, headers, body } = await answer({
        method: endpoint.method,
        path: pathOf(request).slice(BASE_PATH.length),
        params: request.params,
        query: request.query,
        body: request.body,
        authorization: request.headers.authorization,
        idempotencyKey: headerText(request, 'idempotency-key'),
        signature: headerText(request, 'svc-wallet-signature'),
        requestId: headerText(request, 'request-id'),
      })
      reply.code(status).headers(headers).header('Cache-Control', 'no-store')
      if (body === '') return reply.send()
      return reply.type('application/json; charset=utf-8').send(body)
    },
  })
}

function addMethodNotAllowed(server: FastifyInstance, url: string, taken: readonly string[]): void {
  const rest = METHODS.filter((method) => !taken.includes(method))
  server.route({
    method: rest,
    url,
    // Before the body is read: what is wrong is the method, whatever the body is.
    onRequest: async (_request, reply) =>
      sendError(reply, new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: taken.join(', ') } })),
    handler: async () => {},
  })
}

function addHealth(server: FastifyInstance, app: App): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    try {
      await app.db.query('SELECT 1')
      return { status: 'ready' }
    } catch (error) {
      app.log.error({ err: error }, 'database not reachable')
      return sendError(reply, new ApiError('UNAVAILABLE', { message: 'The database cannot be reached.' }))
    }
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  let value: unknown
  try {
    value = parseJson(utf8.decode(bytes))
  } catch (error) {
    throw new ApiError('INVALID_INPUT', {
      message: `The body is not valid JSON: ${(error as Error).message}`,
      details: { field: 'body' },
    })
  }
  if (nestsDeeperThan(value, NESTING_MAX))
    throw new ApiError('INVALID_INPUT', {
      message: `The body nests deeper than ${NESTING_MAX} levels.`,
      details: { field: 'body' },
    })
  return value
}

/** Walks level by level, not by recursion: the point is to be safe with any depth. */
function nestsDeeperThan(value: unknown, levels: number): boolean {
  let level: object[] = isObject(value) ? [value] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true
    level = level.flatMap((item) => Object.values(item).filter(isObject))
  }
  return false
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** What fastify refuses before a handler runs, in our words. */
function transportError(app: App, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode } = error as { statusCode?: number }
  if (statusCode === 413) return new ApiError('PAYLOAD_TOO_LARGE')
  if (statusCode === 415) return new ApiError('UNSUPPORTED_MEDIA_TYPE')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('INVALID_INPUT', { message: (error as Error).message })
  app.log.error({ err: error, url: request.routeOptions.url }, 'request failed')
  return new ApiError('INTERNAL_ERROR')
}

export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { status, headers, body } = encodeError(error)
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(toJson(body))
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

function pathOf(request: FastifyRequest): string {
  const question = request.url.indexOf('?')
  return question < 0 ? request.url : request.url.slice(0, question)
}
