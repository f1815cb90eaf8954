import type { ErrorCode } from '@countersign/contract/core/errors'
import type { FastifyRequest } from 'fastify'
import type { DetachedSpan, Tracing } from '../../../kernel/ports/tracing.ts'
import { METHODS, toDocumentedPath } from '../../observability/route-timings.ts'
import type { Trace } from '../request/trace.ts'

/**
 * The span of each request in progress, keyed by the request's log fields, which the whole pipeline can
 * access.
 */
const SPANS = new WeakMap<Trace, DetachedSpan>()

/**
 * Starts the span of a request, in the trace of its `traceparent`. It contains the route pattern, but nothing
 * else from the URL, headers or body.
 */
export function beginSpan(
  tracing: Tracing,
  { method, routeOptions: { url }, headers, trace }: FastifyRequest,
) {
  const spanMethod = METHODS.has(method) ? method : '_OTHER'
  const route = url === undefined ? undefined : toDocumentedPath(url)
  const span = tracing.begin(headers, {
    name: route === undefined ? spanMethod : `${spanMethod} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': spanMethod,
      'http.route': route,
      'countersign.request.id': trace.httpRequestId,
    },
  })
  trace.traceId = span.traceId
  SPANS.set(trace, span)
}

/** Ends the span. Without a status, the client disconnected before the response. */
export function endSpan(trace: Trace, status: number | undefined): void {
  const span = SPANS.get(trace)
  if (!span) return
  const { platformId, code } = trace
  span.note({
    'http.response.status_code': status,
    'countersign.platform.id': platformId,
    'countersign.error.code': code,
  })
  const error = getErrorType(status, code)
  if (error !== undefined) span.markFailed(error)
  span.end()
}

/** The error type for the span. Undefined for refusals, because these are the caller's errors. */
function getErrorType(status: number | undefined, code: ErrorCode | undefined): string | undefined {
  if (status === undefined) return 'aborted'
  return status >= 500 ? (code ?? String(status)) : undefined
}

/** Runs work within the span of its request, if there is one. */
export function inSpan<T>(trace: Trace, work: () => T): T {
  const span = SPANS.get(trace)
  return span ? span.run(work) : work()
}
