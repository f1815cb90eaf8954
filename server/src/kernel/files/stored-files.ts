import { Readable } from 'node:stream'
import { openStream, sealedByteOf } from '../../base/crypto/file-seal.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { StoredFileRow } from '../../storage/rows/document.ts'
import { STORED_FILE_INITIAL, STORED_FILE_TRANSITIONS } from '../../storage/rows/states.ts'
import { type Op, plusSeconds } from '../operation/app.ts'
import { transition } from '../operation/transition.ts'
import type { UploadedFile } from '../operation/uploaded-file.ts'
import { job } from '../outbox/jobs.ts'
import { selectStoredFile } from './store.ts'

/** A file that nothing keeps for this long is removed. */
const STAGED_SECONDS = 60 * 60

/** The writes before a file goes to the store: its row, and its removal should nothing keep it. */
export function stage(op: Op, file: UploadedFile): readonly Write[] {
  return [insert('stored_files', stagedRow(op, file)), laterRemoval(op, file.id)]
}

/** Removes a file that nothing has kept by then, and bytes that reached the store after a first removal. */
export function laterRemoval(op: Op, fileId: string): Write {
  return job(op, 'stored-file.remove', { fileId }, plusSeconds(op.now, STAGED_SECONDS))
}

function stagedRow(op: Op, { id, bytes, sha256, sealedKey }: UploadedFile): StoredFileRow {
  return {
    id,
    platform_id: op.platform.id,
    state: STORED_FILE_INITIAL,
    bytes: BigInt(bytes),
    sha256,
    sealed_key: op.enclave.adopt(sealedKey),
    created_at: op.now,
    updated_at: op.now,
  }
}

/**
 * The due work of a new platform that removes the files of the one that it replaces: now, and once more for uploads that were
 * under way.
 */
export function clearFilesOf(platformId: string, successor: Op): readonly Write[] {
  return [0, STAGED_SECONDS].map((seconds) =>
    job(successor, 'stored-files.clear', { platformId }, plusSeconds(successor.now, seconds)),
  )
}

/** The write that keeps the file of this upload. Guard: it was not removed meanwhile. */
export function keepFile(op: Op, file: UploadedFile): Write {
  return transition(op, 'stored_files', STORED_FILE_TRANSITIONS, stagedRow(op, file), 'keep').write
}

/**
 * The writes that remove a file: its key at once, so that nobody can open it any more, and its bytes as due work. Nothing
 * where it is removed already.
 */
export async function removeFile(op: Op, fileId: string): Promise<readonly Write[]> {
  const row = await selectStoredFile(op, fileId)
  return row ? removal(op, row) : []
}

/**
 * The writes that give up the file of an upload that did not succeed. Nothing where a record keeps it after all: a commit
 * may have happened although its answer was lost.
 */
export async function abandonFile(op: Op, fileId: string): Promise<readonly Write[]> {
  const row = await selectStoredFile(op, fileId)
  return row?.state === STORED_FILE_INITIAL ? removal(op, row) : []
}

/** The writes of a removal, for a row that was read. */
export function removal(op: Op, row: StoredFileRow): readonly Write[] {
  if (STORED_FILE_TRANSITIONS[row.state].remove === null) return []
  return [
    transition(op, 'stored_files', STORED_FILE_TRANSITIONS, row, 'remove', { sealed_key: null }).write,
    job(op, 'stored-file.remove', { fileId: row.id }, op.now),
  ]
}

/**
 * The bytes of a stored file of this platform, from `fromByte` on, opened as they are read, a chunk in memory at a time. The
 * stream fails with SealedFileError where the stored bytes were changed. Undefined where the file is removed. Throws where
 * the store cannot be reached, or has lost the file. The caller reads the stream to its end or destroys it.
 */
export async function openStoredFile(
  op: Pick<Op, 'read' | 'platform' | 'enclave' | 'fileStore'>,
  fileId: string,
  fromByte = 0,
): Promise<Readable | undefined> {
  const row = await selectStoredFile(op, fileId)
  if (!row?.sealed_key) return undefined
  if (fromByte > 0 && fromByte >= row.bytes) return Readable.from([])
  const sealed = await op.fileStore.openAt(fileId, sealedByteOf(fromByte))
  if (!sealed) {
    // It may have been removed since it was read.
    if ((await selectStoredFile(op, fileId))?.state !== row.state) return undefined
    throw new Error(`The store has no ${fileId}`)
  }
  const opened = openStream(op.enclave.openFileKey(fileId, row.sealed_key), fileId, fromByte)
  // `pipe` passes on no errors, in either direction.
  sealed.on('error', (error) => opened.destroy(error))
  opened.on('close', () => sealed.destroy())
  return sealed.pipe(opened)
}
