import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { listen, stopListening } from '../../../../test/ports.testing.ts'

/** A span as received by a collector, with ids in hex. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 2 server, 3 client, 5 consumer. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly {
    readonly name: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** 2 if the span failed. */
  readonly status: number
}

/** A collector that accepts OTLP over HTTP as JSON, and stores everything that it receives. */
export interface Collector {
  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  readonly spans: readonly Span[]
  readonly resources: readonly Readonly<Record<string, unknown>>[]
  readonly posts: readonly {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: Buffer
  }[]
  /** Returns the status of its responses. */
  answer: () => number | Promise<number>
  /** Waits until the spans of a trace satisfy the condition, and returns them. */
  trace(traceId: string, isComplete: (spans: readonly Span[]) => boolean): Promise<readonly Span[]>
  close(): Promise<void>
}

export async function openCollector(): Promise<Collector> {
  const spans: Span[] = []
  const resources: Record<string, unknown>[] = []
  const posts: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    posts.push({ path: request.url ?? '', headers: request.headers, body })
    const status = await self.answer()
    if (status === 200 && request.headers['content-type'] === 'application/json') {
      const { resourceSpans } = JSON.parse(body.toString()) as ReceivedTraces
      for (const { resource, scopeSpans } of resourceSpans) {
        resources.push(toValues(resource.attributes))
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map(toSpan))
      }
    }
    response.writeHead(status, { 'Content-Type': request.headers['content-type'] ?? '' }).end()
  })
  const port = await listen(server)
  const self: Collector = {
    url: `http://127.0.0.1:${port}`,
    ...{ spans, resources, posts },
    answer: () => 200,
    async trace(traceId, isComplete) {
      const listSpans = () => spans.filter((span) => span.traceId === traceId)
      await expect.poll(() => isComplete(listSpans())).toBe(true)
      return listSpans()
    },
    close: () => stopListening(server),
  }
  return self
}

/** Returns the settings that send traces to a collector. */
export function buildTraceSettings(url: string): Readonly<Record<string, string>> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  }
}

/** Creates the trace of a caller: its header, its id, and the id of the caller's span. */
export function newTraceparent(): {
  readonly traceId: string
  readonly spanId: string
  readonly header: string
} {
  const [traceId, spanId] = [randomHex(16), randomHex(8)]
  return { traceId, spanId, header: `00-${traceId}-${spanId}-01` }
}

interface ReceivedAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface ReceivedTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly ReceivedAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[]
  }[]
}

type ReceivedSpan = Omit<Span, 'attributes' | 'events' | 'status'> & {
  readonly attributes: readonly ReceivedAttribute[]
  readonly events: readonly { readonly name: string; readonly attributes: readonly ReceivedAttribute[] }[]
  readonly status: { readonly code: number }
}

function toSpan({ attributes, events, status, ...span }: ReceivedSpan): Span {
  return {
    ...span,
    attributes: toValues(attributes),
    events: events.map((event) => ({ name: event.name, attributes: toValues(event.attributes) })),
    status: status.code,
  }
}

function toValues(attributes: readonly ReceivedAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
}
