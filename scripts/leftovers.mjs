import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const ENDS_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 100

/**
 * After a grace period, kills processes that have a test folder in their environment, in their arguments, or
 * as their working directory. Finds processes only on Linux.
 * @param {string} folder
 * @returns {Promise<{ pid: number, command: string }[]>} the killed processes
 */
export async function endProcessesOf(folder) {
  const deadline = Date.now() + ENDS_WITHIN_MS
  let remaining = processesOf(folder)
  while (remaining.length > 0 && Date.now() < deadline) {
    await wait(LOOK_EVERY_MS)
    remaining = processesOf(folder)
  }
  for (const { pid } of remaining) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has exited in the meantime.
    }
  }
  return remaining
}

/** @param {string} folder */
function processesOf(folder) {
  return pids()
    .filter((pid) => pid !== process.pid && mentions(pid, folder))
    .map((pid) => ({ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
}

function pids() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/**
 * @param {number} pid
 * @param {string} folder
 */
function mentions(pid, folder) {
  return ['environ', 'cmdline', 'cwd'].some((name) => read(pid, name).includes(folder))
}

/**
 * @param {number} pid
 * @param {string} name
 */
function read(pid, name) {
  try {
    const path = `/proc/${pid}/${name}`
    return name === 'cwd' ? readlinkSync(path) : readFileSync(path, 'latin1')
  } catch {
    // It has exited, or belongs to another user.
    return ''
  }
}
