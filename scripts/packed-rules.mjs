import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { stringsIn } from './package.mjs'
import { ROOT } from './run.mjs'

/** @typedef {import('./pack.mjs').Packed} Packed */

/** The files that each package may contain. */
const FILES = /** @type {Readonly<Record<string, RegExp>>} */ ({
  sdk: /^(?:package\.json|README\.md|LICENSE|dist\/(?:[\w-]+\/)*[\w-]+\.(?:(?:js|css)(?:\.map)?|d\.ts))$/,
  cli: /^(?:package\.json|README\.md|LICENSE|bin\/countersign\.mjs|dist\/(?:main\.js|THIRD-PARTY\.txt))$/,
})
const REQUIRED_FILES = ['package.json', 'README.md', 'LICENSE']

/** The maximum size of each tarball, in bytes. */
const SIZE_MAX = /** @type {Readonly<Record<string, number>>} */ ({ sdk: 400_000, cli: 700_000 })

/** Secrets that no package may contain. */
const FORBIDDEN = /** @type {readonly { label: string, pattern: RegExp }[]} */ ([
  { label: 'a private key', pattern: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\\rn\s]*[A-Za-z0-9+/]{40}/ },
  { label: 'a secret of webhooks', pattern: /whsec_[A-Za-z0-9+/=]{32}/ },
  { label: 'a token of npm', pattern: /npm_[A-Za-z0-9]{36}|_authToken/ },
  { label: 'a credentials file', pattern: /"clientSecret"\s*:\s*"[\w-]{20}/ },
])

/**
 * Lists the problems of a packed package, one sentence each.
 * @param {Packed} packed
 * @returns {string[]}
 */
export function findFaults(packed) {
  const faults = new Set([...manifestFaults(packed), ...fileFaults(packed), ...textFaults(packed)])
  return [...faults].map((fault) => `${packed.manifest.name}: ${fault}`)
}

/** @param {Packed} packed */
function* manifestFaults({ workspace, manifest }) {
  const root = readJson('package.json')
  if (manifest.private) yield 'it is private, so npm would not publish it'
  for (const property of ['version', 'license'])
    if (manifest[property] !== root[property]) yield `its ${property} differs from the repository's`
  if (manifest.engines?.node !== root.engines.node) yield 'it needs another Node than the repository'
  for (const property of ['description', 'keywords', 'type'])
    if (!manifest[property]) yield `it has no ${property}`
  // A style sheet is imported only for its side effects; a module never is.
  if (workspace === 'sdk' && !['false', '["**/*.css"]'].includes(JSON.stringify(manifest.sideEffects)))
    yield 'it does not say that its modules have no side effects'
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const name of dependencies)
    if (name.startsWith('@countersign/') || name === 'typebox') yield `it depends on ${name}`
  if (workspace === 'cli' && dependencies.length > 0)
    yield `it is one file, and yet depends on ${dependencies.join(', ')}`
}

/** @param {Packed} packed */
function* fileFaults({ workspace, manifest, files, size }) {
  for (const path of Object.keys(files)) if (!FILES[workspace]?.test(path)) yield `it contains ${path}`
  const targets = [manifest.exports, manifest.bin, manifest.types].flatMap(stringsIn)
  for (const target of [...REQUIRED_FILES, ...targets.map((path) => path.replace(/^\.\//, ''))])
    if (!(target in files)) yield `it lacks ${target}`
  if (files.LICENSE !== readFileSync(join(ROOT, 'LICENSE'), 'utf8')) yield 'its LICENSE is another'
  if (size > (SIZE_MAX[workspace] ?? 0))
    yield `its tarball has ${size} bytes, more than ${SIZE_MAX[workspace]}`
}

/** @param {Packed} packed */
function* textFaults({ workspace, manifest, files }) {
  for (const [path, text] of Object.entries(files)) {
    for (const { label, pattern } of FORBIDDEN) if (pattern.test(text)) yield `${path} contains ${label}`
    for (const folder of [ROOT, homedir()])
      if (folder.length > 5 && text.includes(folder)) yield `${path} names a folder of this machine`
    if (workspace === 'sdk' && /\.(?:js|ts)$/.test(path)) yield* importFaults(path, text, manifest)
  }
}

/**
 * @param {string} path
 * @param {string} text
 * @param {Packed['manifest']} manifest
 */
function* importFaults(path, text, manifest) {
  for (const name of ['@countersign/contract', 'typebox'])
    if (text.includes(name)) yield `${path} names ${name}`
  const known = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const [, name = ''] of text.matchAll(
    /^(?:import|export|\} from)\b[^'"\n]*['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/gm,
  ))
    if (!known.includes(name)) yield `${path} imports ${name}, which is not one of its dependencies`
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}
