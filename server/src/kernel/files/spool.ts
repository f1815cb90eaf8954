import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireLock, type Lock } from '../../storage/engine/lock.ts'

/** A folder of this process for files on their way to the store. */
export interface Spool {
  readonly folder: string
  /** Removes the folder and its contents. */
  close(): Promise<void>
}

const LOCK = '.lock'

/**
 * Creates a folder `spool/<name>` in the data directory, and removes folders of dead processes. A lock next
 * to each folder shows whether its process lives.
 */
export async function openSpool(dataDir: string, name: string): Promise<Spool> {
  const spools = join(dataDir, 'spool')
  await mkdir(spools, { recursive: true, mode: 0o700 })
  await removeDead(spools)
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

async function removeDead(spools: string): Promise<void> {
  const locks = (await readdir(spools)).filter((name) => name.endsWith(LOCK))
  for (const name of locks) {
    const path = join(spools, name)
    const lock = lockOfDead(path)
    if (!lock) continue
    await rm(path.slice(0, -LOCK.length), { recursive: true, force: true })
    lock.release()
  }
}

/** The lock of a folder whose process is dead; undefined if it lives, or another starter is removing it. */
function lockOfDead(path: string): Lock | undefined {
  try {
    return acquireLock(path, () => {})
  } catch {
    return undefined
  }
}
