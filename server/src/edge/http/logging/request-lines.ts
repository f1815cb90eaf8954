import type { IncomingMessage } from 'node:http'
import { isObject } from '@countersign/contract/core/decode'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maskPath } from '../../../kernel/audit/masking/mask.ts'
import type { App } from '../../../kernel/operation/app.ts'
import { BASE_PATH } from '../../../kernel/operation/base-path.ts'
import type { RequestLine } from '../../observability/request-lines.ts'
import { toDocumentedPath } from '../../observability/route-timings.ts'
import type { Trace } from '../request/trace.ts'
import { buildSafetyHeaders } from '../response/security-headers.ts'
import { beginSpan, endSpan } from './request-spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace
    /** The arrival time of the request according to `performance.now()`. */
    startedMs: number
  }
}

/** A string that is safe in log lines and headers. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/
/**
 * Paths polled every few seconds. They are logged at debug level, so that they do not hide other
 * lines.
 */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * The caller's own `X-Request-Id`, if it is safe. It is logged next to the server's id, but is not an id,
 * because callers may repeat it.
 */
export function readCallerRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const requestId = headers['x-request-id']
  return typeof requestId === 'string' && SAFE_ID.test(requestId) ? requestId : undefined
}

/**
 * Adds the request id to every response, counts the response, and logs a line at `info` with method, route,
 * status, duration, platform and error code. The line contains no address, headers or body. Must be called
 * before any other hook is added.
 */
export function observeRequests(server: FastifyInstance, app: App, show?: ShowRequest): void {
  server.decorateRequest('trace')
  server.decorateRequest('startedMs', 0)
  server.addHook('onRequest', (request, reply, done) => {
    observe(app, request, reply, show)
    done()
  })
}

type ShowRequest = (line: RequestLine) => void

/** The path below the base URL, as sent. */
export function getPathBelowBase({ url }: FastifyRequest): string {
  return stripBasePath(url.split('?', 1)[0] ?? url)
}

function stripBasePath(path: string): string {
  return path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path
}

export function readTextParams({ params }: FastifyRequest): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(params) ? params : {})
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

/** The path below the base URL, or its pattern if a part of it is secret or personal. */
function getShownPath(request: FastifyRequest): string {
  const path = getPathBelowBase(request)
  const { url, config } = request.routeOptions
  if (url === undefined) return path
  return maskPath(config.params, {
    path,
    pattern: stripBasePath(toDocumentedPath(url)),
    params: readTextParams(request),
  })
}

/**
 * Observes a single request. Also called directly, because hooks do not run if the router cannot parse the
 * URL.
 */
export function observe(app: App, request: FastifyRequest, reply: FastifyReply, show?: ShowRequest): void {
  request.startedMs = performance.now()
  const callerRequestId = readCallerRequestId(request)
  request.trace = {
    httpRequestId: request.id,
    ...(callerRequestId === undefined ? {} : { callerRequestId }),
    platformId: undefined,
    code: undefined,
  }
  if (app.tracing && !isProbe(request)) beginSpan(app.tracing, request)
  reply.headers({ 'X-Request-Id': request.id, ...buildSafetyHeaders(app) })
  // fastify's onResponse does not report clients that disconnect before the response.
  reply.raw.on('close', () => finish(app, request, reply, measureDurationMs(request), show))
}

/** The time since the request arrived. */
export function measureDurationMs({ startedMs }: Pick<FastifyRequest, 'startedMs'>): number {
  return performance.now() - startedMs
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
  app.metrics.recordResponse(url, method, status, trace.code, durationMs / 1000)
  if (app.tracing) endSpan(trace, status)
  const isPolled = isProbe(request)
  if (show && !isPolled)
    show({
      method,
      path: getShownPath(request),
      status,
      code: trace.code,
      durationMs,
      httpRequestId: trace.httpRequestId,
    })
  const level = isPolled ? 'debug' : 'info'
  if (!app.log.isLevelEnabled(level)) return
  const route = url === undefined ? 'unknown' : toDocumentedPath(url)
  const outcome = status === undefined ? { aborted: true } : { status }
  const line = { method, route, ...outcome, durationMs: Math.round(durationMs * 1000) / 1000, ...trace }
  app.log[level](line, 'request')
}
