import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '@countersign/contract/core/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLine } from '../observability/request-lines.ts'
import { shownPath } from '../observability/route-timings.ts'
import { type App, newRequestId } from '../op/app.ts'
import { BASE_PATH } from '../op/base-path.ts'
import { safetyHeaders } from './safety-headers.ts'
import { beginSpan, endSpan } from './traced.ts'

/** The members of every log line of a request. They are filled in as the request is processed. */
export interface Trace {
  readonly requestId: string
  platformId: string | undefined
  code: ErrorCode | undefined
  /** Where traces are made. */
  traceId?: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace
  }
}

/** Text that is safe in a log line and a header. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/
/** Parameters of paths that are secrets: a device code, the token of a link to a file. */
const SECRET_PARAMETERS = /\/:(?:code|token)\b/
/** Paths that machines poll every few seconds; their log lines would hide the others. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** The caller's own `X-Request-Id` where it is safe, else a new one. */
export function requestIdOf(app: App, { headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && SAFE_ID.test(given) ? given : newRequestId(app.clock())
}

/**
 * Adds the request id to every answer, counts it, and logs a line at `info`: method, route, status, duration, platform, and
 * the code of an error. The line has no address, headers or body. Must be called before any other hook is added.
 */
export function observeRequests(server: FastifyInstance, app: App, show?: ShowRequest): void {
  server.decorateRequest('trace')
  server.addHook('onRequest', (request, reply, done) => {
    observe(app, request, reply, show)
    done()
  })
}

type ShowRequest = (line: RequestLine) => void

/** The path below the base address, as sent; its pattern where a part of it is secret. */
export function pathShown({ url, routeOptions }: FastifyRequest): string {
  const pattern = routeOptions.url
  const path = pattern && SECRET_PARAMETERS.test(pattern) ? shownPath(pattern) : url.split('?', 1)[0]!
  return path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path
}

/** The same for one request, because hooks do not see requests whose address the router cannot parse. */
export function observe(app: App, request: FastifyRequest, reply: FastifyReply, show?: ShowRequest): void {
  const startedMs = performance.now()
  request.trace = { requestId: request.id, platformId: undefined, code: undefined }
  if (app.tracing && !isProbe(request)) beginSpan(app.tracing, request)
  reply.headers({ 'X-Request-Id': request.id, ...safetyHeaders(app) })
  // fastify's onResponse does not report a client that disconnects before the answer.
  reply.raw.on('close', () => finish(app, request, reply, performance.now() - startedMs, show))
}

function isProbe({ routeOptions: { url } }: FastifyRequest): boolean {
  return url !== undefined && PROBES.has(url)
}

function finish(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  durationMs: number,
  show?: ShowRequest,
): void {
  const { method, trace } = request
  const { url } = request.routeOptions
  const status = reply.raw.writableFinished ? reply.raw.statusCode : undefined
  app.metrics.answered(url, method, status, trace.code, durationMs / 1000)
  if (app.tracing) endSpan(trace, status)
  const isOfMachines = isProbe(request)
  if (show && !isOfMachines)
    show({
      method,
      path: pathShown(request),
      status,
      code: trace.code,
      durationMs,
      requestId: trace.requestId,
    })
  const level = isOfMachines ? 'debug' : 'info'
  if (!app.log.isLevelEnabled(level)) return
  const route = url === undefined ? 'unknown' : shownPath(url)
  const outcome = status === undefined ? { aborted: true } : { status }
  const line = { method, route, ...outcome, durationMs: Math.round(durationMs * 1000) / 1000, ...trace }
  app.log[level](line, 'request')
}
