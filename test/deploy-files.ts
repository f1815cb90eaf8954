import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)

/** Reads a file. `path` is relative to the repository. */
export function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

export function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
