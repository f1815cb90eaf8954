import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder `docs` of the repository, seen from the built program and from the sources. */
const FOLDER = ['../../docs', '../../../docs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'reference')))

const files = new Map<string, Promise<string>>()

/** The text of a file of `docs/`, read once. `name` must come from the program, not from a request. */
export function docsFile(name: string): Promise<string> {
  const known = files.get(name)
  if (known) return known
  const text = FOLDER
    ? readFile(join(FOLDER, name), 'utf8')
    : Promise.reject(new Error('The folder docs is missing beside the server'))
  files.set(name, text)
  text.catch(() => files.delete(name))
  return text
}

/** The names of all files of `docs/`, with forward slashes. */
export async function docsNames(): Promise<string[]> {
  if (!FOLDER) return []
  const names = await readdir(FOLDER, { recursive: true })
  return names.map((name) => name.replaceAll('\\', '/')).sort()
}
