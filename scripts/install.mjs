import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isMain, ROOT, run, runScript, ScriptError, say } from './run.mjs'

const NODE_MIN = [20, 19]
const STAMP = join(ROOT, 'node_modules', '.countersign-install')
/** npm's record of the content of node_modules, written after an installation. */
const NPM_LOCKFILE = join(ROOT, 'node_modules', '.package-lock.json')

/** Installs what package-lock.json specifies, unless node_modules already contains exactly that. */
export async function ensureInstalled() {
  refuseOldNode(process.versions.node)
  const lock = readFileSync(join(ROOT, 'package-lock.json'))
  // Some packages contain programs for one system, so a folder shared between two systems has to be installed
  // again.
  const expected = `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === expected) return
  if (!isInstalledByNpm(lock.toString())) {
    say(
      existsSync(NPM_LOCKFILE)
        ? 'Installing packages: package-lock.json has changed (npm ci) …'
        : 'Installing packages for the first time (npm ci) …',
    )
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--include=optional'])
  }
  writeFileSync(STAMP, expected)
}

/**
 * Throws ScriptError if Node is too old.
 * @param {string} version as in `process.versions.node`
 */
export function refuseOldNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = NODE_MIN
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return
  throw new ScriptError(`Countersign needs Node ${NODE_MIN.join('.')} or newer; this is Node ${version}.`)
}

/**
 * True if npm itself has already installed this lock file.
 * @param {string} lockText
 */
function isInstalledByNpm(lockText) {
  if (!existsSync(NPM_LOCKFILE)) return false
  const expected = readPackages(lockText)
  const installed = readPackages(readFileSync(NPM_LOCKFILE, 'utf8'))
  return Object.entries(expected).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true
    const found = installed[path]
    if (!found) return entry.optional === true && !isForThisSystem(entry)
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package
 * @param {string} lockText
 * @returns {Record<string, Package>}
 */
function readPackages(lockText) {
  return JSON.parse(lockText).packages ?? {}
}

/**
 * True if an optional package is meant for this system. Packages for a specific C library never count,
 * because detecting the system's C library is slow.
 * @param {Package} entry
 */
function isForThisSystem(entry) {
  if (!entry.os || !entry.cpu || entry.libc) return false
  return entry.os.includes(process.platform) && entry.cpu.includes(process.arch)
}

/** @param {string[]} args */
async function npm(args) {
  // npm's output goes to standard error, like our own.
  const code = await runNpm(args, { stdio: ['ignore', 2, 2] })
  if (code !== 0) throw new ScriptError(`npm ${args[0]} failed with code ${code}; see its output above.`)
}

/**
 * Runs npm, preferably the same one that started this script. Resolves with its exit code.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function runNpm(args, options) {
  const cli = process.env.npm_execpath
  return cli && basename(cli) === 'npm-cli.js'
    ? run(process.execPath, [cli, ...args], options)
    : run('npm', args, { ...options, shell: process.platform === 'win32' })
}

if (isMain(import.meta.url)) await runScript(ensureInstalled)
