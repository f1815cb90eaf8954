import { setTimeout } from 'node:timers/promises'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace'
import { NoResponse } from '../../base/http-client/answer.ts'
import { send } from '../../base/http-client/send.ts'
import type { TracingConfig } from '../../base/settings/tracing.ts'
import { VERSION } from '../../base/settings/version.ts'
import type { Log } from '../../kernel/ports/log.ts'

/** Called when spans are lost. */
export interface SpanWatch {
  readonly log: Pick<Log, 'warn' | 'info'>
  dropped(count: number): void
}

export interface SpanQueue extends SpanProcessor {
  /** Stops retrying. Spans that are not accepted from now on are dropped. */
  endTries(): void
  /** Counts the spans that no collector has accepted. */
  dropRest(): void
}

/**
 * The maximum number of waiting or in-flight spans, which take one or two kilobytes each. Further ones are
 * dropped.
 */
const SPANS_MAX = 8_192
const BATCH_SPANS_MAX = 512
/** All attempts for a batch end before the library starts the next batch, thirty seconds later. */
const POST_MS_MAX = 5_000
const PAUSES_MS = [1_000, 4_000]
/** Logs at most one line about a failing collector per interval. */
const LINE_MS = 60_000
const RESPONSE_BYTES_MAX = 64 * 1024
/** Statuses after which the collector may accept the same spans later. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

const FORMATS = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, type: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, type: 'application/json' },
} as const

/**
 * Sends spans to the collector in the background, one batch at a time. The library collects and encodes them;
 * this module limits and counts them and uses the server's own HTTP client.
 */
export function createSpanQueue(config: TracingConfig, watch: SpanWatch): SpanQueue {
  const sender = new Sender(config, watch)
  const batches = new BatchSpanProcessor({
    exporter: sender,
    maxQueueSize: SPANS_MAX,
    maxExportBatchSize: BATCH_SPANS_MAX,
    scheduledDelayMillis: config.delayMs,
  })
  return {
    onStart() {},
    onEnd(span) {
      if (sender.takes()) batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
    endTries: () => sender.endTries(),
    dropRest: () => sender.dropRest(),
  }
}

/** Posts batches, and counts the spans that are waiting. */
class Sender implements SpanExporter {
  readonly #config: TracingConfig
  readonly #watch: SpanWatch
  readonly #inProgress = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #spans = 0
  #isFailing = false
  #lastLoggedMs = Number.NEGATIVE_INFINITY

  constructor(config: TracingConfig, watch: SpanWatch) {
    this.#config = config
    this.#watch = watch
  }

  /** Reserves room for one more span. Returns false if all room is taken. */
  takes(): boolean {
    if (this.#spans < SPANS_MAX) {
      this.#spans += 1
      return true
    }
    this.#lose(1, 'the collector is too slow')
    return false
  }

  /** The library passes one batch at a time, and all remaining spans at the end. */
  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const sent = this.#deliver(spans).then(() => {
      this.#spans -= spans.length
      this.#inProgress.delete(sent)
      // Lost spans are counted here, because the library cannot do anything about them.
      done({ code: ExportResultCode.SUCCESS })
    })
    this.#inProgress.add(sent)
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.#inProgress)
  }

  endTries(): void {
    this.#ending.abort()
  }

  dropRest(): void {
    if (this.#spans > 0) this.#lose(this.#spans, 'the server is stopping')
  }

  /** Never rejects. */
  async #deliver(spans: readonly ReadableSpan[]): Promise<void> {
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0)
        await setTimeout(pauseMs, undefined, { signal: this.#ending.signal, ref: false }).catch(() => {})
      const { lost, reason, isBusy } = await this.#post(spans)
      const isLast = pauseMs === PAUSES_MS.at(-1) || this.#ending.signal.aborted
      if (lost === 0) return this.#markRecovered()
      if (isBusy && !isLast) continue
      return this.#lose(lost, reason)
    }
  }

  async #post(spans: readonly ReadableSpan[]): Promise<{ lost: number; reason: string; isBusy: boolean }> {
    const { url, headers, protocol } = this.#config
    const { serializer, type } = FORMATS[protocol]
    try {
      const body = serializer.serializeRequest([...spans])
      const response = await send(
        {
          method: 'POST',
          url,
          headers: { 'User-Agent': `Countersign/${VERSION}`, ...headers, 'Content-Type': type },
          ...(body ? { body } : {}),
        },
        // Repeatable, because the spans of a batch keep their ids.
        {
          timeoutMs: POST_MS_MAX,
          bytesMax: RESPONSE_BYTES_MAX,
          reach: 'any',
          isRepeatable: true,
        },
      )
      const reason = `the collector returned ${response.status}`
      if (response.status < 200 || response.status > 299)
        return { lost: spans.length, reason, isBusy: BUSY.has(response.status) }
      const { partialSuccess } = serializer.deserializeResponse(response.body)
      return {
        lost: Number(partialSuccess?.rejectedSpans ?? 0),
        reason: 'the collector rejected some spans',
        isBusy: false,
      }
    } catch (error) {
      if (error instanceof NoResponse) return { lost: spans.length, reason: error.code, isBusy: true }
      return { lost: spans.length, reason: 'the spans cannot be encoded', isBusy: false }
    }
  }

  #markRecovered(): void {
    if (this.#isFailing) this.#watch.log.info({}, 'the collector accepts traces again')
    this.#isFailing = false
  }

  #lose(count: number, reason: string): void {
    this.#watch.dropped(count)
    if (this.#isFailing || performance.now() - this.#lastLoggedMs < LINE_MS) return
    this.#watch.log.warn({ why: reason }, 'dropped traces that the collector did not accept')
    this.#isFailing = true
    this.#lastLoggedMs = performance.now()
  }
}
