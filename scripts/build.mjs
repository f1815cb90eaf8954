import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { ensureGenerated } from './generate.mjs'
import { ensureInstalled } from './install.mjs'
import { isMain, ROOT, runScript, ScriptError, say } from './run.mjs'

/** Where a room has its sources, if not in its src. */
const SOURCES = /** @type {Readonly<Record<string, readonly string[]>>} */ ({
  connectors: ['connectors/example-bank', 'connectors/check'],
})

/**
 * The build targets; each is built into `<room>/dist`.
 * - entries: the first files of its programs, or of a library, each module of which is a file of its own in dist.
 * - rooms: their sources may be part of the bundle.
 * - workers: files that run beside the program, in their own thread.
 * - isPages: pages for browsers, which Vite builds by the room's own vite.config.ts.
 * @type {readonly { room: string, isLibrary?: boolean, isPages?: boolean, entries: readonly string[], rooms: readonly string[], workers: readonly string[] }[]}
 */
const TARGETS = [
  {
    room: 'server',
    entries: ['server/src/main.ts'],
    rooms: ['contract', 'server'],
    workers: ['server/src/db/engine/embedded-worker.mjs'],
  },
  {
    room: 'sdk',
    isLibrary: true,
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
    rooms: ['contract', 'sdk'],
    workers: [],
  },
  { room: 'cli', entries: ['cli/src/main.ts'], rooms: ['contract', 'sdk', 'cli'], workers: [] },
  {
    room: 'console',
    isPages: true,
    entries: ['console/src/main.tsx'],
    rooms: ['contract', 'sdk', 'console'],
    workers: [],
  },
  {
    room: 'connectors',
    entries: ['connectors/example-bank/main.ts', 'connectors/check/main.ts'],
    rooms: ['contract', 'connectors'],
    workers: [],
  },
  {
    room: 'bench',
    entries: ['bench/src/main.ts'],
    rooms: ['contract', 'server', 'sdk', 'bench'],
    workers: ['server/src/db/engine/embedded-worker.mjs'],
  },
  {
    room: 'sim',
    entries: ['sim/src/main.ts'],
    rooms: ['contract', 'server', 'connectors', 'sim'],
    workers: ['server/src/db/engine/embedded-worker.mjs'],
  },
]

/** Other files that affect the output. */
const SETTINGS = [
  'scripts/build.mjs',
  'tsconfig.json',
  'package-lock.json',
  'console/vite.config.ts',
  'console/index.html',
]
const STAMP = '.sources'

/** Builds targets that have changed since their last build. Skips targets without sources. */
export async function ensureBuilt() {
  await ensureGenerated()
  /** @type {Map<string, string[]>} */
  const sources = new Map()
  for (const room of new Set(TARGETS.flatMap((target) => target.rooms)))
    sources.set(room, foldersOf(room).flatMap(filesBelow))
  const settings = describe(SETTINGS)
  for (const target of TARGETS) {
    const own = sources.get(target.room) ?? []
    const entries = own.filter((file) => target.entries.includes(file))
    if (entries.length === 0) continue
    const state = describe(target.rooms.flatMap((room) => sources.get(room) ?? []))
    const wanted = createHash('sha256').update(settings).update(state).digest('hex')
    const stamp = join(ROOT, target.room, 'dist', STAMP)
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue
    const begun = performance.now()
    say(`Building ${target.room} …`)
    const workers = target.workers.filter((file) => existsSync(join(ROOT, file)))
    rmSync(stamp, { force: true })
    await (target.isPages ? buildPages(target) : build(target, entries, workers))
    writeFileSync(stamp, wanted)
    say(`Built ${target.room}/dist in ${Math.round(performance.now() - begun)} ms.`)
  }
}

/**
 * The source files of a folder, from the repository's folder, without tests and their helpers.
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return filesBelow(path)
      return /\.(?:test|testing)\.tsx?$/.test(entry.name) ? [] : [path]
    })
    .sort()
}

/**
 * The modules that the sdk offers, a file each: `in` from the repository's folder, `out` its name in `dist` and in `exports`.
 * @returns {{ in: string, out: string }[]}
 */
export function sdkEntries() {
  const { entries = [] } = TARGETS.find(({ room }) => room === 'sdk') ?? {}
  return entries
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ in: file, out: file.replace(/^sdk\/src\/|\.tsx?$/g, '') }))
}

/** @param {string} room */
function foldersOf(room) {
  return SOURCES[room] ?? [`${room}/src`]
}

/**
 * A text that changes with the files.
 * @param {readonly string[]} files
 */
function describe(files) {
  return files
    .map((file) => {
      const { mtimeMs, size } = statSync(join(ROOT, file))
      return `${file} ${mtimeMs} ${size}\n`
    })
    .join('')
}

/**
 * @param {(typeof TARGETS)[number]} target
 * @param {readonly string[]} entries
 * @param {readonly string[]} workers
 */
async function build(target, entries, workers) {
  const esbuild = await import('esbuild')
  const outdir = join(ROOT, target.room, 'dist')
  const { isLibrary = false } = target
  /** @type {import('esbuild').BuildOptions & { write: false }} */
  const common = {
    absWorkingDir: ROOT,
    outdir,
    bundle: true,
    write: false,
    platform: isLibrary ? 'neutral' : 'node',
    format: 'esm',
    target: isLibrary ? ['es2022'] : ['node20'],
    sourcemap: 'linked',
    plugins: [isLibrary ? besideEachOther : thirdParty],
    ...(isLibrary ? {} : { banner: { js: REQUIRE } }),
    logLevel: 'warning',
  }
  /** @type {import('esbuild').BuildOptions[]} */
  const builds = [
    {
      entryPoints: isLibrary ? await modulesOf(target.room, entries) : [...entries],
      outbase: target.room in SOURCES ? target.room : `${target.room}/src`,
    },
  ]
  for (const worker of workers)
    builds.push({
      entryPoints: [{ in: worker, out: basename(worker, '.mjs') }],
      outExtension: { '.js': '.mjs' },
    })
  /** @type {Map<string, Uint8Array>} */
  const outputs = new Map()
  for (const options of builds) {
    const result = await esbuild.build({ ...common, ...options, write: false }).catch((error) => {
      // esbuild has already printed the error.
      if (Array.isArray(error?.errors)) throw new ScriptError(`${target.room} could not be built.`)
      throw error
    })
    for (const file of result.outputFiles) outputs.set(file.path, file.contents)
  }
  for (const [path, contents] of outputs) writeWhole(path, contents)
  for (const name of readdirSync(outdir, { recursive: true, withFileTypes: true })) {
    const path = join(name.parentPath, name.name)
    if (name.isFile() && !outputs.has(path) && !name.name.endsWith('.part')) rmSync(path)
  }
}

/**
 * Builds pages into a folder of their own, and puts it in the place of the former one: a server may be reading that.
 * @param {(typeof TARGETS)[number]} target
 */
async function buildPages({ room }) {
  const vite = await import('vite')
  const outDir = join(ROOT, room, 'dist')
  const part = `${outDir}.${process.pid}.part`
  try {
    await vite.build({
      configFile: join(ROOT, room, 'vite.config.ts'),
      build: { outDir: part },
      logLevel: 'warn',
    })
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw new ScriptError(`${room} could not be built: ${error instanceof Error ? error.message : error}`)
  }
  rmSync(outDir, { recursive: true, force: true })
  renameSync(part, outDir)
}

/**
 * Writes a file atomically, even when two builds run at once.
 * @param {string} path
 * @param {Uint8Array} contents
 */
function writeWhole(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}.part`
  writeFileSync(part, contents)
  renameSync(part, path)
}

/**
 * Packages outside the bundle: they need files beside them, or are optional. A program bundles all others: loading
 * their thousand files one by one took half of the start time.
 */
export const OUTSIDE_PACKAGES = ['@electric-sql/', '@scalar/', 'pg-native', 'pino', 'ssh2-sftp-client']

/**
 * Builds one program that runs on Node, with all that it imports, as `file`.
 * @param {string} entry
 * @param {string} file
 * @param {readonly import('esbuild').Plugin[]} plugins
 */
export async function buildProgram(entry, file, plugins) {
  const esbuild = await import('esbuild')
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: ['node20'],
    plugins: [...plugins, thirdParty],
    banner: { js: REQUIRE },
    logLevel: 'warning',
  })
}

/** For CommonJS packages in a bundle of ES modules. */
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`

/**
 * Keeps packages out of a program that must stay outside.
 * @type {import('esbuild').Plugin}
 */
const thirdParty = {
  name: 'third-party',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
      kind !== 'entry-point' &&
      OUTSIDE_PACKAGES.some((name) => path === name || (name.endsWith('/') && path.startsWith(name)))
        ? { path, external: true }
        : undefined,
    )
  },
}

/**
 * Compiles each module of a library to a file of its own. A bundler can then leave out whole modules that a page does not
 * use; out of one large file it takes along whatever it does not understand.
 * @type {import('esbuild').Plugin}
 */
const besideEachOther = {
  name: 'beside-each-other',
  setup(build) {
    build.onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.startsWith('.') ? path.replace(/\.tsx?$/, '.js') : path, external: true },
    )
  },
}

/**
 * The modules of a library that its entries reach. Throws ScriptError where one is of another room, which is not
 * published.
 * @param {string} room
 * @param {readonly string[]} entries
 * @returns {Promise<string[]>}
 */
async function modulesOf(room, entries) {
  const esbuild = await import('esbuild')
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [...entries],
    outdir: 'unwritten',
    bundle: true,
    packages: 'external',
    write: false,
    format: 'esm',
    metafile: true,
    logLevel: 'silent',
  })
  const modules = Object.keys(metafile.inputs)
  const foreign = modules.filter((file) => !file.startsWith(`${room}/src/`))
  if (foreign.length > 0) throw new ScriptError(`${room} would need ${foreign.join(', ')} at run time.`)
  return modules
}

if (isMain(import.meta.url))
  await runScript(async () => {
    await ensureInstalled()
    await ensureBuilt()
    const built = TARGETS.map(({ room }) => `${room}/dist`).filter((folder) =>
      existsSync(join(ROOT, folder, STAMP)),
    )
    say(
      built.length > 0
        ? `Up to date: ${built.map((folder) => relative('.', folder)).join(', ')}.`
        : 'Nothing to build yet.',
    )
  })
