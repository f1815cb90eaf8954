import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { getErrorCode } from '../../../base/formats/thrown-errors.ts'
import {
  type BankFolder,
  FileAlreadyExists,
  FileNotFound,
  type FolderPath,
  isPartOf,
  isReady,
  toFilePath,
  toFolderPath,
} from './bank-folder.ts'

/**
 * Creates a folder on this machine's disk, whose files another program exchanges with the bank. Subfolders
 * are created as needed.
 */
export function createDiskFolder(root: string): BankFolder {
  const toPath = (path: FolderPath) => toFilePath(root, path)
  const toFolder = (folder: string) => toFolderPath(root, folder)
  const makeFolder = async (folder: string) => {
    await mkdir(toFolder(folder), { recursive: true, mode: 0o770 })
  }
  return {
    async list(folder) {
      await makeFolder(folder)
      const names = (await readdir(toFolder(folder), { withFileTypes: true }))
        .filter((entry) => entry.isFile() && isReady(entry.name))
        .map(({ name }) => name)
        .sort()
      return Promise.all(
        names.map(async (name) => ({ name, bytes: (await stat(toPath({ folder, name }))).size })),
      )
    },
    async parts(folder, name) {
      await makeFolder(folder)
      return (await readdir(toFolder(folder))).filter((file) => isPartOf(file, name)).sort()
    },
    async open(path) {
      const handle = await ignoreMissing(() => open(toPath(path), 'r'))
      return handle && createReadStream('', { fd: handle })
    },
    async exists(path) {
      return isPresent(toPath(path))
    },
    async write(path, pieces) {
      await makeFolder(path.folder)
      const file = await open(toPath(path), 'w', 0o660)
      try {
        await writeFile(file, pieces)
        await file.sync()
      } finally {
        await file.close()
      }
      await flush(toFolder(path.folder))
    },
    async rename(from, to) {
      await makeFolder(to.folder)
      if (!(await isPresent(toPath(from)))) throw new FileNotFound(from.name)
      // File names are unique, so no other process creates this file between the check and the rename.
      if (await isPresent(toPath(to))) throw new FileAlreadyExists(to.name)
      await rename(toPath(from), toPath(to))
      await flush(toFolder(to.folder))
      if (from.folder !== to.folder) await flush(toFolder(from.folder))
    },
    async remove(path) {
      await rm(toPath(path), { force: true })
    },
    async close() {},
  }
}

async function isPresent(path: string): Promise<boolean> {
  return (await ignoreMissing(() => stat(path))) !== undefined
}

async function ignoreMissing<Found>(access: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await access()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Flushes a folder, which makes its file names durable. */
async function flush(folder: string): Promise<void> {
  const names = await open(folder, 'r')
  try {
    await names.sync()
  } finally {
    await names.close()
  }
}
