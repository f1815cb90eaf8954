import { createReadStream } from 'node:fs'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { type AchRecord, readAch, startsLikeAch } from './formats/ach-reader.ts'
import { shown } from './formats/decimal-amounts.ts'
import { startsLikeXml } from './formats/decode-text.ts'
import { type IsoRecord, readIsoMessages } from './formats/iso-messages.ts'
import { readTwice } from './formats/read-twice.ts'
import { unreadPart } from './formats/unread-part.ts'
import { UnreadableArchive, UnreadableFile } from './formats/unreadable-file.ts'
import { type PackedFile, readZipFiles, startsLikeZip } from './formats/zip-files.ts'

export type FileRecord = IsoRecord | { readonly of: 'ACH'; readonly record: AchRecord }

type Kind = BankInboxFileRow['kind']

export const NO_KNOWN_FORMAT = 'is neither camt.052, camt.053, camt.054, pain.002 nor NACHA'
const HEAD_BYTES = 4_096

/** The format of a file, by its first bytes. The records of XML say which messages it has. */
export function kindOf(head: Uint8Array): Kind {
  if (startsLikeZip(head)) return 'ZIP'
  if (startsLikeXml(head)) return 'XML'
  if (startsLikeAch(head)) return 'ACH'
  return 'UNKNOWN'
}

/** The records of a file of this machine, the same each time. Throws UnreadableFile; use it twice, as `readTwice` does. */
export async function* readRecords(kind: Kind, path: string): AsyncGenerator<FileRecord> {
  if (kind === 'ZIP') yield* readZip(path)
  else yield* readPlain(kind, createReadStream(path))
}

async function* readPlain(kind: Kind, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  if (kind === 'ACH') for await (const record of readAch(bytes)) yield { of: 'ACH', record }
  else if (kind === 'XML' || kind === 'CAMT' || kind === 'PAIN_002') yield* readIsoMessages(bytes)
  else throw new UnreadableFile(NO_KNOWN_FORMAT)
}

/** Each file of an archive stands alone: one that cannot be read waits, and the others are read. */
async function* readZip(path: string): AsyncGenerator<FileRecord> {
  const waiting: FileRecord[] = []
  let isRead = false
  for await (const file of readZipFiles(path)) {
    const fault = yield* readPacked(file, () => {
      isRead = true
      return waiting.splice(0)
    })
    if (fault === undefined) continue
    const unread: FileRecord = { of: 'UNREAD', record: unreadPart(shown(file.name), fault, '') }
    if (isRead) yield unread
    else waiting.push(unread)
  }
  if (isRead) return
  const [first] = waiting
  throw new UnreadableArchive(
    first?.of === 'UNREAD' ? `has ${first.record.place}, which ${first.record.reason}` : 'has no file',
  )
}

/** Returns why a file cannot be read; then nothing of it was given. `begin` gives what comes before the first record. */
async function* readPacked(
  { open }: PackedFile,
  begin: () => readonly FileRecord[],
): AsyncGenerator<FileRecord, string | undefined> {
  try {
    const kind = kindOf(await headOf(open()))
    for await (const record of readTwice(open, (bytes) => readPlain(kind, bytes))) {
      yield* begin()
      yield record
    }
    return undefined
  } catch (error) {
    if (error instanceof UnreadableFile && !(error instanceof UnreadableArchive)) return error.message
    throw error
  }
}

async function headOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let count = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    count += piece.byteLength
    if (count >= HEAD_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES)
}
