import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { ROOT, run, ScriptError, say } from '../run.mjs'
import { plantNextRelease } from './next-release.mjs'

const MANIFEST = 'package.json'
const BASELINE = 'server/src/storage/schema/baseline/baseline.ts'

/** A release in the repository's history. @typedef {{ version: string, commit: string }} Release */

/**
 * The previous release: the newest commit with a different version. Undefined if its databases have a
 * different baseline, or if the history ends before it, as in a clone of only the newest commit.
 * @returns {Release | undefined}
 */
export function findLastRelease() {
  const currentVersion = readVersion(read(MANIFEST))
  // A commit that raises the version, and its parent.
  const raisingCommits = git('log', '--format=%H %P', '-G"version":', '--', MANIFEST).trim().split('\n')
  for (const commit of ['HEAD', ...raisingCommits.flatMap((line) => line.split(' ').slice(0, 2))]) {
    const manifest = tryGit('show', `${commit}:${MANIFEST}`)
    if (manifest === undefined || readVersion(manifest) === currentVersion) continue
    const isCompatible =
      readBaseline(tryGit('show', `${commit}:${BASELINE}`) ?? '') === readBaseline(read(BASELINE))
    return isCompatible ? { version: readVersion(manifest), commit } : undefined
  }
  return undefined
}

/**
 * Builds a release's server in a folder, with the packages installed here.
 * @param {Release} release
 * @param {string} folder
 * @returns {Promise<string>} the program
 */
export async function buildRelease({ version, commit }, folder) {
  say(`Building ${version} (${git('rev-parse', '--short', commit).trim()}) …`)
  const archive = path.join(folder, 'sources.tar')
  git('archive', '--output', archive, commit)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  return build(folder)
}

/**
 * Builds the server of a next release in a folder: this tree with a higher version and planted schema
 * changes.
 * @param {string} folder
 * @returns {Promise<string>} the program
 */
export async function buildNextRelease(folder) {
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  for (const file of new Set(files))
    if (file !== '' && fs.existsSync(path.join(ROOT, file)))
      fs.cpSync(path.join(ROOT, file), path.join(folder, file), { verbatimSymlinks: true })
  say(`Building ${plantNextRelease(folder)}, a next release with planted changes …`)
  return build(folder)
}

/** @param {string} folder */
async function build(folder) {
  linkPackages(folder, '')
  for (const workspace of fs.readdirSync(folder))
    if (fs.existsSync(path.join(ROOT, workspace, 'node_modules'))) linkPackages(folder, workspace)
  const script = JSON.stringify(path.join(folder, 'scripts/build.mjs'))
  const text = `const { buildStale } = await import(${script}); await buildStale(['server'])`
  const code = await run(process.execPath, ['--input-type=module', '-e', text], { cwd: folder })
  if (code !== 0) throw new ScriptError('The other release cannot be built.')
  return path.join(folder, 'server/dist/main.js')
}

/**
 * Installed packages come from this tree, but the workspaces come from the release's folder.
 * @param {string} folder @param {string} workspace
 */
function linkPackages(folder, workspace) {
  const from = path.join(ROOT, workspace, 'node_modules')
  const to = path.join(folder, workspace, 'node_modules')
  fs.mkdirSync(to)
  for (const name of fs.readdirSync(from)) {
    if (name === '.cache') continue
    if (name !== '@countersign') fs.symlinkSync(path.join(from, name), path.join(to, name))
    else fs.cpSync(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true })
  }
}

/** @param {string} source */
function readBaseline(source) {
  return /BASELINE_NAME = '(.+)'/.exec(source)?.[1]
}

/** @param {string} file */
function read(file) {
  return fs.readFileSync(path.join(ROOT, file), 'utf8')
}

/** @param {string} manifest */
function readVersion(manifest) {
  return String(JSON.parse(manifest).version)
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** @param {string[]} args */
function tryGit(...args) {
  try {
    return git(...args)
  } catch {
    return undefined
  }
}
