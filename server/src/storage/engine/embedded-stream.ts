import { Duplex } from 'node:stream'
import type { Worker } from 'node:worker_threads'

/**
 * The embedded database's worker, as the socket that pg's client writes to. Writes within one turn go to the worker as
 * one message, whose memory is transferred, not copied.
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
    // Not Buffer.concat: its small buffers share a pool, which cannot be transferred.
    const bytes = new Uint8Array(this.#pending.reduce((length, chunk) => length + chunk.length, 0))
    let at = 0
    for (const chunk of this.#pending) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    this.#pending = []
    this.#worker.postMessage(bytes, [bytes.buffer])
  }
}
