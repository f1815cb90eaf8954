import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { codeOf } from '../../../base/formats/thrown-errors.ts'
import {
  type BankFolder,
  FileIsMissing,
  FileIsThere,
  type FolderPath,
  folderBelow,
  isPartOf,
  isReady,
  pathBelow,
} from './bank-folder.ts'

/**
 * A folder on this machine's disk whose files another program exchanges with the bank. Subfolders are created
 * as needed.
 */
export function createDiskFolder(root: string): BankFolder {
  const pathOf = (path: FolderPath) => pathBelow(root, path)
  const folderOf = (folder: string) => folderBelow(root, folder)
  const makeFolder = async (folder: string) => {
    await mkdir(folderOf(folder), { recursive: true, mode: 0o770 })
  }
  return {
    async list(folder) {
      await makeFolder(folder)
      const names = (await readdir(folderOf(folder), { withFileTypes: true }))
        .filter((entry) => entry.isFile() && isReady(entry.name))
        .map(({ name }) => name)
        .sort()
      return Promise.all(
        names.map(async (name) => ({ name, bytes: (await stat(pathOf({ folder, name }))).size })),
      )
    },
    async parts(folder, name) {
      await makeFolder(folder)
      return (await readdir(folderOf(folder))).filter((one) => isPartOf(one, name)).sort()
    },
    async open(path) {
      const handle = await unlessMissing(() => open(pathOf(path), 'r'))
      return handle && createReadStream('', { fd: handle })
    },
    async exists(path) {
      return isThere(pathOf(path))
    },
    async write(path, pieces) {
      await makeFolder(path.folder)
      const file = await open(pathOf(path), 'w', 0o660)
      try {
        await writeFile(file, pieces)
        await file.sync()
      } finally {
        await file.close()
      }
      await flush(folderOf(path.folder))
    },
    async rename(from, to) {
      await makeFolder(to.folder)
      if (!(await isThere(pathOf(from)))) throw new FileIsMissing(from.name)
      // We choose numbered names, so nobody creates such a file between the check and the rename.
      if (await isThere(pathOf(to))) throw new FileIsThere(to.name)
      await rename(pathOf(from), pathOf(to))
      await flush(folderOf(to.folder))
      if (from.folder !== to.folder) await flush(folderOf(from.folder))
    },
    async remove(path) {
      await rm(pathOf(path), { force: true })
    },
    async close() {},
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await unlessMissing(() => stat(path))) !== undefined
}

async function unlessMissing<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
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
