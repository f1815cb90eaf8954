/** A span's place in its trace, as W3C writes it: headers of HTTP, and members of a payload of due work. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/**
 * What a span says of itself, under the names of OpenTelemetry's conventions or `countersign.…`. Never a secret, nor anything out
 * of a body or a query.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface NewSpan {
  /** One of a bounded set: no ids, nothing of a caller. */
  readonly name: string
  readonly kind?: 'server' | 'client' | 'consumer'
  readonly attributes?: SpanAttributes
  /** Objects with the members of a trace context: other traces that the span is of. */
  readonly links?: readonly object[]
}

/** A span under way. */
export interface OpenSpan {
  readonly traceId: string | undefined
  note(attributes: SpanAttributes): void
  /** `why` is a code, or the class of an error: a message may quote what was sent. */
  failed(why: string): void
}

/** A span that ends later, elsewhere. */
export interface BegunSpan extends OpenSpan {
  /** Does work as part of the span. */
  run<T>(work: () => T): T
  end(): void
}

/** The traces of this process. What is done for a request or a job knows its span, across every `await`. */
export interface Tracing {
  /** Does work as a span below the one under way; the work alone where none is. A span whose work throws has failed. */
  within<T>(span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /**
   * Does work as a span below the one that `carrier` names in its members `traceparent` and `tracestate`; at the beginning of
   * a trace where it names none.
   */
  below<T>(carrier: object, span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** The same for a span that ends later. */
  begin(carrier: object, span: NewSpan): BegunSpan
  /** Does work that is of no span, although one is under way: it serves others too. */
  apart<T>(work: () => T): T
  /** The span under way, for what it causes. */
  context(): TraceContext | undefined
  /** The trace of the span under way. */
  traceId(): string | undefined
  /** Says something of the span under way. */
  note(attributes: SpanAttributes): void
  /** Notes that something happened in the span under way. */
  event(name: string, attributes?: SpanAttributes): void
  /** The span under way has failed. */
  failed(why: string): void
}
