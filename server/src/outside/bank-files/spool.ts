import { createHash, hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { readAcknowledgement } from './acknowledgements.ts'
import { limitBytes } from './formats/read-twice.ts'
import { UnreadableFile } from './formats/unreadable-file.ts'
import { checkMarker } from './inbox-markers.ts'
import type { Pgp } from './pgp.ts'
import type { BankFileWorker } from './rail.ts'
import type { FolderFile } from './stores/bank-folder.ts'

const MEGABYTE = 1024 * 1024
const MEGABYTES_MAX = 200

/** A copy of a bank's file on this machine, decrypted if the rail has keys. */
export interface Spooled {
  readonly path: string
  readonly name: string
  readonly bytes: number
  /** Identifies the file. */
  readonly digest: string
  /** Identifies the decrypted content. A bank may encrypt the same content twice. */
  readonly contentDigest: string
  /** The reason why the file is refused, if there is one. */
  readonly fault?: string
}

/**
 * Copies a file to `path` on this machine. Undefined if the file has disappeared, or if its marker is
 * incomplete. A file that is too large is not copied.
 */
export async function spool(
  worker: BankFileWorker,
  { name, bytes }: FolderFile,
  path: string,
): Promise<Spooled | undefined> {
  const { rail } = worker
  const bytesMax = (rail.entry.fileMegabytesMax ?? MEGABYTES_MAX) * MEGABYTE
  if (bytes > bytesMax) {
    const digest = hash('sha256', `${name} ${bytes}`)
    return { path: '', name, bytes, digest, contentDigest: digest, fault: 'is larger than fileMegabytesMax' }
  }
  const stream = await rail.folder.open({ folder: rail.entry.place.inbox, name })
  if (!stream) return undefined
  const copy = await writeCopy(
    limitBytes(stream, bytesMax, () => new Error(`The file ${name} grew while it was read`)),
    path,
  )
  const marker = await checkMarker(rail, name, copy.digest)
  if (marker === 'INCOMPLETE') return undefined
  // Two acknowledgements may have the same content, so their names distinguish them.
  const isNamed = readAcknowledgement(rail.entry, name) !== undefined
  const digest = isNamed ? hash('sha256', `${name} ${copy.digest}`) : copy.digest
  const spooled = { path, name, bytes: copy.bytes, digest, contentDigest: digest }
  if (marker !== undefined) return { ...spooled, fault: marker }
  return rail.pgp ? decrypt(rail.pgp, spooled, bytesMax, worker.app.clock()) : spooled
}

/** Decrypts a copy in place. */
async function decrypt(pgp: Pgp, spooled: Spooled, bytesMax: number, now: Date): Promise<Spooled> {
  const { path } = spooled
  const plain = `${path}-plain`
  const pieces = pgp.decrypt(createReadStream(path), now)
  try {
    const tooLarge = () => new UnreadableFile('unpacks to more than fileMegabytesMax')
    const { digest: contentDigest } = await writeCopy(limitBytes(pieces, bytesMax, tooLarge), plain)
    await rename(plain, path)
    return { ...spooled, contentDigest }
  } catch (error) {
    await rm(plain, { force: true })
    if (!(error instanceof UnreadableFile)) throw error
    return { ...spooled, fault: error.message }
  }
}

async function writeCopy(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): Promise<{ readonly digest: string; readonly bytes: number }> {
  let bytes = 0
  const sha256 = createHash('sha256')
  const count = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.byteLength
      sha256.update(piece)
      yield piece
    }
  }
  await pipeline(count, createWriteStream(path, { mode: 0o600 }))
  return { digest: sha256.digest('hex'), bytes }
}
