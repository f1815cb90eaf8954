import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/** Several times what all tests hold at once. Docker's default, 64 MB, is too small. */
const FREE_BYTES_MIN = 4 * 2 ** 30
/** What belongs to a process that cannot be seen from here is left alone for so long. */
const LEFT_MS_MIN = 3_600_000

/**
 * A new folder for the files of tests: in memory, where there is plenty of it, else in `otherwise`. Tests make hundreds of
 * databases of a thousand files each, and a disk takes ten times the processor's time for that, and more for what they
 * sync. No test ends the machine, so none sees the difference. A TMPDIR that is set is taken as it is.
 * @param {string} prefix of its name. What killed runs have left in memory under it is removed
 * @param {string} [otherwise]
 * @returns {string}
 */
export function makeTestsFolder(prefix, otherwise = tmpdir()) {
  const inMemory = process.env.TMPDIR === undefined && hasMemory()
  if (inMemory) removeLeft(prefix)
  const folder = mkdtempSync(join(inMemory ? MEMORY : otherwise, `${prefix}${process.pid}-`))
  // Programs of other users have files below it.
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
function removeLeft(prefix) {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue
    const folder = join(MEMORY, name)
    const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
    if (changedMs === undefined || Date.now() - changedMs < LEFT_MS_MIN) continue
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
