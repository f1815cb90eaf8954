import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled } from './install.mjs'
import { packAll } from './pack.mjs'
import { findFaults } from './packed-rules.mjs'
import { isMain, ROOT, runScript, say } from './run.mjs'

/** @typedef {import('./pack.mjs').Packed} Packed */

/**
 * Packs the published packages, passes them to `work`, and removes them afterwards.
 * @template T
 * @param {(packed: Packed[], folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withPackages(work) {
  await ensureInstalled()
  const folder = mkdtempSync(join(tmpdir(), 'countersign-packages-'))
  try {
    return await work(await packAll(folder), folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Checks the packages with our rules, publint and attw, and prints the problems. Needs no network.
 * @param {readonly Packed[]} packages
 * @returns {boolean} true if there are no problems
 */
export function checkPackages(packages) {
  const faults = packages.flatMap((packed) => [...findFaults(packed), ...publint(packed), ...attw(packed)])
  for (const fault of faults) say(fault)
  return faults.length === 0
}

/** @param {Packed} packed */
function publint({ tarball }) {
  return runCheck('node_modules/publint/src/cli.js', [tarball, '--strict'])
}

/**
 * Checks that programs find the types. A package without types is not checked. Modules are only ESM: Node
 * 20.19 and newer can also `require` them.
 * @param {Packed} packed
 */
function attw({ tarball, manifest }) {
  if (manifest.types === undefined) return []
  const settings = [
    '--profile=esm-only',
    '--no-definitely-typed',
    '--format=ascii',
    '--no-emoji',
    '--no-color',
    // A style sheet has no types.
    ...Object.keys(manifest.exports ?? {}).flatMap((entry) =>
      entry.endsWith('.css') ? ['--exclude-entrypoints', entry] : [],
    ),
  ]
  return runCheck('node_modules/@arethetypeswrong/cli/dist/index.js', [tarball, ...settings])
}

/**
 * Runs an installed program. Returns its output if it fails.
 * @param {string} file
 * @param {readonly string[]} args
 */
function runCheck(file, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, file), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return status === 0 ? [] : [`${stdout}${stderr}`.trim()]
}

if (isMain(import.meta.url))
  await runScript(() => withPackages(async (packages) => (checkPackages(packages) ? 0 : 1)))
