import { Duplex } from 'node:stream'
import type { Worker } from 'node:worker_threads'

/**
 * Presents the embedded database worker as the socket that the pg client expects. All writes within one turn
 * of the event loop go to the worker in one message, whose memory is transferred rather than copied.
 */
export class WorkerStream extends Duplex {
  readonly #worker: Worker
  #pending: Buffer[] = []

  constructor(worker: Worker) {
    super()
    this.#worker = worker
    worker.on('message', (message: unknown) => {
      if (message instanceof Uint8Array) {
        this.push(Buffer.from(message.buffer, message.byteOffset, message.byteLength))
      }
    })
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.#enqueue(chunk)
    callback()
  }

  override _writev(chunks: { chunk: Buffer }[], callback: () => void): void {
    for (const { chunk } of chunks) this.#enqueue(chunk)
    callback()
  }

  override _final(callback: () => void): void {
    this.push(null)
    callback()
  }

  #enqueue(chunk: Buffer): void {
    if (this.#pending.push(chunk) === 1) queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    // Not Buffer.concat, because small buffers share a pool, which cannot be transferred.
    const bytes = new Uint8Array(this.#pending.reduce((length, chunk) => length + chunk.length, 0))
    let offset = 0
    for (const chunk of this.#pending) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
    this.#pending = []
    this.#worker.postMessage(bytes, [bytes.buffer])
  }
}
