import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNpm } from './install.mjs'
import { BUILDERS } from './package.mjs'
import { ROOT, ScriptError } from './run.mjs'

/**
 * @typedef {object} Packed a package as npm would publish it
 * @property {string} workspace
 * @property {string} tarball the path of the tarball
 * @property {number} size the size of the tarball, in bytes
 * @property {Record<string, any>} manifest the package.json
 * @property {Readonly<Record<string, string>>} files the contents of the files, by path
 */

/**
 * Builds and packs all published packages into `folder`, without a registry.
 * @param {string} folder an empty one
 * @returns {Promise<Packed[]>}
 */
export async function packAll(folder) {
  /** @type {Packed[]} */
  const packed = []
  for (const [workspace, build] of Object.entries(BUILDERS)) {
    // npm would build the package itself, unless it is configured to run no scripts.
    await build()
    const into = join(folder, workspace)
    mkdirSync(into)
    const args = ['pack', '--ignore-scripts', '--silent', '-w', workspace, '--pack-destination', into]
    const code = await runNpm(args, { cwd: ROOT, stdio: ['ignore', 'ignore', 2] })
    const [name] = readdirSync(into)
    if (code !== 0 || name === undefined) throw new ScriptError(`npm could not pack ${workspace}.`)
    const tarball = join(into, name)
    const files = readTarball(tarball)
    const manifest = JSON.parse(files['package.json'] ?? '{}')
    packed.push({ workspace, tarball, size: readFileSync(tarball).length, manifest, files })
  }
  return packed
}

/**
 * @param {string} tarball
 * @returns {Record<string, string>}
 */
function readTarball(tarball) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pack-'))
  try {
    execFileSync('tar', ['-xzf', tarball, '-C', folder])
    const root = join(folder, 'package')
    return Object.fromEntries(
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => {
          const path = join(entry.parentPath, entry.name)
          return /** @type {const} */ ([
            path.slice(root.length + 1).replaceAll('\\', '/'),
            readFileSync(path, 'utf8'),
          ])
        })
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
