import { type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Failure } from './failure.ts'

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The repository's folder, in a clone: the program that this is part of is cli/dist/main.js. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

const NO_SERVER = existsSync(join(ROOT, 'scripts', 'build.mjs'))
  ? 'The server is not built yet. Build it with: npm run build'
  : 'This command runs the server, which is not part of the package. Call it in a clone of the repository.'

const ENTRY = join(ROOT, 'server', 'dist', 'main.js')

/** Whether the server's program is beside this one. */
export function hasServerProgram(): boolean {
  return existsSync(ENTRY)
}

/**
 * Serves in this process, so that whoever ends it ends the server: settings come from the environment. Returns the exit code where it
 * could not start; otherwise the process ends with the server.
 */
export async function serveHere(): Promise<number> {
  if (!hasServerProgram()) throw new Failure(NO_SERVER)
  process.setSourceMapsEnabled(true)
  process.argv.splice(2)
  await import(pathToFileURL(ENTRY).href)
  return Number(process.exitCode ?? 0)
}

/**
 * Runs the server's program to its end, with this process's environment and signals. Returns its exit code (128 and the
 * signal's number where a signal ended it) and what it wrote to standard output and standard error, as far as `captures` says.
 */
export async function runServerProgram(
  args: readonly string[],
  { captures }: { captures: 'nothing' | 'output' | 'all' },
): Promise<{ exitCode: number; output: string; errors: string }> {
  if (!hasServerProgram()) throw new Failure(NO_SERVER)
  const stdio: SpawnOptions['stdio'] = [
    'inherit',
    captures === 'nothing' ? 'inherit' : 'pipe',
    captures === 'all' ? 'pipe' : 'inherit',
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--enable-source-maps', ENTRY, ...args], { stdio })
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward)
    let output = ''
    let errors = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.once('error', (error) => reject(new Failure(`The server could not be started: ${error.message}`)))
    child.once('close', (code, signal) => {
      for (const name of FORWARDED_SIGNALS) process.off(name, forward)
      resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0), output, errors })
    })
  })
}
