import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNpm } from './install.mjs'
import { MAKE } from './package.mjs'
import { ROOT, ScriptError } from './run.mjs'

/**
 * @typedef {object} Packed a package as npm would publish it
 * @property {string} room
 * @property {string} tarball its file
 * @property {number} size of that, in bytes
 * @property {Record<string, any>} manifest its package.json
 * @property {Readonly<Record<string, string>>} files what it contains, by path
 */

/**
 * Builds and packs all published packages into `folder`, without a registry.
 * @param {string} folder an empty one
 * @returns {Promise<Packed[]>}
 */
export async function packAll(folder) {
  /** @type {Packed[]} */
  const packed = []
  for (const [room, make] of Object.entries(MAKE)) {
    // npm would do this itself, unless it is configured to run no scripts.
    await make()
    const into = join(folder, room)
    mkdirSync(into)
    const args = ['pack', '--ignore-scripts', '--silent', '-w', room, '--pack-destination', into]
    const code = await runNpm(args, { cwd: ROOT, stdio: ['ignore', 'ignore', 2] })
    const [name] = readdirSync(into)
    if (code !== 0 || name === undefined) throw new ScriptError(`npm could not pack ${room}.`)
    const tarball = join(into, name)
    const files = readTarball(tarball)
    const manifest = JSON.parse(files['package.json'] ?? '{}')
    packed.push({ room, tarball, size: readFileSync(tarball).length, manifest, files })
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
