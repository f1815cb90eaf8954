import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { ROOT, run, ScriptError, say } from '../run.mjs'

/** A release, as the history of the repository has it. @typedef {{ version: string, commit: string }} Release */

/**
 * The release before this tree: the newest commit of another version. Undefined where the history ends before that, as in a clone
 * of the newest commit alone.
 * @returns {Release | undefined}
 */
export function findLastRelease() {
  const own = versionOf(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  // A commit that raises the version, and the one before it.
  const raised = git('log', '--format=%H %P', '-G"version":', '--', 'package.json').trim().split('\n')
  for (const commit of ['HEAD', ...raised.flatMap((line) => line.split(' ').slice(0, 2))]) {
    const manifest = tryGit('show', `${commit}:package.json`)
    if (manifest === undefined) continue
    const version = versionOf(manifest)
    if (version !== own) return { version, commit }
  }
  return undefined
}

/**
 * Builds the server of a release in a folder, with the packages that are installed here.
 * @param {Release} release
 * @param {string} folder
 * @returns {Promise<string>} the program
 */
export async function buildRelease({ version, commit }, folder) {
  say(`Building ${version} (${git('rev-parse', '--short', commit).trim()}) …`)
  const archive = path.join(folder, 'sources.tar')
  git('archive', '--output', archive, commit)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  linkPackages(folder, '')
  for (const room of fs.readdirSync(folder))
    if (fs.existsSync(path.join(ROOT, room, 'node_modules'))) linkPackages(folder, room)
  const script = JSON.stringify(path.join(folder, 'scripts/build.mjs'))
  // Up to 0.2.0 there is only `ensureBuilt`, which builds everything.
  const build = `const { buildStale, ensureBuilt } = await import(${script}); await (buildStale ?? ensureBuilt)(['server'])`
  const code = await run(process.execPath, ['--input-type=module', '-e', build], { cwd: folder })
  if (code !== 0) throw new ScriptError(`Release ${version} cannot be built.`)
  return path.join(folder, 'server/dist/main.js')
}

/** Packages are those of this tree, but rooms of the repository are the folder's own. @param {string} folder @param {string} room */
function linkPackages(folder, room) {
  const from = path.join(ROOT, room, 'node_modules')
  const to = path.join(folder, room, 'node_modules')
  fs.mkdirSync(to)
  for (const name of fs.readdirSync(from)) {
    if (name === '.cache') continue
    if (name !== '@countersign') fs.symlinkSync(path.join(from, name), path.join(to, name))
    else fs.cpSync(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true })
  }
}

/** @param {string} manifest */
function versionOf(manifest) {
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
