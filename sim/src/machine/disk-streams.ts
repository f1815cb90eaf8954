import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { getCurrentProgram, type Program } from './machine.ts'

/**
 * Replaces the file streams of programs. Node reads and writes in threads, whose timing does not depend on
 * the seed. In the simulation, every chunk is read or written immediately.
 */
export function installStreams(): void {
  const { createReadStream, createWriteStream } = fs
  Object.assign(fs, {
    createReadStream: (path: string, options?: ReadOptions | BufferEncoding) => {
      const program = getCurrentProgram()
      if (!program) return createReadStream(path, options)
      return openReadable(
        program,
        path,
        typeof options === 'string' ? { encoding: options } : (options ?? {}),
      )
    },
    createWriteStream: (path: string, options?: WriteOptions) => {
      const program = getCurrentProgram()
      return program ? openWritable(program, path, options ?? {}) : createWriteStream(path, options)
    },
  })
}

/** Replaces writing a stream of chunks to an open file: each chunk is written immediately. */
export function installWriting(): void {
  const { writeFile } = promises
  Object.assign(promises, {
    async writeFile(file: FileHandle, pieces: AsyncIterable<string>, options?: object) {
      const isStreamed = typeof pieces === 'object' && Symbol.asyncIterator in pieces
      if (!getCurrentProgram() || !isStreamed) return writeFile(file, pieces, options)
      for await (const chunk of pieces) fs.writeSync(file.fd, chunk)
    },
  })
}

interface ReadOptions {
  readonly fd?: FileHandle
  readonly start?: number
  readonly encoding?: BufferEncoding
}

interface WriteOptions {
  readonly flags?: string
  readonly mode?: number
}

const CHUNK_BYTES = 64 * 1024

function openReadable(
  program: Program,
  path: string,
  { fd: handle, start = 0, encoding }: ReadOptions,
): Readable {
  // The handles of a killed program are closed elsewhere.
  const file = handle ? { fd: () => handle.fd, close: () => handle.close() } : openLazily(program, path, 'r')
  let position = start
  return new Readable({
    ...(encoding ? { encoding } : {}),
    read() {
      try {
        const bytes = Buffer.alloc(CHUNK_BYTES)
        const count = fs.readSync(file.fd(), bytes, 0, CHUNK_BYTES, position)
        position += count
        this.push(count === 0 ? null : bytes.subarray(0, count))
      } catch (error) {
        this.destroy(toError(error))
      }
    },
    destroy(error, done) {
      file.close().then(() => done(error), done)
    },
  })
}

function openWritable(program: Program, path: string, { flags = 'w', mode }: WriteOptions): Writable {
  const file = openLazily(program, path, flags, mode)
  return new Writable({
    construct(done) {
      try {
        file.fd()
        done()
      } catch (error) {
        done(toError(error))
      }
    },
    write(bytes: Uint8Array, _, done) {
      try {
        fs.writeSync(file.fd(), bytes)
        done()
      } catch (error) {
        done(toError(error))
      }
    },
    destroy(error, done) {
      file.close().then(() => done(error), done)
    },
  })
}

/** A file that is opened on first use, and closed once: by its stream, or when the program is killed. */
function openLazily(program: Program, path: string, flags: string, mode?: number) {
  let fd: number | undefined
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    unregister()
    if (fd !== undefined) fs.closeSync(fd)
  }
  const unregister = program.onKill(() => void close())
  return {
    fd: () => {
      fd ??= fs.openSync(path, flags, mode)
      return fd
    },
    close,
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
