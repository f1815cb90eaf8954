import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** True if the command runs. Otherwise a warning says that the tests which need it are skipped. */
export function hasProgram(what: string, command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    console.warn(`${what} is not installed: its tests are skipped`)
    return false
  }
}

export function hasPython(module: string): boolean {
  return hasProgram(`${module} for Python`, 'python3', '-c', `import ${module}`)
}

/** The output of a program that reads a file with this content; the path of the file is its last argument. */
export function readBy(command: string, args: readonly string[], name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-books-'))
  try {
    const path = join(folder, name)
    writeFileSync(path, content)
    return execFileSync(command, [...args, path], { encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The output of a script in Python that reads a file. */
export function readByPython(script: string, name: string, content: string): string {
  return readBy('python3', ['-c', script], name, content)
}
