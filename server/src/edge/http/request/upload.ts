import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { FastifyRequest } from 'fastify'
import { getErrorCode } from '../../../base/formats/thrown-errors.ts'
import { receiveFile } from '../../../kernel/files/receive.ts'
import { abandonFile, stage } from '../../../kernel/files/stored-files.ts'
import type { App, Op } from '../../../kernel/operation/app.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../../kernel/operation/uploaded-file.ts'
import { type OnField, type ReadForm, readForm } from './form.ts'

/** An upload whose form was read, for the duration of its request. */
export interface ReadUpload {
  readonly fields: Readonly<Record<string, string>>
  /** Undefined if the form had no file. */
  readonly file: UploadedFile | undefined
  /**
   * Stores the file at most once, before a successful handler's writes are committed, so a rejected request
   * stores nothing. Throws 503 `UNAVAILABLE` if the file store cannot be reached.
   */
  store(op: Op): Promise<void>
  /** Removes the file unless `isKept`. Never rejects. */
  end(op: Op | undefined, isKept: boolean): Promise<void>
}

/** Reads the form of a request and seals its file into the spool. */
export async function readUpload(app: App, read: ReadForm): Promise<ReadUpload> {
  // The form may become invalid after its file has arrived.
  let path: string | undefined
  const removeSpooled = async () => {
    if (path !== undefined) await rm(path, { force: true })
  }
  const { fields, file: received } = await read(async (part, bytes) => {
    const receivedFile = await receiveFile(app, part, Readable.from(bytes)).catch((error: unknown) => {
      throw toDiskRefusal(app, error)
    })
    path = receivedFile.spooled.path
    return receivedFile
  }).catch(async (error: unknown) => {
    await removeSpooled()
    throw error
  })
  const file = received?.file
  let isStored = false
  return {
    fields,
    file,
    async store(op) {
      if (!received || isStored) return
      isStored = true
      const { done } = await app.commit(op, stage(op, received.file))
      if (!done) throw new Error(`${received.file.id} was not staged`)
      try {
        await app.fileStore.put(received.file.id, received.spooled)
      } catch (error) {
        op.log.error({ err: error, file: received.file.id }, 'failed to store a file')
        throw new ApiError('UNAVAILABLE', {
          message: 'The file store cannot be reached. Nothing was changed. Try again.',
        })
      }
    },
    async end(op, isKept) {
      try {
        await removeSpooled()
        if (!op || !file || !isStored || isKept) return
        const writes = await abandonFile(op, file.id)
        if (writes.length > 0) await app.commit(op, writes)
      } catch (error) {
        // A job removes the file an hour later.
        app.log.warn({ err: error, file: file?.id }, 'failed to remove an unused upload')
      }
    },
  }
}

/**
 * System errors for a full, read-only or unreachable disk, or for a process without free file descriptors.
 */
const DISK_ERRORS: ReadonlySet<string | undefined> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
])

/**
 * Converts an error of the local disk to 503, because a retry may succeed. Returns other errors unchanged.
 */
export function toDiskRefusal({ log }: Pick<App, 'log'>, error: unknown): unknown {
  if (!DISK_ERRORS.has(getErrorCode(error))) return error
  log.error({ err: error }, 'failed to write an uploaded file to disk')
  return new ApiError('UNAVAILABLE', {
    message: 'The server cannot store the file at the moment. Nothing was changed. Try again later.',
  })
}

/** Limits on concurrent uploads per process and per platform, because each one uses memory and disk. */
const CONCURRENT_MAX = 256
const CONCURRENT_PER_PLATFORM_MAX = 128

/** Returns a function that reads the form of a request. */
export type TakeUpload = (
  request: FastifyRequest,
  endpoint: Pick<Endpoint, 'upload'>,
  onField?: OnField,
) => ReadForm

/**
 * Limits the number of concurrent uploads in this process and the pace of each (`upload-pace.ts`). Throws 503
 * `UNAVAILABLE` at the limit.
 */
export function uploadTaker(windowMs: number): TakeUpload {
  const byPlatform = new Map<string, number>()
  let total = 0
  const count = (platformId: string, change: 1 | -1) => {
    const platformCount = (byPlatform.get(platformId) ?? 0) + change
    total += change
    if (platformCount === 0) byPlatform.delete(platformId)
    else byPlatform.set(platformId, platformCount)
  }
  return (request, { upload }, onField) =>
    async (receive) => {
      const platformId = request.trace.platformId ?? ''
      if (total >= CONCURRENT_MAX || (byPlatform.get(platformId) ?? 0) >= CONCURRENT_PER_PLATFORM_MAX)
        throw new ApiError('UNAVAILABLE', {
          message: 'Too many uploads are in progress. Try again.',
        })
      count(platformId, 1)
      try {
        return await readForm(request, upload!, windowMs, receive, onField)
      } finally {
        count(platformId, -1)
      }
    }
}
