/** The context of a span in W3C format, used in HTTP headers and job payloads. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/**
 * Attributes named after OpenTelemetry's conventions, or `countersign.…`. They never contain secrets, or
 * anything from a body or query.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface NewSpan {
  /** One of a limited set of names, without ids or anything from the caller. */
  readonly name: string
  readonly kind?: 'server' | 'client' | 'consumer'
  readonly attributes?: SpanAttributes
  /** Objects with a trace context: other traces to which the span belongs. */
  readonly links?: readonly object[]
}

/** A span in progress. */
export interface OpenSpan {
  readonly traceId: string | undefined
  note(attributes: SpanAttributes): void
  /** `why` is a code or the class of an error, because a message could contain request data. */
  markFailed(why: string): void
}

/** A span ended later by other code. A span that is never ended is not exported. */
export interface DetachedSpan extends OpenSpan {
  /** Runs work within the span. */
  run<T>(work: () => T): T
  /** Ends the span, now or at an earlier time by `performance.now()`. */
  end(atMs?: number): void
}

/** The traces of this process. Work for a request or job keeps its span across every `await`. */
export interface Tracing {
  /**
   * Runs work in a child span of the current one, or without a span if no span is open. If the work throws,
   * the span has failed.
   */
  runWithin<T>(span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /**
   * Runs work in a child span of the one in `traceparent` and `tracestate` of `carrier`. Starts a new trace
   * if they are missing.
   */
  runBelow<T>(carrier: object, span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** Like `runBelow`, for a span that is ended later. */
  begin(carrier: object, span: NewSpan): DetachedSpan
  /** Runs work outside of the current span, because the work also serves others. */
  apart<T>(work: () => T): T
  /** The context of the current span, to be passed on. */
  context(): TraceContext | undefined
  /** The trace id of the current span. */
  traceId(): string | undefined
  /** Adds attributes to the current span. */
  note(attributes: SpanAttributes): void
  /** Adds an event to the current span. */
  event(name: string, attributes?: SpanAttributes): void
  /** Marks the current span as failed. */
  markFailed(why: string): void
}
