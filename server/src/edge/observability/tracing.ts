import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { getErrorKind } from '../../base/formats/thrown-errors.ts'
import type { TracingConfig } from '../../base/settings/tracing.ts'
import { VERSION } from '../../base/settings/version.ts'
import { withTimeout } from '../../kernel/operation/timeout.ts'
import type { NewSpan, OpenSpan, TraceContext, Tracing } from '../../kernel/ports/tracing.ts'
import { createSpanQueue, type SpanWatch } from './span-queue.ts'

export interface OpenedTracing extends Tracing {
  /** Sends waiting spans for at most `msMax` milliseconds, then drops the remaining ones. */
  close(msMax: number): Promise<void>
}

const SAMPLERS: Readonly<Record<TracingConfig['sampler'], (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const

/** Passed to work that is outside of any span. */
const NO_SPAN: OpenSpan = { traceId: undefined, note() {}, markFailed() {} }

const propagator = new W3CTraceContextPropagator()

/**
 * Sends OpenTelemetry traces to a collector. Nothing is registered globally in the library, because a process
 * may have several services with separate traces. `instance` distinguishes servers with the same name.
 */
export function openTracing(config: TracingConfig, instance: string, watch: SpanWatch): OpenedTracing {
  const queue = createSpanQueue(config, watch)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName,
      'service.version': VERSION,
      'service.instance.id': instance,
    }),
    sampler: SAMPLERS[config.sampler](config.ratio),
    spanProcessors: [queue],
  })
  const active = new AsyncLocalStorage<Context | undefined>()
  const tracer = provider.getTracer('countersign', VERSION)
  const getActiveSpan = () => {
    const context = active.getStore()
    return context && trace.getSpan(context)
  }
  const runInSpan = <T>(parent: Context, span: NewSpan, work: (span: OpenSpan) => Promise<T>) =>
    doAsSpan(active, tracer, { parent, span, work })
  return {
    runWithin(span, work) {
      const parent = active.getStore()
      return parent ? runInSpan(parent, span, work) : work(NO_SPAN)
    },
    runBelow: (carrier, span, work) => runInSpan(readContext(carrier), span, work),
    begin(carrier, span) {
      const newSpan = startSpan(tracer, readContext(carrier), span)
      const context = trace.setSpan(ROOT_CONTEXT, newSpan)
      return {
        ...openSpan(newSpan),
        run: (work) => active.run(context, work),
        end: (atMs) => newSpan.end(atMs),
      }
    },
    apart: (work) => active.run(undefined, work),
    context() {
      const context = active.getStore()
      return context && writeCarrier(context)
    },
    traceId: () => getActiveSpan()?.spanContext().traceId,
    note: (attributes) => getActiveSpan()?.setAttributes(attributes),
    event: (name, attributes) => getActiveSpan()?.addEvent(name, attributes),
    markFailed(reason) {
      const span = getActiveSpan()
      if (span) recordFailure(span, reason)
    },
    async close(msMax) {
      queue.endTries()
      await withTimeout(
        msMax,
        provider.shutdown().catch(() => {}),
      )
      queue.dropRest()
    },
  }
}

interface SpanWork<T> {
  readonly parent: Context
  readonly span: NewSpan
  readonly work: (span: OpenSpan) => Promise<T>
}

async function doAsSpan<T>(
  active: AsyncLocalStorage<Context | undefined>,
  tracer: Tracer,
  { parent, span, work }: SpanWork<T>,
): Promise<T> {
  const newSpan = startSpan(tracer, parent, span)
  try {
    return await active.run(trace.setSpan(parent, newSpan), work, openSpan(newSpan))
  } catch (error) {
    recordFailure(newSpan, getErrorKind(error))
    throw error
  } finally {
    newSpan.end()
  }
}

function startSpan(tracer: Tracer, parent: Context, { name, kind, attributes, links }: NewSpan): Span {
  const linked = links?.flatMap((carrier) => {
    const context = trace.getSpanContext(readContext(carrier))
    return context ? [{ context }] : []
  })
  return tracer.startSpan(
    name,
    {
      kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
      ...(attributes ? { attributes } : {}),
      ...(linked ? { links: linked } : {}),
    },
    parent,
  )
}

function openSpan(span: Span): OpenSpan {
  return {
    traceId: span.spanContext().traceId,
    note: (attributes) => span.setAttributes(attributes),
    markFailed: (reason) => recordFailure(span, reason),
  }
}

/** Omits the error's message, because database errors quote rows. */
function recordFailure(span: Span, reason: string): void {
  span.setAttribute('error.type', reason)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The context in the carrier, or a new trace if the carrier has no valid one. */
function readContext(carrier: object): Context {
  return propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter)
}

function writeCarrier(context: Context): TraceContext | undefined {
  const carrier: { traceparent?: string; tracestate?: string } = {}
  propagator.inject(context, carrier, defaultTextMapSetter)
  const { traceparent, tracestate } = carrier
  return traceparent === undefined ? undefined : { traceparent, ...(tracestate ? { tracestate } : {}) }
}
