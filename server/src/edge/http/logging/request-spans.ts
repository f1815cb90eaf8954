import type { ErrorCode } from '@countersign/contract/core/errors'
import type { FastifyRequest } from 'fastify'
import type { BegunSpan, Tracing } from '../../../kernel/ports/tracing.ts'
import { METHODS, toDocumentedPath } from '../../observability/route-timings.ts'
import type { Trace } from '../request/trace.ts'

/** The span of each request in progress, by its log fields, which the whole pipeline has. */
const SPANS = new WeakMap<Trace, BegunSpan>()

/**
 * Begins the span of a request, in the trace of its `traceparent`. It has the route's pattern, and nothing
 * else from the URL, the headers or the body.
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

/** Ends the span. Without a status the client disconnected before the response. */
export function endSpan(trace: Trace, status: number | undefined): void {
  const span = SPANS.get(trace)
  if (!span) return
  const { platformId, code } = trace
  span.note({
    'http.response.status_code': status,
    'countersign.platform.id': platformId,
    'countersign.error.code': code,
  })
  const error = errorType(status, code)
  if (error !== undefined) span.markFailed(error)
  span.end()
}

/** A refusal is the caller's error, not ours. */
function errorType(status: number | undefined, code: ErrorCode | undefined): string | undefined {
  if (status === undefined) return 'aborted'
  return status >= 500 ? (code ?? String(status)) : undefined
}

/** Runs work in the span of its request, if it has one. */
export function inSpan<T>(trace: Trace, work: () => T): T {
  const span = SPANS.get(trace)
  return span ? span.run(work) : work()
}
