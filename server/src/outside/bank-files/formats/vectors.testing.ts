import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const projectRoot = resolve(import.meta.dirname, '../../../../..')
const folder = resolve(projectRoot, process.env.VECTORS_DIR ?? '../shared/vectors')

/** True if the files of banks are missing. A warning says so, and the tests that need them are skipped. */
export const vectorsAbsent = !existsSync(join(folder, 'camt'))
if (vectorsAbsent) console.warn(`no test vectors at ${folder} (VECTORS_DIR): their tests are skipped`)

export function vectorPath(name: string): string {
  return join(folder, name)
}

export function openVector(name: string): AsyncIterable<Uint8Array> {
  return createReadStream(vectorPath(name), { highWaterMark: 1_000 })
}

/** The files in these folders whose names end so. */
export function vectorNames(folders: readonly string[], ending: string): readonly string[] {
  if (vectorsAbsent) return []
  return folders.flatMap((one) =>
    readdirSync(join(folder, one))
      .filter((name) => name.endsWith(ending))
      .map((name) => `${one}/${name}`),
  )
}
