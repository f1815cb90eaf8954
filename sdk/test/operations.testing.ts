import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** npx takes longer to find a program than most of ours take to run. */
const NPX = 'npx() { local program=$1; shift; "node_modules/.bin/$program" "$@"; }'

/** A command of a page, and what the page shows of its output; undefined in a block without outputs. */
export interface Command {
  readonly text: string
  readonly shown: string | undefined
}

/** What a command came to. */
export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * The commands of a block, in order: of `console` what follows `$ `, with the lines that it prints; of others each line, as far as a
 * here-document or a backslash at its end takes it.
 */
export function commandsIn(language: string, code: string): Command[] {
  const lines = code.trimEnd().split('\n')
  if (language === 'console') {
    const starts = lines.flatMap((line, at) => (line.startsWith('$ ') ? [at] : []))
    return starts.map((start, n) => ({
      text: lines[start]!.slice(2),
      shown: lines.slice(start + 1, starts[n + 1]).join('\n'),
    }))
  }
  const commands: string[] = []
  let end: string | undefined
  let isOpen = false
  for (const line of lines) {
    if (isOpen) commands.push(`${commands.pop()}\n${line}`)
    else if (line.trim() !== '') commands.push(line)
    end = end === undefined ? /<<'?(\w+)'?/.exec(line)?.[1] : line === end ? undefined : end
    isOpen = end !== undefined || line.endsWith('\\')
  }
  return commands.map((text) => ({ text, shown: undefined }))
}

/** What a page shows as a pattern: numbers are others each time, `…` is anything, and a line of it any number of lines. */
export function patternOf(shown: string): RegExp {
  const lines = shown.split('\n').map((line) =>
    line === '…'
      ? '(?:.*\\n)*'
      : `${line
          .replace(/[.*+?^$()|[\]{}\\]/g, '\\$&')
          .replace(/\d+/g, '\\d+')
          .replaceAll('…', '.+')}\\n`,
  )
  return new RegExp(`^${lines.join('')}$`)
}

/** One shell in a folder that is the repository's to it, for what builds on each other: variables, folders, processes. */
export class Shell {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  #stdout = ''
  #stderr = ''
  #look = (): void => {}
  #count = 0

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    // Its own group, so that whatever it has started ends with it.
    this.#child = spawn('bash', ['-u'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
      this.#look()
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
      this.#look()
    })
    this.#child.stdin.write(`${NPX}\n`)
    process.on('exit', this.#kill)
  }

  /** Its whole group, also where the run of the tests was ended. */
  readonly #kill = (): void => {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch {
      // It has ended, and all that it had started.
    }
  }

  /** `env` is all that it has beside PATH and HOME; the folder is `repository` in `work`. */
  static async open(work: string, env: Readonly<Record<string, string>>): Promise<Shell> {
    const { PATH = '', HOME = '' } = process.env
    return new Shell(await linkedRepository(work), { PATH, HOME, ...env })
  }

  /** Runs a command to its end. */
  async run(text: string): Promise<Outcome> {
    const mark = `--- ${++this.#count} ended with`
    const ended = new Promise<Outcome>((resolve, reject) => {
      const closed = () => reject(new Error(`the shell has ended: ${this.#stderr}`))
      this.#child.once('close', closed)
      this.#look = () => {
        const [stdout, code] = this.#stdout.split(mark)
        const [stderr, isWhole] = this.#stderr.split(mark)
        if (!code?.endsWith('\n') || isWhole === undefined) return
        this.#child.off('close', closed)
        this.#stdout = this.#stderr = ''
        resolve({ code: Number(code), stdout: stdout!, stderr: stderr! })
      }
    })
    const quoted = `'${text.replaceAll("'", "'\\''")}'`
    const said = `"${mark} $ended"`
    this.#child.stdin.write(`eval ${quoted} < /dev/null; ended=$?; echo ${said}; echo ${said} >&2\n`)
    return ended
  }

  /** Ends the shell and what it has started. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#child
    const closed = exitCode === null && signalCode === null ? once(this.#child, 'close') : undefined
    process.off('exit', this.#kill)
    this.#kill()
    await closed
  }
}

/** A folder for a world, which is removed in the end. */
export async function newWork(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-operations-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** The repository by links, so that what a command leaves in its folder is nobody else's; and a later release of it beside it. */
async function linkedRepository(work: string): Promise<string> {
  const folder = join(work, 'repository')
  await mkdir(folder)
  for (const name of await readdir(ROOT))
    if (!/^\.|\.(?:log|env)$/.test(name)) await symlink(join(ROOT, name), join(folder, name))
  await symlink(folder, join(work, 'countersign-next'))
  return folder
}
