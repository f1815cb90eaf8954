import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runNpm } from './install.mjs'
import { ROOT, runNode, ScriptError, say } from './run.mjs'

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/**
 * Installs the tools of `e2e/<name>` if necessary. They are too large to come with every clone. Returns their
 * folder.
 * @param {'generated-clients' | 'packages'} name
 */
export async function ensureTools(name) {
  const from = join(ROOT, 'e2e', name, 'tools')
  const lock = readFileSync(join(from, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'countersign', `${name}-${hash}`)
  const stamp = join(folder, '.installed')
  if (existsSync(stamp)) return folder
  say(`Installing the tools of e2e/${name} into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(from, file), join(folder, file))
  // Not `npm ci`: a registry without the binaries of other systems produces a lock file that `ci` considers
  // incomplete.
  await npmInstall(folder)
  writeFileSync(stamp, '')
  return folder
}

/**
 * Installs the packages in a folder's package.json, and those in `more`.
 * @param {string} folder
 * @param {readonly string[]} more
 */
export async function npmInstall(folder, more = []) {
  const code = await runNpm(['install', ...QUIET, ...more], { cwd: folder, stdio: ['ignore', 2, 2] })
  if (code !== 0) throw new ScriptError(`npm install failed with code ${code}; see its output above.`)
}

/**
 * Runs a test project that needs tools. Returns the exit code.
 * @param {'clients' | 'packages'} project
 */
export async function runToolTests(project) {
  return runNode('node_modules/vitest/vitest.mjs', ['run', '--project', project, ...process.argv.slice(2)])
}
