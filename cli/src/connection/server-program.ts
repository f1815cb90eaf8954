import { type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { IS_CLONE, ROOT } from '../terminal/clone.ts'
import { Failure } from '../terminal/failure.ts'
import { io, type ServerProgramResult } from '../terminal/io.ts'

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const NO_SERVER = IS_CLONE
  ? 'The server has not been built yet. Run: npm run build'
  : 'This command needs the server, which is not part of this package. Run it in a clone of the repository.'

const ENTRY = join(ROOT, 'server', 'dist', 'main.js')

/** True if a built server is available. That requires a clone of the repository. */
export function hasServerProgram(): boolean {
  return existsSync(ENTRY)
}

/**
 * Runs the server in this process, configured from the environment. Returns the exit code if the server could
 * not start; otherwise the process exits with the server.
 */
export async function runServerInProcess(): Promise<number> {
  if (!hasServerProgram()) throw new Failure(NO_SERVER)
  process.setSourceMapsEnabled(true)
  process.argv.splice(2)
  await import(pathToFileURL(ENTRY).href)
  return Number(process.exitCode ?? 0)
}

/**
 * Runs the server program until it exits, with this process's environment, and forwards signals. Returns the
 * exit code (128 plus the signal number if a signal ended it) and the output selected by `captures`.
 */
export async function runServerProgram(
  args: readonly string[],
  { captures }: { captures: 'nothing' | 'output' | 'all' },
): Promise<ServerProgramResult> {
  const { serverProgram } = io()
  if (serverProgram) return serverProgram(args)
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
    child.once('error', (error) => reject(new Failure(`Could not start the server: ${error.message}.`)))
    child.once('close', (code, signal) => {
      for (const name of FORWARDED_SIGNALS) process.off(name, forward)
      resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0), output, errors })
    })
  })
}
