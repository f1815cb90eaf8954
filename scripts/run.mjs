import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder. Every script runs there, whatever its caller's working directory. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Prints a script's next step to standard error. Standard output belongs to the program that the script runs.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** A failure that its message explains. It is shown as a single line, without a stack trace. */
export class ScriptError extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode the code that the process ends with
   */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Runs a script. A ScriptError ends the process with its message and its exit code.
 * @param {() => Promise<number | undefined>} work resolves to the exit code, or to undefined to leave it
 * unchanged
 */
export async function runScript(work) {
  try {
    const code = await work()
    if (code !== undefined) process.exitCode = code
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    say(error.message)
    process.exitCode = error.exitCode
  }
}

/**
 * True if `node` was started with this module.
 * @param {string} moduleUrl its import.meta.url
 */
export function isMain(moduleUrl) {
  const entry = process.argv[1]
  return (
    entry !== undefined &&
    relative(entry.replace(/\.mjs$/, ''), fileURLToPath(moduleUrl).replace(/\.mjs$/, '')) === ''
  )
}

const FORWARDED_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * Runs a program in the repository's folder to its end, with this process's streams. Forwards termination
 * signals, so that neither process outlives the other.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} its exit code, or 128 and the signal's number
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', ...options })
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => child.kill(signal)
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward)
    const done = () => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, forward)
    }
    child.once('error', (error) => {
      done()
      reject(new ScriptError(`Cannot run ${command}: ${error.message}`))
    })
    child.once('close', (code, signal) => {
      done()
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}

/**
 * Runs one of our programs, or an installed one, with the same Node.
 * @param {string} file from the repository's folder
 * @param {readonly string[]} args
 */
export function runNode(file, args) {
  return run(process.execPath, [join(ROOT, file), ...args])
}
