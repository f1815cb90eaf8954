import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Waits until `check` returns a truthy value. If `check` fails, it is called again.
 * @template T
 * @param {string} description
 * @param {() => Promise<T | undefined | false>} check
 * @param {{ timeoutMs?: number, everyMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function until(description, check, { timeoutMs = 90_000, everyMs = 100 } = {}) {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    const found = await check().catch(() => undefined)
    if (found) return found
    if (performance.now() > endMs)
      throw new Error(`After ${timeoutMs / 1000} seconds, still waiting for: ${description}`)
    await pause(everyMs)
  }
}

/** @typedef {{ file: string, args: readonly string[], cwd: string, logs: string, user?: { uid?: number, gid?: number }, env?: Record<string, string> }} ProgramOptions */

/** A program of the cluster, which can be stopped and restarted. Its output is written to a file. */
export class Program {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child
  /** @type {Promise<void>} */
  #ended = Promise.resolve()

  /** @param {string} name @param {ProgramOptions} options */
  constructor(name, options) {
    this.name = name
    this.options = options
    this.log = path.join(options.logs, `${name}.log`)
  }

  get pid() {
    return this.#child?.pid
  }

  get isRunning() {
    return this.#child !== undefined
  }

  start() {
    const { file, args, cwd, user, env } = this.options
    const log = fs.openSync(this.log, 'a')
    // In a separate process group: Ctrl-C then reaches only the command that starts the cluster, which stops
    // it cleanly.
    const child = spawn(file, args, {
      cwd,
      detached: true,
      stdio: ['ignore', log, log],
      ...user,
      env: { PATH: process.env.PATH ?? '', HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
    })
    fs.closeSync(log)
    this.#child = child
    this.#ended = new Promise((resolve) => {
      const done = () => {
        if (this.#child === child) this.#child = undefined
        resolve()
      }
      child.on('error', done)
      child.on('close', done)
    })
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child?.kill(signal)
  }

  /** @param {NodeJS.Signals} signal */
  async end(signal) {
    this.signal(signal)
    await this.#ended
  }
}
