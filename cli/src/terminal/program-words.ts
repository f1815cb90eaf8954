import { basename, relative, resolve } from 'node:path'

/**
 * The call of this program, for hints that can be copied: `node cli/dist/main.js`, or `countersign` where it is
 * installed.
 */
export function programWords(options: { readonly isAbsolute?: boolean } = {}): string {
  const path = process.argv[1]
  if (path === undefined || basename(path) === 'countersign') return 'countersign'
  const full = resolve(path)
  const near = relative('.', full)
  return `node ${options.isAbsolute || near.startsWith('..') ? full : near}`
}
