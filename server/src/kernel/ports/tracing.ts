/** A span's context in W3C form: HTTP headers, and properties of job payloads. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/**
 * Attributes under the names of OpenTelemetry's conventions or `countersign.…`. Never secrets, nor anything
 * from a body or a query.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface NewSpan {
  /** From a bounded set: no ids, nothing from a caller. */
  readonly name: string
  readonly kind?: 'server' | 'client' | 'consumer'
  readonly attributes?: SpanAttributes
  /** Objects with trace context properties: other traces that the span belongs to. */
  readonly links?: readonly object[]
}

/** A span in progress. */
export interface OpenSpan {
  readonly traceId: string | undefined
  note(attributes: SpanAttributes): void
  /** `why` is a code, or the class of an error: a message may contain request data. */
  markFailed(why: string): void
}

/** A span that ends later, elsewhere. */
export interface BegunSpan extends OpenSpan {
  /** Runs work as part of the span. */
  run<T>(work: () => T): T
  end(): void
}

/** The traces of this process. Work for a request or a job knows its span, across every `await`. */
export interface Tracing {
  /**
   * Runs work in a child span of the current one; without a current span just runs it. A span whose work
   * throws has failed.
   */
  runWithin<T>(span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /**
   * Runs work in a child span of the one in `traceparent` and `tracestate` of `carrier`; starts a new trace
   * if they are missing.
   */
  runBelow<T>(carrier: object, span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** Like `runBelow`, for a span that ends later. */
  begin(carrier: object, span: NewSpan): BegunSpan
  /** Runs work outside of the current span, because it also serves others. */
  apart<T>(work: () => T): T
  /** The context of the current span, to pass on. */
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
