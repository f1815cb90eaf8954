import { realpathSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'

/**
 * Returns how to call this program, for hints that can be copied: `countersign` if it is installed globally,
 * `npx countersign` if it is a dependency of a folder's package, and otherwise `node` with the file. With
 * `isAbsolute`, the command works in any folder.
 */
export function formatProgramCall(options: { readonly isAbsolute?: boolean } = {}): string {
  const path = process.argv[1]
  if (path === undefined) return 'countersign'
  const folders = path.split(sep)
  const isCommand = basename(path) === 'countersign'
  if (isCommand && !folders.includes('node_modules')) return 'countersign'
  if (isCommand && (!options.isAbsolute || folders.includes('_npx'))) return 'npx countersign'
  const full = isCommand ? realpathSync(path) : resolve(path)
  const relativePath = relative('.', full)
  return `node ${options.isAbsolute || relativePath.startsWith('..') ? full : relativePath}`
}
