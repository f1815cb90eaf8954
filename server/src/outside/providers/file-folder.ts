import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { getErrorCode } from '../../base/formats/thrown-errors.ts'
import type { FileStore } from '../../kernel/ports/file-store.ts'

/**
 * Stores files in a folder, under the UUID of their id. The folder is on the same disk as the spool, so a
 * file is renamed into place and never appears incomplete. `put` returns after file and folder have been
 * flushed.
 */
export async function createFolderStore(folder: string): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const toPath = (id: string) => join(folder, toFileName(id))
  return {
    async put(id, { path }) {
      try {
        await rename(path, toPath(id))
      } catch (error) {
        // In a repeated call, the first one has already moved the file.
        if (getErrorCode(error) !== 'ENOENT' || !(await fileExists(toPath(id)))) throw error
      }
      await syncFolder(folder)
    },
    openAt: (id, fromByte) => openIfExists(toPath(id), fromByte),
    async remove(id) {
      await rm(toPath(id), { force: true })
    },
  }
}

const UUID = /^File:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** A file's name in a store. Throws if the id is not a file id. */
export function toFileName(id: string): string {
  const name = UUID.exec(id)?.[1]
  if (!name) throw new Error(`${id} is not a file id`)
  return name
}

async function openIfExists(path: string, fromByte = 0): Promise<Readable | undefined> {
  try {
    // Opened here, so that a missing file is detected before the stream is read.
    const handle = await open(path, 'r')
    return createReadStream('', { fd: handle, start: fromByte })
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function fileExists(path: string): Promise<boolean> {
  const stream = await openIfExists(path)
  stream?.destroy()
  return stream !== undefined
}

async function syncFolder(folder: string): Promise<void> {
  const entries = await open(folder, 'r')
  await entries.sync()
  await entries.close()
}
