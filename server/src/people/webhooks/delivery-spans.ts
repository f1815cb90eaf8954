import type { Op } from '../../kernel/operation/app.ts'
import type { DetachedSpan } from '../../kernel/ports/tracing.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { PostOutcome, SeriesOutcome } from './request-series.ts'

/** The span of one delivery. It is exported only if the delivery was attempted. */
export interface DeliverySpan {
  readonly traceId: string | undefined
  /** The `traceparent` header of the delivery, if any. */
  readonly headers: Readonly<Record<string, string>>
  /** Ends the span at the time of the outcome. */
  end(outcome: SeriesOutcome): void
  /** Ends the span after an unexpected error. */
  fail(): void
}

/** Passed if tracing is disabled or the event has no trace. */
const NO_SPAN: DeliverySpan = { traceId: undefined, headers: {}, end() {}, fail() {} }

/** An event, and the trace that its deliveries continue. */
type TracedEvent = Pick<EventRow, 'id' | 'type'> & { readonly traceparent?: string | null }

/**
 * Starts the span of a delivery in the trace of its event, or else in the current trace. It starts with the
 * series, so it includes the time for which the delivery waits for earlier ones.
 */
export function startDeliverySpan({ tracing }: Pick<Op, 'tracing'>, event: TracedEvent): DeliverySpan {
  const carrier = event.traceparent ? { traceparent: event.traceparent } : tracing?.context()
  if (!tracing || !carrier) return NO_SPAN
  // The URL is omitted, because it belongs to the platform and may contain a secret.
  const span = tracing.begin(carrier, {
    name: 'POST webhook',
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'countersign.event.type': event.type,
      'countersign.event.id': event.id,
    },
  })
  const startedMs = performance.now()
  const traceparent = span.run(() => tracing.context()?.traceparent)
  return {
    traceId: span.traceId,
    headers: traceparent === undefined ? {} : { traceparent },
    end(outcome) {
      recordOutcome(span, outcome)
      span.note({ 'countersign.webhook.wait_ms': Math.round(outcome.startedAfterMs) })
      span.end(startedMs + outcome.startedAfterMs + outcome.durationMs)
    },
    fail() {
      span.markFailed('INTERNAL')
      span.end()
    },
  }
}

function recordOutcome(span: DetachedSpan, outcome: PostOutcome): void {
  if ('error' in outcome) {
    span.markFailed(outcome.error)
    return
  }
  const { status } = outcome.response
  span.note({ 'http.response.status_code': status })
  if (status >= 400) span.markFailed(String(status))
}
