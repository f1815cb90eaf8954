import type { Socket } from 'node:net'
import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toJson } from '../../../base/json/json.ts'
import type { Config } from '../../../base/settings/config.ts'
import { type App, newRequestId } from '../../../kernel/operation/app.ts'
import { BASE_PATH, getPublicBasePath, toRouterPath } from '../../../kernel/operation/base-path.ts'
import { ApiError, createFieldError } from '../../../kernel/operation/operation.ts'
import { isUploading } from '../request/upload-pace.ts'
import { encodeError } from './errors.ts'
import { buildSafetyHeaders } from './security-headers.ts'

type Served = Pick<App, 'origin'>

export function sendError(app: Served, reply: FastifyReply, error: ApiError): FastifyReply {
  const { status, headers, body } = encodeError(error, app.origin())
  reply.request.trace.code = error.code
  closeUnread(reply.request, reply)
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(toJson(body))
}

/**
 * Unneeded bodies up to this size are drained, so that the sender keeps the connection and reads the
 * response.
 */
const DRAINED_BYTES_MAX = 64 * 1024

/** Closes the connection after the response if the unread body is long or of unknown length. */
export function closeUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
  if (encoding !== undefined || Number(length ?? 0) > DRAINED_BYTES_MAX) reply.header('Connection', 'close')
}

/** The maximum time to drain an upload after the response, so that the sender reads the response. */
const DRAIN_MS_MAX = 5_000

/** Limits how long an unread body is drained after the response. */
export function limitRest({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => raw.destroy(), DRAIN_MS_MAX).unref()
  raw.once('end', () => clearTimeout(timer))
  raw.once('close', () => clearTimeout(timer))
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Refuses a request because of its URL, method or encoding, before its body is read. */
export function refuseEarly(
  server: FastifyInstance,
  app: Pick<App, 'config' | 'origin'>,
  endpoints: readonly Endpoint[],
): void {
  const methodsByUrl = new Map<string, string[]>()
  for (const endpoint of endpoints) {
    const methods = methodsByUrl.get(toRouterPath(endpoint)) ?? []
    methodsByUrl.set(toRouterPath(endpoint), methods)
    methods.push(...(endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method]))
  }
  const createNotAllowedError = (methods: readonly string[]) =>
    new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
  // Paths without parameters take precedence over patterns.
  const patterns = [...methodsByUrl]
    .sort(([candidate], [other]) => candidate.split(':').length - other.split(':').length)
    .map(
      ([url, methods]) =>
        [new RegExp(`^${url.replaceAll(/:\w+/g, '[^/?]+')}(?:\\?|$)`), methods, url] as const,
    )
  // A method without a route is refused below. Two cases need separate routes: CORS preflight requests, and
  // paths that a more general route would match, such as PUT /cards/limits as PUT /cards/:id.
  for (const [, methods, url] of patterns) {
    const isCovered = patterns.some(([pattern, , other]) => other !== url && pattern.test(url))
    const method = isCovered ? METHODS.filter((candidate) => !methods.includes(candidate)) : ['OPTIONS']
    const onRequest = async (_: unknown, reply: FastifyReply) =>
      sendError(app, reply, createNotAllowedError(methods))
    server.route({ method, url, onRequest, handler: async () => {} })
  }
  const refusal = (request: FastifyRequest): ApiError | undefined => {
    const { headers, params, raw } = request
    if (headers.host === undefined && raw.httpVersion === '1.1')
      return new ApiError('INVALID_INPUT', { message: 'The Host header is required.' })
    if (request.is404 || hasEmptyValue(params)) {
      const methods = patterns.find(([pattern]) => pattern.test(request.url))?.[1]
      return methods ? createNotAllowedError(methods) : createNotFoundError(app.config, request.url, patterns)
    }
    if (!isPercentEncoded(request.url))
      return createFieldError('INVALID_INPUT', 'query', 'The query must be percent-encoded UTF-8.')
    if (!isUtf8Type(headers['content-type']))
      return new ApiError('UNSUPPORTED_MEDIA_TYPE', {
        message: 'The charset of the request body must be utf-8.',
      })
    const encoding = headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined
    const message = 'The request body must not have a Content-Encoding.'
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', { message })
  }
  server.addHook('onRequest', (request, reply, done) => {
    const error = refusal(request)
    if (error) sendError(app, reply, error)
    else done()
  })
}

function isPercentEncoded(url: string): boolean {
  const query = url.split('?').slice(1).join('?')
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i
/** US-ASCII is a subset of UTF-8. */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

function isUtf8Type(contentType: string | undefined): boolean {
  const charset = CHARSET.exec(contentType ?? '')?.[1]
  return charset === undefined || CHARSETS.has(charset.toLowerCase())
}

type Pattern = readonly [pattern: RegExp, methods: readonly string[], url: string]

/** Suggests the right path if the version is missing or wrong. */
function createNotFoundError(config: Config, path: string, patterns: readonly Pattern[]): ApiError {
  const { pathPrefix } = config
  const pathWithoutPrefix = path.startsWith(`${pathPrefix}/`) ? path.slice(pathPrefix.length) : path
  const below = BASE_PATH + pathWithoutPrefix.replace(/^\/(?:v\d+|\d{4}-\d\d-\d\d)(?=\/)/, '')
  const url = patterns.find(([pattern]) => pattern.test(below))?.[2]
  if (!url) return new ApiError('NOT_FOUND')
  const knownPath = pathPrefix + url.replaceAll(/:(\w+)/g, '{$1}')
  const message = `No endpoint matches this path. Paths of this API begin with ${getPublicBasePath(config)}. Call ${knownPath}.`
  return new ApiError('NOT_FOUND', { message, details: { path: knownPath } })
}

function hasEmptyValue(params: unknown): boolean {
  return isObject(params) && Object.values(params).includes('')
}

/** The maximum time that a refused connection may linger. */
const LINGER_MS = 1_000
const PHRASES: Readonly<Record<number, string>> = { 400: 'Bad Request', 408: 'Request Timeout' }
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT'
const TOO_LARGE = 'HPE_HEADER_OVERFLOW'

function createNotHttpError(code: string | undefined): ApiError {
  if (code === TOO_SLOW) return new ApiError('REQUEST_TIMEOUT')
  const message =
    code === TOO_LARGE ? "The request's URL and headers are too large." : 'This is not an HTTP request.'
  return new ApiError('INVALID_INPUT', { message })
}

/** Refuses input that is not HTTP, is too slow, or has headers that are too large. */
export function refuseNotHttp(app: App, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // The timeout of an upload depends on its pace (`upload-pace.ts`).
  if (error.code === TOO_SLOW && isUploading(socket)) return
  const refusal = createNotHttpError(error.code)
  const { status, body } = encodeError(refusal, app.origin())
  const text = toJson(body)
  const httpRequestId = newRequestId(app.clock())
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': httpRequestId,
    ...buildSafetyHeaders(app),
    Connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${PHRASES[status]}\r\n${head.join('')}\r\n${text}`)
  // Gives the client time to read the response before the connection is destroyed.
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
  app.metrics.recordResponse(undefined, '', status, refusal.code, 0)
  app.log.info(
    { httpRequestId, status, code: refusal.code, reason: error.code },
    'refused input that is not an HTTP request',
  )
}
