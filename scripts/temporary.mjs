import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An in-memory file system on Linux. */
const MEMORY = '/dev/shm'
/** Several times the memory that all tests need at the same time. Docker's default of 64 MB is too small. */
const FREE_BYTES_MIN = 4 * 2 ** 30
/** Folders whose processes are not visible from here (other containers) are kept for at least this long. */
const STALE_MS_MIN = 3_600_000

/**
 * Creates a folder for test files: in TMPDIR if it is set, otherwise in memory if there is plenty of it,
 * otherwise in `fallback`. Tests create hundreds of databases with a thousand files each, which takes ten
 * times longer on a disk.
 * @param {string} prefix of the folder's name. Folders of killed runs with this prefix are removed from
 * memory
 * @param {string} [fallback]
 * @returns {string}
 */
export function makeTestsFolder(prefix, fallback = tmpdir()) {
  const inMemory = process.env.TMPDIR === undefined && hasMemory()
  if (inMemory) removeStale(prefix)
  const folder = mkdtempSync(join(inMemory ? MEMORY : fallback, `${prefix}${process.pid}-`))
  // Programs of other users have files inside the folder.
  chmodSync(folder, 0o711)
  return folder
}

function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= FREE_BYTES_MIN
  } catch {
    return false
  }
}

/** @param {string} prefix */
function removeStale(prefix) {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue
    const folder = join(MEMORY, name)
    const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
    if (changedMs === undefined || Date.now() - changedMs < STALE_MS_MIN) continue
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
