import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AGES_MAX, Cell, type ReceiverData } from './receiver-data.ts'

/** The built file, because a thread cannot run TypeScript. */
const PROGRAM = new URL('../dist/receiver-thread.js', import.meta.url)

/**
 * A platform's webhook endpoint, which counts deliveries. Runs in a separate thread, so that callers in the same
 * process do not delay its responses. Requests to `HANGING_PATH` get no response.
 */
export class Receiver {
  static readonly HANGING_PATH = '/hangs'
  /** URL with a trailing `/`. */
  readonly url: string
  /** URL of the same receiver for HTTP/2 over TLS. */
  readonly secureUrl: string
  readonly #cells: Float64Array
  readonly #ages: Float64Array
  readonly #worker: Worker
  #takenCount = 0

  private constructor(worker: Worker, { cells, ages }: ReceiverData) {
    this.#worker = worker
    this.url = `http://127.0.0.1:${cells[Cell.port]}/`
    this.secureUrl = `https://localhost:${cells[Cell.securePort]}/`
    this.#cells = cells
    this.#ages = ages
  }

  static async open(): Promise<Receiver> {
    const share = (count: number) =>
      new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT))
    const data: ReceiverData = {
      cells: share(Object.keys(Cell).length),
      ages: share(AGES_MAX),
      hangingPath: Receiver.HANGING_PATH,
    }
    const worker = new Worker(PROGRAM, { workerData: data })
    await once(worker, 'message')
    return new Receiver(worker, data)
  }

  /** The delay of each response, in ms. */
  set delayMs(ms: number) {
    this.#cells[Cell.delayMs] = ms
  }

  /** The time at which the last webhook arrived, on the clock of `performance.now()`. */
  get lastMs(): number {
    return (this.#cells[Cell.lastAt] ?? 0) - performance.timeOrigin
  }

  counts() {
    return { requests: this.#cells[Cell.requests] ?? 0, connections: this.#cells[Cell.connections] ?? 0 }
  }

  /** Returns the time from each event to its webhook, in ms. Each time is returned only once. */
  takeAges(): number[] {
    const { requests } = this.counts()
    const count = Math.min(AGES_MAX, requests - this.#takenCount)
    const ages = Array.from({ length: count }, (_, n) => this.#ages[(this.#takenCount + n) % AGES_MAX] ?? 0)
    this.#takenCount = requests
    return ages
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
