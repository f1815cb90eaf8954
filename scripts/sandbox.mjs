import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ScriptError } from './run.mjs'

// Helpers for scripts that start a sandbox.

const START_TIMEOUT_MS = 60_000

/**
 * True if a process is still running: it has neither exited nor been ended by a signal.
 * @param {import('node:child_process').ChildProcess} child
 */
export function isAlive({ exitCode, signalCode }) {
  return exitCode === null && signalCode === null
}

/** @param {number} port @param {string} credentials */
export async function isReady(port, credentials) {
  try {
    return existsSync(credentials) && (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}

/**
 * Waits until `check` resolves to true.
 * @param {() => Promise<boolean>} check
 * @param {import('node:child_process').ChildProcess} child waiting fails if this process exits
 * @param {string} message the error message after a failure
 */
export async function until(check, child, message) {
  const end = performance.now() + START_TIMEOUT_MS
  while (!(await check())) {
    if (!isAlive(child) || performance.now() > end) throw new ScriptError(message)
    await sleep(100)
  }
}

/**
 * Waits until `check` resolves to true. A rejection counts as false.
 * @param {() => Promise<boolean>} check
 * @param {string} message the error message after a timeout
 */
export async function waitFor(check, message) {
  const end = performance.now() + START_TIMEOUT_MS
  while (!(await check().catch(() => false))) {
    if (performance.now() > end) throw new ScriptError(message)
    await sleep(100)
  }
}
