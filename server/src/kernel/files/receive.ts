import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { countSealedBytes, sealStream } from '../../base/crypto/file-seal.ts'
import { type App, newId } from '../operation/app.ts'
import { EDGE_BYTES, type UploadedFile } from '../operation/uploaded-file.ts'
import type { SpooledFile } from '../ports/file-store.ts'

/** A completely received file. */
export interface ReceivedFile {
  readonly file: UploadedFile
  readonly spooled: SpooledFile
}

/**
 * Seals an incoming file into the spool, with one chunk in memory at a time, and collects the data that
 * handlers need. If the stream fails, the partial file is removed and the error is rethrown.
 */
export async function receiveFile(
  app: Pick<App, 'spool' | 'enclave' | 'clock'>,
  { name, declaredType }: Pick<UploadedFile, 'name' | 'declaredType'>,
  bytes: Readable,
): Promise<ReceivedFile> {
  const id = newId('File', app.clock())
  const { key, sealedKey } = app.enclave.forOperation().newFileKey(id)
  const path = join(app.spool.folder, id.slice('File:'.length))
  const observer = createObserver()
  const sealed = digest()
  try {
    await pipeline(
      bytes,
      observer.stream,
      sealStream(key, id),
      sealed.stream,
      createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
    )
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    key.fill(0)
  }
  const observed = observer.getResult()
  return {
    file: { id, name, declaredType, sealedKey, ...observed },
    spooled: { path, sealedBytes: countSealedBytes(observed.bytes), sealedSha256: sealed.getResult() },
  }
}

type Observed = Pick<UploadedFile, 'bytes' | 'sha256' | 'head' | 'tail'>

/** Passes a stream through and collects its length, its digest, and its first and last bytes. */
function createObserver(): { readonly stream: Transform; getResult(): Observed } {
  const hash = createHash('sha256')
  let bytes = 0
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      if (head.length < EDGE_BYTES) head = Buffer.concat([head, chunk.subarray(0, EDGE_BYTES - head.length)])
      tail = Buffer.concat([tail, chunk.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES)
      done(null, chunk)
    },
  })
  return { stream, getResult: () => ({ bytes, sha256: hash.digest(), head, tail }) }
}

function digest(): { readonly stream: Transform; getResult(): Uint8Array } {
  const hash = createHash('sha256')
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, getResult: () => hash.digest() }
}
