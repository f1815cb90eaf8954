import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'

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
  /** 2: it failed. */
  readonly status: number
}

/** A collector that accepts OTLP over HTTP as JSON. It stores everything that it receives. */
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
  /** The spans of a trace, once they satisfy the condition. */
  trace(traceId: string, isWhole: (spans: readonly Span[]) => boolean): Promise<readonly Span[]>
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
      const { resourceSpans } = JSON.parse(body.toString()) as Sent
      for (const { resource, scopeSpans } of resourceSpans) {
        resources.push(valuesOf(resource.attributes))
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map(spanOf))
      }
    }
    response.writeHead(status, { 'Content-Type': request.headers['content-type'] ?? '' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const self: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, resources, posts },
    answer: () => 200,
    async trace(traceId, isWhole) {
      const found = () => spans.filter((span) => span.traceId === traceId)
      await expect.poll(() => isWhole(found())).toBe(true)
      return found()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return self
}

/** The settings for sending traces to a collector. */
export function tracedTo(url: string): Readonly<Record<string, string>> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  }
}

/** A trace started by a caller: its header, its id, and the id of the caller's span. */
export function newTraceparent(): {
  readonly traceId: string
  readonly spanId: string
  readonly header: string
} {
  const [traceId, spanId] = [hex(16), hex(8)]
  return { traceId, spanId, header: `00-${traceId}-${spanId}-01` }
}

interface SentAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly SentAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

type SentSpan = Omit<Span, 'attributes' | 'events' | 'status'> & {
  readonly attributes: readonly SentAttribute[]
  readonly events: readonly { readonly name: string; readonly attributes: readonly SentAttribute[] }[]
  readonly status: { readonly code: number }
}

function spanOf({ attributes, events, status, ...span }: SentSpan): Span {
  return {
    ...span,
    attributes: valuesOf(attributes),
    events: events.map((event) => ({ name: event.name, attributes: valuesOf(event.attributes) })),
    status: status.code,
  }
}

function valuesOf(attributes: readonly SentAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

function hex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
}
