import { createReadStream } from 'node:fs'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { quoteForMessage } from './formats/decimal-amounts.ts'
import { detectFormat, FILE_FORMATS, type FileRecord, NO_KNOWN_FORMAT } from './formats/file-formats.ts'
import { readTwice } from './formats/read-twice.ts'
import { toUnreadPart } from './formats/unread-part.ts'
import { UnreadableArchive, UnreadableFile } from './formats/unreadable-file.ts'
import { type PackedFile, readZipFiles, startsLikeZip } from './formats/zip-files.ts'

type Kind = BankInboxFileRow['kind']

const HEAD_BYTES = 4_096

/**
 * Detects a file's format from its first bytes. Only the records of an XML file show which messages it
 * contains.
 */
export function detectKind(head: Uint8Array): Kind {
  return startsLikeZip(head) ? 'ZIP' : (detectFormat(head) ?? 'UNKNOWN')
}

/**
 * Reads the records of a local file, which are the same at every read. May throw UnreadableFile after it has
 * yielded records. Callers therefore read the file twice: see `readTwice`.
 */
export async function* readRecords(kind: Kind, path: string): AsyncGenerator<FileRecord> {
  if (kind === 'ZIP') yield* readZip(path)
  else yield* readPlain(kind, createReadStream(path))
}

function readPlain(kind: Kind, bytes: AsyncIterable<Uint8Array>): AsyncIterable<FileRecord> {
  // Rows written by earlier versions name the messages contained in the XML file.
  const format = kind === 'CAMT' || kind === 'PAIN_002' ? 'XML' : kind
  if (format === 'UNKNOWN' || format === 'ZIP' || format === 'ACKNOWLEDGEMENT')
    throw new UnreadableFile(NO_KNOWN_FORMAT)
  return FILE_FORMATS[format].read(bytes)
}

/**
 * Reads each file in an archive independently. An unreadable file is held for manual review and does not
 * block the others.
 */
async function* readZip(path: string): AsyncGenerator<FileRecord> {
  const heldBack: FileRecord[] = []
  let hasRecords = false
  for await (const file of readZipFiles(path)) {
    const fault = yield* readPacked(file, () => {
      hasRecords = true
      return heldBack.splice(0)
    })
    if (fault === undefined) continue
    const unread: FileRecord = { of: 'UNREAD', record: toUnreadPart(quoteForMessage(file.name), fault, '') }
    if (hasRecords) yield unread
    else heldBack.push(unread)
  }
  if (hasRecords) return
  const [first] = heldBack
  throw new UnreadableArchive(
    first?.of === 'UNREAD' ? `has ${first.record.place}, which ${first.record.reason}` : 'contains no files',
  )
}

/**
 * Reads a file of an archive. If it cannot be read, returns the reason and yields nothing. Before
 * each record, yields what `takeHeldBack` returns.
 */
async function* readPacked(
  { open }: PackedFile,
  takeHeldBack: () => readonly FileRecord[],
): AsyncGenerator<FileRecord, string | undefined> {
  try {
    const kind = detectKind(await readHead(open()))
    for await (const record of readTwice(open, (bytes) => readPlain(kind, bytes))) {
      yield* takeHeldBack()
      yield record
    }
    return undefined
  } catch (error) {
    if (error instanceof UnreadableFile && !(error instanceof UnreadableArchive)) return error.message
    throw error
  }
}

async function readHead(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let count = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    count += piece.byteLength
    if (count >= HEAD_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES)
}
