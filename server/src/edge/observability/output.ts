import { fstatSync, openSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/**
 * The output of a server. It never throws, blocks or ends the process: lines that cannot be written are
 * dropped and counted.
 */
export interface Output {
  write(text: string): void
}

/** Called with the number of dropped lines. */
type OnDropped = (lines: number) => void

/** Writes bytes from an offset, and returns how many were written. Throws if none can be written. */
type WriteBytes = (fd: number, bytes: Uint8Array, from: number) => number

const STANDARD = { 1: () => process.stdout, 2: () => process.stderr } as const
/** The maximum number of bytes queued for a slow reader of a pipe. */
const WAITING_BYTES_MAX = 256 * 1024
const NEW_LINE = 10

/** Opens standard output, standard error, or a file for appending. */
export function openOutput(to: keyof typeof STANDARD | string, onDropped: OnDropped = () => {}): Output {
  if (typeof to === 'string') return createFileOutput(openSync(to, 'a'), onDropped)
  // A synchronous write to a pipe would block on its reader, so pipes are written through a stream.
  return isPipe(to) ? pipeOutput(STANDARD[to](), onDropped) : createFileOutput(to, onDropped)
}

/** A closed descriptor is treated like a file that accepts no writes. */
function isPipe(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}

/** Writes to a descriptor synchronously. Tests replace `write`. */
export function createFileOutput(fd: number, onDropped: OnDropped, write: WriteBytes = writeSync): Output {
  // A full disk may accept part of a line, which must not be joined with the next one.
  let isTorn = false
  return {
    write(text) {
      const start = isTorn ? 1 : 0
      const bytes = Buffer.from(isTorn ? `\n${text}` : text)
      let bytesWritten = 0
      try {
        while (bytesWritten < bytes.length) {
          const count = write(fd, bytes, bytesWritten)
          if (count === 0) throw new Error('no bytes were written')
          bytesWritten += count
        }
        isTorn = false
      } catch {
        if (bytesWritten > 0) isTorn = bytes[bytesWritten - 1] !== NEW_LINE
        onDropped(countLines(bytes.toString('utf8', Math.max(start, bytesWritten))))
      }
    },
  }
}

/** Writes to a stream while its reader keeps up. */
export function pipeOutput(stream: Writable, onDropped: OnDropped): Output {
  // Without a listener the process would end with the reader. Servers in the same process share one listener.
  if (!stream.listeners('error').includes(ignoreError)) stream.on('error', ignoreError)
  return {
    write(text) {
      if (stream.writableLength > WAITING_BYTES_MAX) onDropped(countLines(text))
      else
        stream.write(text, (error) => {
          if (error) onDropped(countLines(text))
        })
    },
  }
}

function ignoreError(): void {}

function countLines(text: string): number {
  return Math.max(1, text.split('\n').length - 1)
}
