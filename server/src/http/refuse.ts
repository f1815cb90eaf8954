import type { Socket } from 'node:net'
import type { Endpoint } from '@countersign/contract/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type App, newRequestId } from '../app.ts'
import { urlOf } from '../base-path.ts'
import { toJson } from '../json.ts'
import { ApiError } from '../operation.ts'
import { encodeError } from './errors.ts'

export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { status, headers, body } = encodeError(error)
  reply.request.trace.code = error.code
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(toJson(body))
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** What is wrong with a request whatever its body is, said before the body is read: address, method, encoding. */
export function refuseEarly(server: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const methodsByUrl = new Map<string, string[]>()
  for (const endpoint of endpoints) {
    const taken = methodsByUrl.get(urlOf(endpoint)) ?? []
    methodsByUrl.set(urlOf(endpoint), taken)
    taken.push(...(endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method]))
  }
  const notAllowed = (taken: readonly string[]) =>
    new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: taken.join(', ') } })
  for (const [url, taken] of methodsByUrl) {
    const method = METHODS.filter((one) => !taken.includes(one))
    const onRequest = async (_: unknown, reply: FastifyReply) => sendError(reply, notAllowed(taken))
    server.route({ method, url, onRequest, handler: async () => {} })
  }
  // The router knows some methods only. An address without a parameter goes before one that it would fit.
  const patterns = [...methodsByUrl]
    .sort(([one], [other]) => one.split(':').length - other.split(':').length)
    .map(([url, taken]) => [new RegExp(`^${url.replaceAll(/:\w+/g, '[^/?]+')}(?:\\?|$)`), taken] as const)
  const refusal = (request: FastifyRequest): ApiError | undefined => {
    const { headers, params, raw } = request
    if (headers.host === undefined && raw.httpVersion === '1.1')
      return new ApiError('INVALID_INPUT', { message: 'The request has no Host header.' })
    if (request.is404 || hasEmptyValue(params)) {
      const taken = patterns.find(([pattern]) => pattern.test(request.url))?.[1]
      return taken ? notAllowed(taken) : new ApiError('NOT_FOUND')
    }
    const encoding = headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined
    const message = 'The request body must not have a Content-Encoding.'
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', { message })
  }
  server.addHook('onRequest', (request, reply, done) => {
    const error = refusal(request)
    if (error) sendError(reply, error)
    else done()
  })
}

function hasEmptyValue(params: unknown): boolean {
  for (const name in params as object) if ((params as Record<string, string>)[name] === '') return true
  return false
}

const NOT_HTTP: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The address and the headers of the request are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** Answers what reaches the socket and is not an HTTP request, too large in its headers or too slow. */
export function refuseNotHttp(app: App, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = NOT_HTTP[error.code ?? ''] ?? 'This is not an HTTP request.'
  const { status, body } = encodeError(new ApiError('INVALID_INPUT', { message }))
  const text = toJson(body)
  const type = 'Content-Type: application/json; charset=utf-8'
  const length = `Content-Length: ${Buffer.byteLength(text)}`
  const requestId = newRequestId(app.clock())
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    type,
    length,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  app.metrics.answered(undefined, '', status, 'INVALID_INPUT', 0)
  app.log.info({ requestId, status, code: 'INVALID_INPUT', reason: error.code }, 'not an HTTP request')
}
