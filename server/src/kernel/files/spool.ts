import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireLock, type Lock } from '../../storage/engine/lock.ts'

/** A folder where this process keeps files until they are in the file store. */
export interface Spool {
  readonly folder: string
  /** Removes the folder and its contents. */
  close(): Promise<void>
}

const LOCK = '.lock'

/**
 * Creates the folder `spool/<name>` in the data directory, and removes the folders of dead processes. A lock
 * file next to each folder shows whether its process is alive.
 */
export async function openSpool(dataDir: string, name: string): Promise<Spool> {
  const spools = join(dataDir, 'spool')
  await mkdir(spools, { recursive: true, mode: 0o700 })
  await removeDeadFolders(spools)
  const folder = join(spools, name)
  const lock = acquireLock(folder + LOCK, () => {})
  await mkdir(folder, { mode: 0o700 })
  return {
    folder,
    async close() {
      await rm(folder, { recursive: true, force: true })
      lock.release()
    },
  }
}

async function removeDeadFolders(spools: string): Promise<void> {
  const locks = (await readdir(spools)).filter((name) => name.endsWith(LOCK))
  for (const name of locks) {
    const path = join(spools, name)
    const lock = acquireDeadLock(path)
    if (!lock) continue
    await rm(path.slice(0, -LOCK.length), { recursive: true, force: true })
    lock.release()
  }
}

/**
 * Takes over the lock of a dead process. Undefined if the process is alive, or if another process is already
 * removing its folder.
 */
function acquireDeadLock(path: string): Lock | undefined {
  try {
    return acquireLock(path, () => {})
  } catch {
    return undefined
  }
}
