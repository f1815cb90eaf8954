import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const GRACE_MS = 10_000
const POLL_MS = 100

/**
 * After a grace period, kills processes that have a test folder in their environment, in their arguments, or
 * as their working directory. Finds processes only on Linux.
 * @param {string} folder
 * @returns {Promise<{ pid: number, command: string }[]>} the killed processes
 */
export async function killLeftovers(folder) {
  const deadline = Date.now() + GRACE_MS
  let remaining = findProcesses(folder)
  while (remaining.length > 0 && Date.now() < deadline) {
    await wait(POLL_MS)
    remaining = findProcesses(folder)
  }
  for (const { pid } of remaining) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has exited in the meantime.
    }
  }
  return remaining
}

/** @param {string} folder */
function findProcesses(folder) {
  return listPids()
    .filter((pid) => pid !== process.pid && mentions(pid, folder))
    .map((pid) => ({ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
}

function listPids() {
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
    // The process has exited, or belongs to another user.
    return ''
  }
}
