import { realpathSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'

/**
 * The command for this program, for hints that can be copied: `countersign` if it is installed for the
 * system, `npx countersign` if it belongs to a folder's packages, and otherwise `node` and the file.
 * `isAbsolute`: works from any folder.
 */
export function programWords(options: { readonly isAbsolute?: boolean } = {}): string {
  const path = process.argv[1]
  if (path === undefined) return 'countersign'
  const folders = path.split(sep)
  const isCommand = basename(path) === 'countersign'
  if (isCommand && !folders.includes('node_modules')) return 'countersign'
  if (isCommand && (!options.isAbsolute || folders.includes('_npx'))) return 'npx countersign'
  const full = isCommand ? realpathSync(path) : resolve(path)
  const near = relative('.', full)
  return `node ${options.isAbsolute || near.startsWith('..') ? full : near}`
}
