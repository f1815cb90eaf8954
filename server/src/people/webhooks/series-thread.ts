import { Worker } from 'node:worker_threads'
import type { SendSeries, Series, SeriesOutcome } from './request-series.ts'

/** A message to the thread: the series of one turn of the event loop. */
export type SeriesMessage = readonly (readonly [number, Series])[]

/**
 * A message from the thread: the outcomes of one turn of its event loop. A string is the message of an
 * unexpected error.
 */
export type OutcomeMessage = readonly (readonly [number, readonly SeriesOutcome[] | string])[]

interface PendingSeries {
  resolve(outcomes: readonly SeriesOutcome[]): void
  reject(error: Error): void
}

/**
 * Sends series in a separate thread, so that requests served by the main thread do not delay deliveries. The
 * thread starts with the first series, and does not keep the process running.
 */
export class SeriesThread {
  readonly #program: URL
  #worker: Worker | undefined
  readonly #pending = new Map<number, PendingSeries>()
  #count = 0
  #queued: [number, Series][] = []

  constructor(program: URL) {
    this.#program = program
  }

  readonly send: SendSeries = (series) =>
    new Promise((resolve, reject) => {
      this.#count += 1
      this.#pending.set(this.#count, { resolve, reject })
      if (this.#queued.length === 0) setImmediate(() => this.#flush())
      this.#queued.push([this.#count, series])
    })

  async stop(): Promise<void> {
    await this.#worker?.terminate()
  }

  #flush(): void {
    this.#worker ??= this.#start()
    const message: SeriesMessage = this.#queued
    this.#queued = []
    this.#worker.postMessage(message)
  }

  #start(): Worker {
    const worker = new Worker(this.#program)
    worker.unref()
    worker.on('message', (outcomes: OutcomeMessage) => {
      for (const [id, outcome] of outcomes) this.#settle(id, outcome)
    })
    let failure = 'The thread that sends webhooks has ended'
    worker.on('error', ({ message }) => {
      failure = message
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      // The next thread gets the series that were not passed to this one.
      const queuedIds = new Set(this.#queued.map(([id]) => id))
      for (const id of this.#pending.keys()) if (!queuedIds.has(id)) this.#settle(id, failure)
    })
    return worker
  }

  #settle(id: number, outcome: readonly SeriesOutcome[] | string): void {
    const waiting = this.#pending.get(id)
    this.#pending.delete(id)
    if (typeof outcome === 'string') waiting?.reject(new Error(outcome))
    else waiting?.resolve(outcome)
  }
}
