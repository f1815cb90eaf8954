import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { quoteForMessage } from './decimal-amounts.ts'
import { UnreadableArchive, UnreadableFile } from './unreadable-file.ts'

/** Reads the ZIP archives in which EBICS delivers statements. */

/** Limits that protect against small archives with huge content. */
const LIMITS = {
  files: 1_000,
  /** Total unpacked size. */
  bytes: 1024 * 1024 * 1024,
  /** The maximum compression ratio. XML from banks compresses by a factor of 10 to 30. */
  ratio: 200,
  /** Files up to this size may have any ratio. */
  smallBytes: 1024 * 1024,
} as const
const ZIP_BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006'] as const

export interface PackedFile {
  readonly name: string
  /** Reads the unpacked bytes from the start. Throws UnreadableFile if they are corrupt. */
  readonly open: () => AsyncIterable<Uint8Array>
}

/** True if a file begins like a ZIP archive. */
export function startsLikeZip(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 4)).toString('latin1')
  return ZIP_BEGINNINGS.some((beginning) => text === beginning)
}

/**
 * Reads the files of a ZIP archive one after another. Throws UnreadableArchive if it is corrupt or exceeds
 * the limits.
 */
export async function* readZipFiles(path: string): AsyncGenerator<PackedFile> {
  const zip = await wrapArchiveFaults(() => openPromise(path, { autoClose: false }))
  try {
    const entries = await listEntries(zip)
    for (const entry of entries) yield { name: entry.fileName, open: () => unpack(zip, entry) }
  } finally {
    zip.close()
  }
}

async function listEntries(zip: ZipFile): Promise<readonly Entry[]> {
  if (zip.entryCount > LIMITS.files) refuse(`has more than ${LIMITS.files} files`)
  const entries: Entry[] = []
  let bytes = 0
  await wrapArchiveFaults(async () => {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      bytes += entry.uncompressedSize
      entries.push(entry)
    }
  })
  if (bytes > LIMITS.bytes) refuse(`unpacks to more than ${LIMITS.bytes} bytes`)
  for (const { fileName, compressedSize, uncompressedSize } of entries)
    if (uncompressedSize > LIMITS.smallBytes && uncompressedSize > compressedSize * LIMITS.ratio)
      refuse(`has ${quoteForMessage(fileName)}, which unpacks to more than ${LIMITS.ratio} times its size`)
  return entries
}

/**
 * Unpacks a file. Its size is as stated in the archive, because the library refuses streams of another size.
 */
async function* unpack(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new UnreadableFile('is encrypted')
  let check = 0
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      check = crc32(piece, check)
      yield piece
    }
  } catch (error) {
    throw toFault(error, (reason) => new UnreadableFile(`cannot be unpacked: ${reason}`))
  }
  if (check !== entry.crc32) throw new UnreadableFile('cannot be unpacked: its checksum is wrong')
}

async function wrapArchiveFaults<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    throw toFault(error, (reason) => new UnreadableArchive(`is not a complete ZIP file: ${reason}`))
  }
}

/** Converts errors from the library and from zlib, which concern the file. Disk errors do not change. */
function toFault(error: unknown, createFault: (reason: string) => Error): unknown {
  if (!(error instanceof Error) || error instanceof UnreadableFile) return error
  const code = 'code' in error ? String(error.code) : ''
  return code === '' || code.startsWith('Z_') ? createFault(error.message) : error
}

function refuse(reason: string): never {
  throw new UnreadableArchive(reason)
}
