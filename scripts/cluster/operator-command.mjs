import { execFile } from 'node:child_process'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../run.mjs'

const exec = promisify(execFile)
export const MAIN = path.join(ROOT, 'server/dist/main.js')

/**
 * The folder and the settings of a server, and its program if it is not this build's.
 * @typedef {{ cwd?: string, env?: Record<string, string>, main?: string }} Place
 */

/**
 * Runs a command of the operator with the settings of a server, and returns its result. Rejects with the
 * `stderr` of a command that was refused.
 * @param {Place} server @param {readonly string[]} args
 */
export async function runCommand({ cwd, env, main = MAIN }, ...args) {
  const { stdout } = await exec(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout)
}
