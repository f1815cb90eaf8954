import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runNode, runScript, ScriptError, say } from './run.mjs'

const VERSION = '4.32.5'

/**
 * Runs Schemathesis against a server for up to two minutes. Needs Python 3 with venv, and PyPI once. Prints a
 * message if Python is missing.
 */
await runScript(async () => {
  const python = ['python3', 'python'].find((name) => succeeds(name, ['-c', 'import venv, ensurepip']))
  if (!python) {
    say('Schemathesis was not run: there is no Python 3 with venv.')
    return 0
  }
  process.env.SCHEMATHESIS = install(python)
  return runNode('node_modules/vitest/vitest.mjs', ['run', '--project', 'schemathesis'])
})

/**
 * Installs Schemathesis if necessary. Returns the path of the program.
 * @param {string} python
 */
function install(python) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'countersign', `schemathesis-${VERSION}`)
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  const program = join(bin, 'schemathesis')
  if (existsSync(program)) return program
  say(`Installing Schemathesis ${VERSION} into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  runOrThrow(python, ['-m', 'venv', folder])
  runOrThrow(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${VERSION}`])
  return program
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function succeeds(program, args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function runOrThrow(program, args) {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new ScriptError(`${program} ${args.join(' ')} failed; see its output above.`)
}
