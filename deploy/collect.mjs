import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { OUTSIDE_PACKAGES } from '../scripts/compile.mjs'
import { ensureInstalled } from '../scripts/install.mjs'
import { isMain, ROOT, runScript, ScriptError, say } from '../scripts/run.mjs'

/** Files that the server reads in addition to the packages, and the operator's command, from the repository's folder. */
const FILES = [
  'LICENSE',
  'server/package.json',
  'server/dist',
  'console/dist',
  'docs',
  'cli/package.json',
  'cli/bin',
  'cli/dist',
]

/**
 * Copies what the built server needs at run time, and nothing else, into an empty folder.
 * @param {string} folder
 */
export function collectServer(folder) {
  for (const file of FILES) {
    if (!existsSync(join(ROOT, file))) throw new ScriptError(`${file} is missing: npm run build`)
    cpSync(join(ROOT, file), join(folder, file), { recursive: true, filter: isNeeded })
  }
  for (const from of packagesOutside()) {
    const to = join(folder, relative(ROOT, from))
    mkdirSync(dirname(to), { recursive: true })
    // Packages in a nested node_modules are listed separately.
    cpSync(from, to, {
      recursive: true,
      filter: (path) => path === from || (basename(path) !== 'node_modules' && isNeeded(path)),
    })
  }
}

/**
 * Leaves out source maps, which Node reads only when it is told to, and the note of the build.
 * @param {string} path
 */
function isNeeded(path) {
  return !path.endsWith('.map') && basename(path) !== '.build.json'
}

/**
 * The folders of the packages that are outside of the server's bundle, and of all that these need.
 * @returns {ReadonlySet<string>}
 */
function packagesOutside() {
  /** @type {Set<string>} */
  const found = new Set()
  const { dependencies } = manifestOf(join(ROOT, 'server'))
  const first = Object.keys(dependencies).filter((name) =>
    OUTSIDE_PACKAGES.some((one) => name === one || (one.endsWith('/') && name.startsWith(one))),
  )
  /** @type {{ name: string, from: string, isOptional: boolean }[]} */
  const asked = first.map((name) => ({ name, from: join(ROOT, 'server'), isOptional: false }))
  for (let next = asked.pop(); next; next = asked.pop()) {
    const { name, from, isOptional } = next
    const folder = packageFolder(name, from)
    if (!folder && !isOptional) throw new ScriptError(`${name} is not installed: npm ci`)
    if (!folder || found.has(folder)) continue
    found.add(folder)
    const needs = manifestOf(folder)
    for (const [key, optional] of /** @type {const} */ ([
      ['dependencies', false],
      ['optionalDependencies', true],
    ]))
      for (const needed of Object.keys(needs[key]))
        asked.push({ name: needed, from: folder, isOptional: optional })
  }
  return found
}

/**
 * Finds the folder of a package like Node: in the nearest node_modules above.
 * @param {string} name
 * @param {string} from
 * @returns {string | undefined}
 */
function packageFolder(name, from) {
  for (let folder = from; folder.startsWith(ROOT); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return found
  }
  return undefined
}

/**
 * @param {string} folder
 * @returns {{ dependencies: Record<string, string>, optionalDependencies: Record<string, string> }}
 */
function manifestOf(folder) {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const needed = Object.entries(dependencies).filter(([name]) => !(name in optionalDependencies))
  return { dependencies: Object.fromEntries(needed), optionalDependencies }
}

if (isMain(import.meta.url))
  await runScript(async () => {
    const [folder] = process.argv.slice(2)
    if (folder === undefined || existsSync(folder))
      throw new ScriptError('Use: node deploy/collect.mjs FOLDER, which must not exist.')
    await ensureInstalled()
    collectServer(resolve(folder))
    say(`The server is in ${folder}.`)
  })
