import { Readable } from 'node:stream'
import { findSealedOffset, openStream } from '../../base/crypto/file-seal.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { StoredFileRow } from '../../storage/rows/document.ts'
import { STORED_FILE_INITIAL, STORED_FILE_TRANSITIONS } from '../../storage/rows/states.ts'
import { addSeconds, type Op } from '../operation/app.ts'
import { transition } from '../operation/transition.ts'
import type { UploadedFile } from '../operation/uploaded-file.ts'
import { job } from '../outbox/jobs.ts'
import { selectStoredFile } from './store.ts'

/** An uploaded file is removed after this time unless a record refers to it. */
const STAGED_SECONDS = 60 * 60

/** The writes before a file is stored: its row, and a job that removes it if no record keeps it. */
export function stage(op: Op, file: UploadedFile): readonly Write[] {
  return [insert('stored_files', toStagedRow(op, file)), buildLaterRemoval(op, file.id)]
}

/**
 * A job that removes the file if no record keeps it by then. It also removes bytes that reached the store
 * after an earlier removal.
 */
export function buildLaterRemoval(op: Op, fileId: string): Write {
  return job(op, 'stored-file.remove', { fileId }, addSeconds(op.now, STAGED_SECONDS))
}

function toStagedRow(op: Op, { id, bytes, sha256, sealedKey }: UploadedFile): StoredFileRow {
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
 * Jobs of a new platform that delete the files of its predecessor, once now and once later for uploads still
 * in progress.
 */
export function scheduleFileCleanup(platformId: string, successor: Op): readonly Write[] {
  return [0, STAGED_SECONDS].map((seconds) =>
    job(successor, 'stored-files.clear', { platformId }, addSeconds(successor.now, seconds)),
  )
}

/** Keeps an uploaded file. Guard: it has not been removed in the meantime. */
export function storeFile(op: Op, file: UploadedFile): Write {
  return transition(op, 'stored_files', STORED_FILE_TRANSITIONS, toStagedRow(op, file), 'keep').write
}

/**
 * Removes a file. Its key is deleted immediately, which makes the file unreadable, and its bytes by a job.
 * Returns no writes if it is already removed.
 */
export async function removeFile(op: Op, fileId: string): Promise<readonly Write[]> {
  const row = await selectStoredFile(op, fileId)
  return row ? buildRemoval(op, row) : []
}

/**
 * Abandons the file of a failed upload. Returns no writes if a record keeps the file: the commit may have
 * succeeded although its response was lost.
 */
export async function abandonFile(op: Op, fileId: string): Promise<readonly Write[]> {
  const row = await selectStoredFile(op, fileId)
  return row?.state === STORED_FILE_INITIAL ? buildRemoval(op, row) : []
}

/** The writes that remove a file whose row was already read. */
export function buildRemoval(op: Op, row: StoredFileRow): readonly Write[] {
  if (STORED_FILE_TRANSITIONS[row.state].remove === null) return []
  return [
    transition(op, 'stored_files', STORED_FILE_TRANSITIONS, row, 'remove', { sealed_key: null }).write,
    job(op, 'stored-file.remove', { fileId: row.id }, op.now),
  ]
}

/**
 * Streams the bytes of a stored file of this platform from `fromByte`, unsealed chunk by chunk. The caller
 * must read the stream to its end or destroy it; the stream fails with SealedFileError if the stored bytes
 * were changed. Undefined if the file is removed; throws if the store cannot be reached or has lost the file.
 */
export async function openStoredFile(
  op: Pick<Op, 'read' | 'platform' | 'enclave' | 'fileStore'>,
  fileId: string,
  fromByte = 0,
): Promise<Readable | undefined> {
  const row = await selectStoredFile(op, fileId)
  if (!row?.sealed_key) return undefined
  if (fromByte > 0 && fromByte >= row.bytes) return Readable.from([])
  const sealed = await op.fileStore.openAt(fileId, findSealedOffset(fromByte))
  if (!sealed) {
    // The file may have been removed since its row was read.
    if ((await selectStoredFile(op, fileId))?.state !== row.state) return undefined
    throw new Error(`The file store does not contain ${fileId}`)
  }
  const unsealed = openStream(op.enclave.openFileKey(fileId, row.sealed_key), fileId, fromByte)
  // `pipe` forwards errors in neither direction.
  sealed.on('error', (error) => unsealed.destroy(error))
  unsealed.on('close', () => sealed.destroy())
  return sealed.pipe(unsealed)
}
