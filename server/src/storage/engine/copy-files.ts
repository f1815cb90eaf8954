import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../base/formats/thrown-errors.ts'

/** The write-ahead log, which is copied last, so that it covers every copied page. */
const LOG = 'pg_wal'
/** Says where recovery starts to read the log. It is copied first, so that it names no later checkpoint. */
const CONTROL = join('global', 'pg_control')
/** Files that name the process that has the database open. */
const OF_PROCESS: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts'])

/**
 * Copies the files of a running database into a new folder. Opening the copy is like starting after a crash
 * at the end of the copying. The database must not make a checkpoint in the meantime.
 */
export async function copyDatabaseFiles(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'global'), { recursive: true, mode: 0o700 })
  await copyDurably(join(from, CONTROL), join(to, CONTROL))
  await copyFolder(from, to, (path) => path === CONTROL || path === LOG || OF_PROCESS.has(path))
  await copyFolder(join(from, LOG), join(to, LOG), () => false)
}

/**
 * Copies a folder and everything in it, and flushes it to the disk. Files that disappear meanwhile are left
 * out.
 */
export async function copyFolder(
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean,
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1)
    const [top = path] = path.split('/')
    if (isLeftOut(path) || isLeftOut(top)) continue
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 })
    else if (entry.isFile()) await copyDurably(join(from, path), join(to, path))
  }
  await syncFolders(to)
}

async function copyDurably(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  await sync(to)
}

async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await sync(join(entry.parentPath, entry.name))
  await sync(folder)
}

export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync()
  await handle.close()
}
