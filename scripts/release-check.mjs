import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackages, withPackages } from './packages.mjs'
import { ROOT, runScript, ScriptError, say } from './run.mjs'

/** @typedef {import('./pack.mjs').Packed} Packed */

const USAGE =
  'Usage: npm run release:check [-- --final]   (--final: the changelog has the date, all is committed)'

/**
 * Does everything that a release does, except publishing. Nothing leaves this machine, and no registry is
 * needed.
 */
await runScript(() => {
  const [flag, ...rest] = process.argv.slice(2)
  if (rest.length > 0 || (flag !== undefined && flag !== '--final')) throw new ScriptError(USAGE)
  const isFinal = flag === '--final'
  return withPackages(async (packages) => {
    for (const packed of packages) print(packed)
    const { version, faults } = versionFaults()
    faults.push(...changelogFaults(version, isFinal))
    if (isFinal) faults.push(...gitFaults(version), ...imageFaults())
    for (const fault of faults) say(fault)
    const isValid = checkPackages(packages)
    if (!isValid || faults.length > 0) throw new ScriptError('Not ready to be released.')
    say(`Version ${version} ${isFinal ? 'can be published' : 'could become a release'}.`)
    return 0
  })
})

/** @param {Packed} packed */
function print({ manifest, files, size }) {
  process.stdout.write(`${manifest.name} ${manifest.version}, ${kilobytes(size)} packed\n`)
  for (const [path, text] of Object.entries(files))
    process.stdout.write(`  ${kilobytes(Buffer.byteLength(text)).padStart(9)}  ${path}\n`)
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}

/** All workspaces have the same version, because the published packages were tested together. */
function versionFaults() {
  const { version, workspaces } = readJson('package.json')
  /** @type {string[]} */
  const faults = []
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) faults.push(`package.json: ${version} is not a version`)
  for (const workspace of workspaces) {
    const workspaceVersion = readJson(`${workspace}/package.json`).version
    if (workspaceVersion !== version)
      faults.push(`${workspace}/package.json: version ${workspaceVersion}, the repository has ${version}`)
  }
  const locked = readJson('package-lock.json').packages
  for (const workspace of ['', ...workspaces])
    if (locked[workspace]?.version !== version)
      faults.push(
        `package-lock.json has another version of ${workspace || 'the repository'}; run npm install`,
      )
  return { version: String(version), faults }
}

/**
 * @param {string} version
 * @param {boolean} isFinal
 */
function* changelogFaults(version, isFinal) {
  const [, ...sections] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const ownSection = sections.find((section) => section.startsWith(`[${version}]`))
  const next = sections.find((section) => section.startsWith('[Unreleased]'))
  const chosen = ownSection ?? (isFinal ? undefined : next)
  if (chosen === undefined) yield `CHANGELOG.md has no section [${version}]`
  else if (!/^[-*] /m.test(chosen)) yield `CHANGELOG.md says nothing about ${version}`
  if (ownSection && !/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(ownSection))
    yield `CHANGELOG.md: the heading of ${version} must be like "## [${version}] - 2026-01-31"`
}

/** @param {string} version */
function* gitFaults(version) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  if (git('status', '--porcelain') !== '') yield 'There are uncommitted changes.'
  if (git('tag', '--list', `v${version}`) !== '') yield `The tag v${version} already exists.`
}

/** The base images need a digest, so that building a released version again gives the same image. */
function* imageFaults() {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
  for (const [, name = '', image = ''] of dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm))
    if (!/@sha256:[0-9a-f]{64}$/.test(image))
      yield `deploy/Dockerfile: ${name} has no digest: docker buildx imagetools inspect ${image}`
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}
