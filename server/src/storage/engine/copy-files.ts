import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { getErrorCode } from '../../base/formats/thrown-errors.ts'

/** The folder of the write-ahead log. It is copied last, so that it covers every copied page. */
const WAL_FOLDER = 'pg_wal'
/**
 * The file that says where recovery starts reading the log. It is copied first, so that it cannot refer to a
 * later checkpoint.
 */
const CONTROL_FILE = join('global', 'pg_control')
/** Files about the process that has the database open. */
const PROCESS_FILES: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts'])

/**
 * Copies the files of a running database into a new folder. Opening the copy recovers it as if the server had
 * crashed when copying ended. No checkpoint may run during the copy.
 */
export async function copyDatabaseFiles(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'global'), { recursive: true, mode: 0o700 })
  await copyDurably(join(from, CONTROL_FILE), join(to, CONTROL_FILE))
  await copyFolder(
    from,
    to,
    (path) => path === CONTROL_FILE || path === WAL_FOLDER || PROCESS_FILES.has(path),
  )
  await copyFolder(join(from, WAL_FOLDER), join(to, WAL_FOLDER), () => false)
}

/** Copies a folder recursively and flushes it to disk. Files that disappear while copying are skipped. */
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
    if (getErrorCode(error) === 'ENOENT') return
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
