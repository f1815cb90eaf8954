import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { ROOT, ScriptError } from './run.mjs'

/** @typedef {import('./build.mjs').Target} Target */

/**
 * Builds a package into its `dist` folder, and removes all other files from it.
 * @param {string} name
 * @param {Target} target
 * @param {readonly string[]} previousFiles the files of the previous build. Files that a running program may
 * still load by a dynamic import stay until the next build
 * @returns {Promise<string[]>} the files of this build, within `dist`
 */
export async function compile(name, target, previousFiles) {
  if (target.kind === 'pages') return buildPages(name)
  const esbuild = await import('esbuild')
  const outdir = join(ROOT, name, 'dist')
  /** @type {Map<string, Uint8Array>} */
  const outputs = new Map()
  for (const options of await buildOptions(name, target)) {
    const result = await esbuild.build({ ...options, write: false }).catch((error) => {
      // esbuild has already printed the errors.
      if (Array.isArray(error?.errors)) throw new ScriptError(`${name} has errors.`)
      throw error
    })
    for (const file of result.outputFiles) outputs.set(relative(outdir, file.path), file.contents)
  }
  for (const [file, contents] of outputs) writeAtomically(join(outdir, file), contents)
  removeOthers(outdir, [...outputs.keys(), ...(target.isSplit ? previousFiles : [])])
  return [...outputs.keys()]
}

/**
 * The esbuild options of a program or a library: first for the package itself, then for its worker.
 * @param {string} name
 * @param {Target} target
 * @returns {Promise<import('esbuild').BuildOptions[]>}
 */
export async function buildOptions(name, { kind, entries, outbase, isSplit, worker }) {
  /** @type {import('esbuild').BuildOptions} */
  const common = {
    ...(kind === 'library' ? { platform: 'neutral', target: ['es2022'], plugins: [filePerModule] } : PROGRAM),
    absWorkingDir: ROOT,
    outdir: join(ROOT, name, 'dist'),
    bundle: true,
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'warning',
  }
  const main = {
    ...common,
    entryPoints: kind === 'library' ? await findModules(name, entries) : [...entries],
    outbase: outbase ?? `${name}/src`,
    // All files are in one folder, so that a relative path means the same in each of them.
    ...(isSplit ? { splitting: true, chunkNames: '[name]-[hash]' } : {}),
    // Source contents are published with a library, but are too large to be read whenever a program starts.
    sourcesContent: kind === 'library',
  }
  if (!worker) return [main]
  const entryPoints = [{ in: worker, out: basename(worker, '.mjs') }]
  return [main, { ...common, entryPoints, outExtension: { '.js': '.mjs' } }]
}

/**
 * Removes the files that are not in `files`.
 * @param {string} outdir
 * @param {readonly string[]} files
 */
function removeOthers(outdir, files) {
  for (const entry of readdirSync(outdir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !files.includes(relative(outdir, path)) && !entry.name.endsWith('.part'))
      rmSync(path)
  }
}

/**
 * Builds pages into a new folder, then swaps it with the old one, which a server may be reading.
 * @param {string} name
 * @returns {Promise<string[]>}
 */
async function buildPages(name) {
  const vite = await import('vite')
  const outDir = join(ROOT, name, 'dist')
  const tempFolder = `${outDir}.${process.pid}.part`
  try {
    await vite.build({
      configFile: join(ROOT, name, 'vite.config.ts'),
      build: { outDir: tempFolder },
      logLevel: 'warn',
    })
  } catch (error) {
    rmSync(tempFolder, { recursive: true, force: true })
    throw new ScriptError(`${name} has errors: ${error instanceof Error ? error.message : error}`)
  }
  rmSync(outDir, { recursive: true, force: true })
  renameSync(tempFolder, outDir)
  return []
}

/**
 * Writes a file atomically, even if two builds run at the same time.
 * @param {string} path
 * @param {Uint8Array} contents
 */
function writeAtomically(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  const tempFile = `${path}.${process.pid}.part`
  writeFileSync(tempFile, contents)
  renameSync(tempFile, path)
}

/**
 * Packages left out of the bundle, because they need files next to them or are optional. All others are
 * bundled, because loading their thousand files one by one took half of the start time.
 */
export const OUTSIDE_PACKAGES = [
  '@electric-sql/',
  'autocannon',
  'pg-native',
  'openpgp',
  'pino',
  'ssh2-sftp-client',
]

/**
 * Builds a program for Node, including everything that it imports, as the file `file`.
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
    format: 'esm',
    ...PROGRAM,
    plugins: [...plugins, thirdParty],
    logLevel: 'warning',
  })
}

/** Lets CommonJS packages work in a bundle of ES modules. */
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`

/**
 * Leaves the packages that must stay outside out of a program.
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

/** The esbuild options for every program. @satisfies {import('esbuild').BuildOptions} */
const PROGRAM = {
  platform: /** @type {const} */ ('node'),
  target: ['node20'],
  plugins: [thirdParty],
  banner: { js: REQUIRE },
}

/**
 * Compiles each module of a library to its own file, so that bundlers can leave out unused modules. With one
 * large file, they keep everything that they cannot prove to be free of side effects.
 * @type {import('esbuild').Plugin}
 */
const filePerModule = {
  name: 'file-per-module',
  setup(build) {
    build.onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.startsWith('.') ? path.replace(/\.tsx?$/, '.js') : path, external: true },
    )
  },
}

/**
 * The modules that a library's entries reach. Throws ScriptError if one belongs to a package that is not
 * published.
 * @param {string} name
 * @param {readonly string[]} entries
 * @returns {Promise<string[]>}
 */
async function findModules(name, entries) {
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
  const foreign = modules.filter((file) => !file.startsWith(`${name}/src/`))
  if (foreign.length > 0) throw new ScriptError(`${name} would need ${foreign.join(', ')} at run time.`)
  return modules
}
