import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { temporaryFolder } from '../temporary-folder.testing.ts'

/** A program of this folder, bundled like the server: one file, with the worker's file next to it. */
export async function bundle(name: string): Promise<{ file: string; remove: () => void }> {
  const folder = temporaryFolder()
  const file = join(folder, 'program.mjs')
  symlinkSync(
    fileURLToPath(new URL('../../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  )
  copyFileSync(
    fileURLToPath(new URL('../../../src/storage/engine/embedded-worker.mjs', import.meta.url)),
    join(folder, 'embedded-worker.mjs'),
  )
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '@countersign/contract': fileURLToPath(new URL('../../../../contract/src', import.meta.url)) },
    logLevel: 'silent',
  })
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A running program, line by line. */
export class Program {
  readonly process: ChildProcess
  readonly lines: string[] = []
  readonly #ended: Promise<number | null>
  #onLine: (() => void) | undefined

  constructor(parameters: readonly string[], env: Record<string, string> = {}) {
    // It lives for seconds, too short to optimize the database's code.
    const flags = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']
    this.process = spawn(process.execPath, [...flags, ...parameters], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    const output = createInterface({ input: this.process.stdout as NodeJS.ReadableStream })
    output.on('line', (line) => {
      this.lines.push(line)
      this.#onLine?.()
    })
    this.#ended = new Promise((resolve) => this.process.on('close', (code) => resolve(code)))
  }

  /** Resolves once the lines so far satisfy the condition; rejects if the program ends before. */
  until(condition: (lines: readonly string[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onLine = () => {
        if (condition(this.lines)) resolve()
      }
      this.#onLine()
      this.#ended.then((code) => reject(new Error(`ended with ${code} after: ${this.lines.join('\n')}`)))
    })
  }

  say(line: string): void {
    this.process.stdin?.write(`${line}\n`)
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#ended
  }

  /** The exit code, with all lines read. */
  ended(): Promise<number | null> {
    this.process.stdin?.end()
    return this.#ended
  }
}
