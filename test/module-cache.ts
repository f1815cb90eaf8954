import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './projects.ts'

/** Some twenty times the sources of a run. */
const FILES_MAX = 20_000

/**
 * The folder in which vitest keeps compiled sources, by their contents and its settings: all projects and runs share them. It never
 * removes one, so a folder that has grown too large is removed.
 */
export function findModuleCache(): string {
  const folder = join(ROOT, 'node_modules/.cache/countersign/modules')
  if (existsSync(folder) && readdirSync(folder).length > FILES_MAX) rmSync(folder, { recursive: true })
  return folder
}
