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
 * Seals an incoming file into the spool, a chunk in memory at a time, and records what handlers need. If the
 * stream fails, nothing is left and its error is thrown.
 */
export async function receiveFile(
  app: Pick<App, 'spool' | 'enclave' | 'clock'>,
  { name, declaredType }: Pick<UploadedFile, 'name' | 'declaredType'>,
  bytes: Readable,
): Promise<ReceivedFile> {
  const id = newId('File', app.clock())
  const { key, sealedKey } = app.enclave.forOperation().newFileKey(id)
  const path = join(app.spool.folder, id.slice('File:'.length))
  const noted = note()
  const sealed = digest()
  try {
    await pipeline(
      bytes,
      noted.stream,
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
  const found = noted.found()
  return {
    file: { id, name, declaredType, sealedKey, ...found },
    spooled: { path, sealedBytes: countSealedBytes(found.bytes), sealedSha256: sealed.found() },
  }
}

type Noted = Pick<UploadedFile, 'bytes' | 'sha256' | 'head' | 'tail'>

/** Records length, digest, and first and last bytes of the stream. */
function note(): { readonly stream: Transform; found(): Noted } {
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
  return { stream, found: () => ({ bytes, sha256: hash.digest(), head, tail }) }
}

function digest(): { readonly stream: Transform; found(): Uint8Array } {
  const hash = createHash('sha256')
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, found: () => hash.digest() }
}
