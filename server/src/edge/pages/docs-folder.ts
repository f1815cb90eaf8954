import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder `docs`, relative to the built program and to the sources. */
const FOLDER = ['../../docs', '../../../../docs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'reference')))

/** Reads a file of `docs/`. `name` must come from the program, never from a request. */
export async function readDocsFile(name: string): Promise<string> {
  if (!FOLDER) throw new Error('the docs folder is missing next to the server')
  return readFile(join(FOLDER, name), 'utf8')
}

/** The names of all files of `docs/`, with forward slashes. */
export async function listDocsNames(): Promise<string[]> {
  if (!FOLDER) return []
  const names = await readdir(FOLDER, { recursive: true })
  return names.map((name) => name.replaceAll('\\', '/')).sort()
}
