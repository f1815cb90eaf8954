import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen, stopListening } from '../../test/ports.testing.ts'
import { makePlatform, type TestCredentials } from './platform.testing.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * The packages that the guides need in addition to Node, and the built SDK, because Node itself runs the
 * scripts.
 */
export const canRunGuides =
  ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0) &&
  existsSync(join(ROOT, 'sdk/dist/index.js'))

interface Block {
  readonly language: string
  readonly code: string
}

/** The fenced blocks of a guide, in order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }))
}

/**
 * The scripts by name. A block names its script in its first line; a script can continue in a later block.
 */
function readScripts(blocks: readonly Block[]): Map<string, string> {
  const scripts = new Map<string, string>()
  for (const { language, code } of blocks) {
    const [, name] = /^\/\/ ([\w-]+\.mjs)(?:, continued)?\n/.exec(code) ?? []
    if (language === 'js') scripts.set(name!, (scripts.get(name!) ?? '') + code)
  }
  return scripts
}

/**
 * Follows a guide in `docs/` exactly, on its own platform: saves each `js` block and runs the `sh`
 * blocks as one script, which stops at the first failing command. Skips other blocks.
 */
export async function runGuide(file: string): Promise<{ stdout: string; stderr: string }> {
  const { baseUrl, tokenId, clientSecret } = await makePlatform()
  return runCommands(file, {
    BASE: baseUrl,
    TOKEN_ID: tokenId,
    CLIENT_SECRET: clientSecret,
    COUNTERSIGN_BASE_URL: baseUrl,
    COUNTERSIGN_TOKEN_ID: tokenId,
    COUNTERSIGN_CLIENT_SECRET: clientSecret,
  })
}

/**
 * Runs a program from a document, by the name in its first line, in a folder with the credentials file of a
 * sandbox. Returns its output.
 */
export async function runProgramFrom(
  document: string,
  name: string,
  credentials: TestCredentials,
): Promise<string> {
  const program = readScripts(blocksOf(await readFile(join(ROOT, document), 'utf8'))).get(name)
  if (program === undefined) throw new Error(`${document} has no program ${name}`)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-guide-'))
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, name), program)
    await mkdir(join(folder, '.countersign'))
    await writeFile(join(folder, '.countersign/credentials.json'), JSON.stringify(credentials))
    return (await promisify(execFile)(process.execPath, [name], { cwd: folder })).stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the commands of a guide that starts its own server. `env` is its environment. */
export async function runCommands(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<{ stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-guide-'))
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const blocks = blocksOf(await readFile(join(ROOT, 'docs', file), 'utf8'))
    for (const [name, code] of readScripts(blocks)) await writeFile(join(folder, name), code)
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
    return await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
      cwd: folder,
      env: { ...process.env, ...env },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Finds ports that nothing listens on. */
export async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(servers.map(listen))
  await Promise.all(servers.map(stopListening))
  return ports.map(String)
}

/** npx takes longer to find a program than most of our programs take to run. */
const NPX = 'npx() { local program=$1; shift; "node_modules/.bin/$program" "$@"; }'

/** A command on a page, with its output on the page. The output is undefined in a block without outputs. */
export interface Command {
  readonly text: string
  readonly shown: string | undefined
}

/** The result of a command. */
export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Returns the commands of a block, in order. In `console` blocks: the rest of each line after `$ `, with the
 * printed lines; in others: each line, with its here-document or the lines that a backslash continues.
 */
export function listCommands(language: string, code: string): Command[] {
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

/**
 * Builds a pattern for the output that a page shows: numbers vary, `…` matches anything, and a line of it
 * any number of lines.
 */
export function buildPattern(shown: string): RegExp {
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

/**
 * One shell in a folder that looks like the repository, for steps that build on each other: variables,
 * folders, processes.
 */
export class Shell {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  #stdout = ''
  #stderr = ''
  #look = (): void => {}
  #count = 0

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    // A separate process group, so that everything it started ends with it.
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

  /** Kills the whole group, also if the test run is aborted. */
  readonly #kill = (): void => {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch {
      // The shell has ended, with everything that it started.
    }
  }

  /** `env` is its whole environment, in addition to PATH and HOME. The folder is `repository` in `work`. */
  static async open(work: string, env: Readonly<Record<string, string>>): Promise<Shell> {
    const { PATH = '', HOME = '' } = process.env
    return new Shell(await linkRepository(work), { PATH, HOME, ...env })
  }

  /** Runs a command until it exits. */
  async run(text: string): Promise<Outcome> {
    const mark = `--- ${++this.#count} ended with`
    const ended = new Promise<Outcome>((resolve, reject) => {
      const rejectOnExit = () => reject(new Error(`the shell has ended: ${this.#stderr}`))
      this.#child.once('close', rejectOnExit)
      this.#look = () => {
        const [stdout, code] = this.#stdout.split(mark)
        const [stderr, isWhole] = this.#stderr.split(mark)
        if (!code?.endsWith('\n') || isWhole === undefined) return
        this.#child.off('close', rejectOnExit)
        this.#stdout = this.#stderr = ''
        resolve({ code: Number(code), stdout: stdout!, stderr: stderr! })
      }
    })
    const quoted = `'${text.replaceAll("'", "'\\''")}'`
    const marker = `"${mark} $ended"`
    this.#child.stdin.write(`eval ${quoted} < /dev/null; ended=$?; echo ${marker}; echo ${marker} >&2\n`)
    return ended
  }

  /** Ends the shell and everything that it started. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#child
    const rejectOnExit = exitCode === null && signalCode === null ? once(this.#child, 'close') : undefined
    process.off('exit', this.#kill)
    this.#kill()
    await rejectOnExit
  }
}

/** Creates a temporary folder for a test world. */
export async function newWork(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-operations-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/**
 * Creates a folder of links to the repository, so that files left by commands stay separate, and a later
 * release next to it.
 */
async function linkRepository(work: string): Promise<string> {
  const folder = join(work, 'repository')
  await mkdir(folder)
  for (const name of await readdir(ROOT))
    if (!/^\.|\.(?:log|env)$/.test(name)) await symlink(join(ROOT, name), join(folder, name))
  await symlink(folder, join(work, 'countersign-next'))
  return folder
}
