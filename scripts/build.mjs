import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureGenerated } from './generate.mjs'
import { ensureInstalled } from './install.mjs'
import { isMain, ROOT, runNode, runScript, ScriptError, say } from './run.mjs'

/**
 * A workspace that is built into its `dist` folder.
 * @typedef {object} Target
 * @property {'program' | 'library' | 'pages'} kind a program for Node; a library, whose modules are separate
 *   files in dist; or pages for browsers, which Vite builds by the package's vite.config.ts
 * @property {readonly string[]} entries the first files of its programs, or the modules that a library exports
 * @property {readonly string[]} sources the folders whose files may be part of the output
 * @property {string} [outbase] the folder that the names in dist are relative to; the package's src by default
 * @property {boolean} [isSplit] true if dynamic imports load separate files; otherwise a program is one file
 * @property {string} [worker] a file that runs next to the program, in its own thread
 */

/** Skips the sdk's declarations, which take many seconds and are read only by other programs. */
const CODE_ONLY = '--code-only'

const ENGINE = 'server/src/storage/engine/embedded-worker.mjs'

/** @satisfies {Readonly<Record<string, Target>>} */
export const TARGETS = {
  server: {
    kind: 'program',
    entries: ['main', 'webhook-thread'].map((name) => `server/src/edge/process/${name}.ts`),
    sources: ['contract/src', 'server/src'],
    outbase: 'server/src/edge/process',
    isSplit: true,
    worker: ENGINE,
  },
  sdk: {
    kind: 'library',
    entries: [
      ...[
        'index',
        'entries/wallet',
        'entries/webhooks',
        'entries/agent',
        'entries/react',
        'entries/testing',
      ].map((name) => `sdk/src/${name}.ts`),
      'sdk/src/react/styles.css',
    ],
    sources: ['contract/src', 'sdk/generate', 'sdk/src'],
  },
  cli: {
    kind: 'program',
    entries: ['cli/src/main.ts'],
    sources: ['contract/src', 'sdk/generate', 'sdk/src', 'cli/src'],
  },
  console: {
    kind: 'pages',
    entries: ['console/src/main.tsx'],
    sources: ['contract/src', 'sdk/generate', 'sdk/src', 'console/src'],
  },
  connectors: {
    kind: 'program',
    entries: ['example-bank', 'check', 'two-cells'].map((name) => `connectors/${name}/main.ts`),
    sources: ['contract/src', 'connectors/example-bank', 'connectors/check', 'connectors/two-cells'],
    outbase: 'connectors',
  },
  bench: {
    kind: 'program',
    entries: ['bench/src/main.ts', 'bench/src/receiver-thread.ts'],
    sources: ['contract/src', 'server/src', 'sdk/src', 'bench/src'],
    worker: ENGINE,
  },
  sim: {
    kind: 'program',
    entries: ['sim/src/main.ts'],
    // A single file, because loading another one would take real time, on which a simulated run must not
    // depend.
    sources: ['contract/src', 'server/src', 'connectors/example-bank', 'connectors/check', 'sim/src'],
    worker: ENGINE,
  },
}

/** @typedef {keyof typeof TARGETS} Package */

/** All packages, each after the packages that it needs. */
export const PACKAGES = /** @type {Package[]} */ (Object.keys(TARGETS))

/** Other files that affect the output. */
const SETTINGS = [
  'scripts/build.mjs',
  'scripts/compile.mjs',
  'tsconfig.json',
  'package-lock.json',
  'console/vite.config.ts',
  'console/index.html',
]

/**
 * Builds the packages that have changed since their last build, in a child process: compilers need several
 * times the memory of the programs they build, and a process that later runs such a program would not free
 * it.
 * @param {readonly Package[]} packages
 */
export async function ensureBuilt(packages) {
  const stale = packages.filter((name) => !isUpToDate(name))
  if (stale.length === 0) return
  const code = await runNode('scripts/build.mjs', [CODE_ONLY, ...stale])
  if (code !== 0) throw new ScriptError(`${stale.join(', ')} could not be built.`, code)
}

/**
 * Builds the packages that have changed since their last build.
 * @param {readonly Package[]} packages
 */
export async function buildStale(packages) {
  await ensureGenerated()
  for (const name of PACKAGES.filter((candidate) => packages.includes(candidate) && !isUpToDate(candidate))) {
    const startedMs = performance.now()
    say(`Building ${name} …`)
    const { compile } = await import('./compile.mjs')
    // Computed before the build, so that a file that changes during the build is built again.
    const state = hashSources(name)
    const previousFiles = forgetBuild(name)
    const files = await compile(name, TARGETS[name], previousFiles)
    writeStamp(name, { state, files })
    say(`Built ${name}/dist in ${Math.round(performance.now() - startedMs)} ms.`)
  }
}

/** @param {Package} name */
function isUpToDate(name) {
  return readStamp(name)?.state === hashSources(name)
}

/**
 * Makes the next `ensureBuilt` rebuild a package. Returns the files of the last build, which a running
 * program may still load; the next build keeps them, even if a build fails in between.
 * @param {Package} name
 */
export function forgetBuild(name) {
  const { files = [] } = readStamp(name) ?? {}
  if (existsSync(stampPath(name))) writeStamp(name, { state: '', files })
  return files
}

/** @param {Package} name */
function stampPath(name) {
  return join(ROOT, name, 'dist', '.build.json')
}

/**
 * The inputs and files of the last build. Undefined if there was no build, or if its stamp is incomplete.
 * @param {Package} name
 * @returns {{ state: string, files: string[] } | undefined}
 */
function readStamp(name) {
  try {
    return JSON.parse(readFileSync(stampPath(name), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * @param {Package} name
 * @param {{ state: string, files: string[] }} stamp
 */
function writeStamp(name, stamp) {
  const tempFile = `${stampPath(name)}.${process.pid}.part`
  writeFileSync(tempFile, JSON.stringify(stamp))
  renameSync(tempFile, stampPath(name))
}

/**
 * A hash that changes with a package's sources.
 * @param {Package} name
 */
function hashSources(name) {
  const files = [...SETTINGS, ...TARGETS[name].sources.flatMap(listSources)]
  const lines = files.map((file) => {
    const { mtimeMs, size } = statSync(join(ROOT, file))
    return `${file} ${mtimeMs} ${size}\n`
  })
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/**
 * Lists a folder's source files, relative to the repository, without tests and test helpers.
 * @param {string} folder
 * @returns {string[]}
 */
function listSources(folder) {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return listSources(path)
      return /\.(?:test|testing)\.tsx?$/.test(entry.name) ? [] : [path]
    })
    .sort()
}

/**
 * The modules that the sdk exports, one file each. `in` is relative to the repository; `out` is the name in
 * `dist` and in `exports`.
 * @returns {{ in: string, out: string }[]}
 */
export function sdkEntries() {
  return TARGETS.sdk.entries
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ in: file, out: file.replace(/^sdk\/src\/|\.tsx?$/g, '') }))
}

if (isMain(import.meta.url))
  await runScript(async () => {
    const requested = process.argv.slice(2).filter((word) => word !== CODE_ONLY)
    const packages = requested.length === 0 ? PACKAGES : PACKAGES.filter((name) => requested.includes(name))
    if (packages.length < requested.length)
      throw new ScriptError(`Usage: npm run build [-- ${PACKAGES.join(' | ')} …]`)
    await ensureInstalled()
    await buildStale(packages)
    say(`Up to date: ${packages.map((name) => `${name}/dist`).join(', ')}.`)
    if (process.argv.includes(CODE_ONLY) || !packages.includes('sdk')) return undefined
    // Runs in a separate process, because its modules import this one, which is still running.
    return runNode('scripts/package.mjs', ['sdk'])
  })
