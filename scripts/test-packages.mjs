import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runNpm } from './install.mjs'
import { withPackages } from './packages.mjs'
import { ROOT, runNode, runScript, ScriptError, say } from './run.mjs'

const LOCK = join(ROOT, 'e2e', 'packages', 'tools', 'package-lock.json')
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** Runs the tests of the packages: packed, and installed by npm into an empty folder. Needs npm's registry. */
await runScript(() =>
  withPackages(async (packages, folder) => {
    const tools = await ensureTools()
    const installed = join(folder, 'installed')
    mkdirSync(installed)
    writeFileSync(join(installed, 'package.json'), '{ "private": true }\n')
    say('Installing the packages into an empty folder …')
    await npm(['install', ...QUIET, ...packages.map(({ tarball }) => tarball)], installed)
    process.env.PACKAGES_FOLDER = installed
    process.env.PACKAGE_TOOLS = tools
    const args = ['run', '--config', 'vitest.packages.config.ts', ...process.argv.slice(2)]
    return runNode('node_modules/vitest/vitest.mjs', args)
  }),
)

/**
 * Installs the bundlers and runtimes that the packages are tried with, unless they are there. They are too heavy to come
 * with every clone, and a bundler treats what is below a `node_modules` otherwise than an app. Returns their folder.
 */
async function ensureTools() {
  const lock = readFileSync(LOCK)
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'countersign', `package-tools-${hash}`)
  const stamp = join(folder, '.installed')
  if (existsSync(stamp)) return folder
  say(`Installing bundlers and runtimes into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(ROOT, 'e2e', 'packages', 'tools', file), join(folder, file))
  // Not `npm ci`: a registry without the binaries of other systems makes a lock that `ci` takes for incomplete.
  await npm(['install', ...QUIET], folder)
  writeFileSync(stamp, '')
  return folder
}

/**
 * @param {string[]} args
 * @param {string} cwd
 */
async function npm(args, cwd) {
  const code = await runNpm(args, { cwd, stdio: ['ignore', 2, 2] })
  if (code !== 0) throw new ScriptError(`npm ${args[0]} failed with code ${code}; see its output above.`)
}
