import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureDeclarations } from './declarations.mjs'
import { ensureInstalled } from './install.mjs'
import { isMain, ROOT, runScript, ScriptError } from './run.mjs'

/** The published packages, each with the function that builds its files. */
export const BUILDERS = /** @type {Readonly<Record<string, () => Promise<void>>>} */ ({
  sdk: ensureDeclarations,
  cli: async () => {
    await ensureBuilt(['cli'])
    writeFileSync(join(ROOT, 'cli', 'dist', 'THIRD-PARTY.txt'), collectLicenses())
  },
})

/**
 * The licenses of the packages that are bundled into the cli. Throws ScriptError for a package without a
 * license.
 */
function collectLicenses() {
  const dist = join(ROOT, 'cli', 'dist')
  // A bundle contains each file's name in front of its content.
  const bundle = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(dist, name), 'utf8'))
    .join('\n')
  const names = [...bundle.matchAll(/^ *(?:\/\/ |")node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
    ([, name]) => name ?? '',
  )
  const licenses = [...new Set(names)].sort().map((name) => {
    const folder = join(ROOT, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined && license === undefined) throw new ScriptError(`${name} has no licence.`)
    const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
    return `${name} ${version} (${license})${text}\n`
  })
  const intro = 'The command contains these packages, each under its own licence.\n'
  return [intro, ...licenses].join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Throws ScriptError if a file that a package exports is missing. npm would silently publish the package
 * without the file.
 * @param {string} folder the package
 */
export function requireExports(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const missing = [manifest.types, manifest.exports, manifest.bin]
    .flatMap(stringsIn)
    .filter((path) => !existsSync(join(folder, path)))
  if (missing.length > 0)
    throw new ScriptError(`${manifest.name} cannot be packed without ${[...new Set(missing)].join(', ')}.`)
}

/**
 * Lists every string in a value from package.json.
 * @param {unknown} value
 * @returns {string[]}
 */
export function stringsIn(value) {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : []
}

if (isMain(import.meta.url))
  await runScript(async () => {
    const build = BUILDERS[process.argv[2] ?? '']
    if (build === undefined)
      throw new ScriptError(`Usage: node scripts/package.mjs ${Object.keys(BUILDERS).join(' | ')}`)
    await ensureInstalled()
    await build()
    requireExports(join(ROOT, process.argv[2] ?? ''))
  })
