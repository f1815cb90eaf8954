import { fstatSync, openSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/**
 * Output of a server. It never throws, waits or ends the process: lines that cannot be written are dropped
 * and counted.
 */
export interface Output {
  write(text: string): void
}

/** Called with the number of dropped lines. */
type OnDropped = (lines: number) => void

/** Writes bytes from an offset on, and returns their number. Throws if it can write none. */
type WriteBytes = (fd: number, bytes: Uint8Array, from: number) => number

const STANDARD = { 1: () => process.stdout, 2: () => process.stderr } as const
/** The maximum number of bytes that wait for a slow reader of a pipe. */
const WAITING_BYTES_MAX = 256 * 1024
const NEW_LINE = 10

/** Standard output, standard error, or a file to append to. */
export function openOutput(to: keyof typeof STANDARD | string, onDropped: OnDropped = () => {}): Output {
  if (typeof to === 'string') return fileOutput(openSync(to, 'a'), onDropped)
  // A write to a pipe would wait for its reader, so the stream does that; a write to a file or a terminal is
  // synchronous.
  return isPipe(to) ? pipeOutput(STANDARD[to](), onDropped) : fileOutput(to, onDropped)
}

/** A closed descriptor counts as a file that accepts nothing. */
function isPipe(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}

/** Writes to a descriptor synchronously. Tests replace `write`. */
export function fileOutput(fd: number, onDropped: OnDropped, write: WriteBytes = writeSync): Output {
  // A full disk may accept a part of a line, which must not join the next one.
  let isTorn = false
  return {
    write(text) {
      const start = isTorn ? 1 : 0
      const bytes = Buffer.from(isTorn ? `\n${text}` : text)
      let bytesWritten = 0
      try {
        while (bytesWritten < bytes.length) {
          const count = write(fd, bytes, bytesWritten)
          if (count === 0) throw new Error('nothing was written')
          bytesWritten += count
        }
        isTorn = false
      } catch {
        if (bytesWritten > 0) isTorn = bytes[bytesWritten - 1] !== NEW_LINE
        onDropped(linesIn(bytes.toString('utf8', Math.max(start, bytesWritten))))
      }
    },
  }
}

/** Writes to a stream while its reader keeps up. */
export function pipeOutput(stream: Writable, onDropped: OnDropped): Output {
  // Without a listener the process would end when the reader does. Several servers of a process share one.
  if (!stream.listeners('error').includes(ignoreError)) stream.on('error', ignoreError)
  return {
    write(text) {
      if (stream.writableLength > WAITING_BYTES_MAX) onDropped(linesIn(text))
      else
        stream.write(text, (error) => {
          if (error) onDropped(linesIn(text))
        })
    },
  }
}

function ignoreError(): void {}

function linesIn(text: string): number {
  return Math.max(1, text.split('\n').length - 1)
}
