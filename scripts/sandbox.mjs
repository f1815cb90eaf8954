import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ScriptError } from './run.mjs'

// Helpers for scripts that start a sandbox.

const START_MS = 60_000

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
 * @param {() => Promise<boolean>} isThere
 * @param {import('node:child_process').ChildProcess} child ends early if it fails
 * @param {string} otherwise
 */
export async function until(isThere, child, otherwise) {
  const end = performance.now() + START_MS
  while (!(await isThere())) {
    if (!isAlive(child) || performance.now() > end) throw new ScriptError(otherwise)
    await sleep(100)
  }
}

/**
 * Waits until `isThere` resolves to true. A rejection counts as not yet.
 * @param {() => Promise<boolean>} isThere
 * @param {string} otherwise
 */
export async function waitFor(isThere, otherwise) {
  const end = performance.now() + START_MS
  while (!(await isThere().catch(() => false))) {
    if (performance.now() > end) throw new ScriptError(otherwise)
    await sleep(100)
  }
}
