import { execFile } from 'node:child_process'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../run.mjs'

const exec = promisify(execFile)
export const MAIN = path.join(ROOT, 'server/dist/main.js')

/**
 * A server's folder and settings, and its program if it is not from this build.
 * @typedef {{ cwd?: string, env?: Record<string, string>, main?: string }} Place
 */

/**
 * Runs an operator command with a server's settings and returns its result. Rejects with the command's
 * `stderr` if it fails.
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
