import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const projectRoot = resolve(import.meta.dirname, '../../../..')
const vectorsDir = resolve(projectRoot, process.env.VECTORS_DIR ?? '../shared/vectors')

/**
 * True if the third-party vectors are not installed. Prints a notice, and tests that need them are skipped.
 */
export const vectorsAbsent = !existsSync(vectorsDir)
if (vectorsAbsent) console.warn(`no test vectors at ${vectorsDir} (VECTORS_DIR): their tests are skipped`)

export function readVectors<Shape>(path: string): Shape {
  return JSON.parse(readFileSync(resolve(vectorsDir, path), 'utf8')) as Shape
}

export interface WycheproofCase {
  tcId: number
  result: 'valid' | 'invalid' | 'acceptable'
}

export interface Wycheproof<Group, Case extends WycheproofCase> {
  testGroups: (Group & { tests: Case[] })[]
}

/** All cases of a Wycheproof file, each with its group. */
export function wycheproofCases<Group, Case extends WycheproofCase>(
  path: string,
): { group: Group; case: Case }[] {
  const file = readVectors<Wycheproof<Group, Case>>(path)
  return file.testGroups.flatMap((group) => group.tests.map((vector) => ({ group, case: vector })))
}

export function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

export function getVectorPath(name: string): string {
  return join(vectorsDir, name)
}

export function openVector(name: string): AsyncIterable<Uint8Array> {
  return createReadStream(getVectorPath(name), { highWaterMark: 1_000 })
}

/** The files in these folders whose names have this ending. */
export function vectorNames(folders: readonly string[], ending: string): readonly string[] {
  if (vectorsAbsent) return []
  return folders.flatMap((folder) =>
    readdirSync(join(vectorsDir, folder))
      .filter((name) => name.endsWith(ending))
      .map((name) => `${folder}/${name}`),
  )
}
