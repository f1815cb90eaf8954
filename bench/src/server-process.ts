import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

/** The repository's folder, seen both from bench/src and from bench/dist. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export type DatabaseKind = 'embedded' | 'postgres'

/** A data directory for servers of this run, and the environment that points to it. */
export interface Deployment {
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  /** Only with PostgreSQL. */
  readonly cluster: Cluster | undefined
  remove(): Promise<void>
}

export interface Cluster {
  readonly url: string
  /** The folder of PostgreSQL's executables. */
  readonly bin: string
  stop(): Promise<void>
}

/** Creates a new data directory and, for PostgreSQL, a temporary cluster. */
export async function createDeployment(
  kind: DatabaseKind,
  settings: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const cluster = kind === 'postgres' ? await startCluster(settings) : undefined
  return {
    dataDir,
    cluster,
    env: { COUNTERSIGN_DATA_DIR: dataDir, ...(cluster ? { DATABASE_URL: cluster.url } : {}) },
    async remove() {
      await cluster?.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function startCluster(settings: Readonly<Record<string, string>>): Promise<Cluster> {
  const module: { startCluster(options: { settings: object }): Promise<Cluster> } = await import(
    pathToFileURL(join(ROOT, 'scripts/postgres.mjs')).href
  )
  return module.startCluster({ settings })
}

export interface Credentials {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** Reads the credentials that the first start wrote, with the server's current base URL. */
export function readCredentials(deployment: Deployment, baseUrl: string): Credentials {
  const text = readFileSync(getCredentialsFile(deployment), 'utf8')
  return { ...(JSON.parse(text) as Credentials), baseUrl }
}

export function getCredentialsFile(deployment: Deployment): string {
  return join(deployment.dataDir, 'credentials.json')
}

const running = new Set<RunningProcess>()
process.on('exit', () => {
  for (const child of running) child.signal('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** A program that reports when it is ready. */
export class RunningProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  #checkOutput = (): void => {}
  stdout = ''
  stderr = ''

  /** Starts the program in its own process group, so that child processes of npm end with it. */
  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { DATABASE_URL: _, ...inherited } = process.env
    this.#child = spawn(command, args, {
      cwd: ROOT,
      detached: true,
      env: { ...inherited, HOST: '127.0.0.1', PORT: '0', COUNTERSIGN_REQUEST_LINES: 'off', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(this)
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.#checkOutput()
    })
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject)
      this.#child.on('close', (code) => {
        running.delete(this)
        resolve(code)
      })
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Resolves once standard output matches the pattern. Rejects if the program ends first. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      this.#checkOutput = () => {
        const match = pattern.exec(this.stdout)
        if (match) resolve(match)
      }
      this.#checkOutput()
      this.#ended.then(
        (code) =>
          reject(new Error(`The program ended with ${code}: ${this.stderr.trim() || this.stdout.trim()}`)),
        reject,
      )
    })
  }

  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal)
    } catch {
      // The process has already ended.
    }
  }

  waitForExit(): Promise<number | null> {
    return this.#ended
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM')
    await this.#ended
  }
}

/** Matches the whole startup banner, and captures the base URL. */
export const READY = /^ {2}API +(\S+)$[\s\S]*Ctrl-C/m

/** Starts the built server. Resolves with its base URL once it is ready. */
export async function startServer(
  deployment: Deployment,
): Promise<{ server: RunningProcess; baseUrl: string }> {
  const server = new RunningProcess(process.execPath, [join(ROOT, 'server/dist/main.js')], deployment.env)
  return { server, baseUrl: (await server.waitForOutput(READY))[1]! }
}

/** Creates a platform with the operator command, which works while the server is running. */
export async function createPlatform(deployment: Deployment, name: string): Promise<Credentials> {
  const { DATABASE_URL: _, ...inherited } = process.env
  const args = [join(ROOT, 'server/dist/main.js'), 'platform', 'create', '--name', name]
  const env = { ...inherited, ...deployment.env }
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  return JSON.parse(stdout) as Credentials
}

const TICK_US = 10_000

/**
 * A process's CPU time so far, in µs: the time of its main thread, and the time of all other threads, which
 * include the embedded database.
 */
export function readProcessorTime(pid: number): { main: number; others: number } {
  let main = 0
  let others = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { usedUs } = readStat(`${pid}/task/${thread}`)
    if (Number(thread) === pid) main += usedUs
    else others += usedUs
  }
  return { main, others }
}

/**
 * CPU time so far, in µs, of the PostgreSQL that this process started: its server, its backends, and backends
 * that have ended. Other clusters on the machine, for example from another bench, have a different parent
 * process.
 */
export function readPostgresTime(): number {
  const found = new Map<number, ProcessStat>()
  for (const pid of readdirSync('/proc').map(Number)) {
    if (Number.isNaN(pid)) continue
    try {
      const stat = readStat(`${pid}`)
      if (stat.name === 'postgres') found.set(pid, stat)
    } catch {
      // The process has ended in the meantime.
    }
  }
  let sum = 0
  for (const { parent, usedUs, endedChildrenUs } of found.values()) {
    if (parent === process.pid) sum += usedUs + endedChildrenUs
    else if (found.get(parent)?.parent === process.pid) sum += usedUs
  }
  return sum
}

interface ProcessStat {
  readonly name: string
  readonly parent: number
  readonly usedUs: number
  /** CPU time of the process's children that have ended. */
  readonly endedChildrenUs: number
}

/**
 * Parses a line in the format of proc(5). The name is in parentheses. Counting the fields after it, the
 * parent is field 2, and user and system time are fields 12 and 13, followed by the children's times.
 */
function readStat(path: string): ProcessStat {
  const line = readFileSync(`/proc/${path}/stat`, 'utf8')
  const nameEnd = line.lastIndexOf(')')
  const fields = line.slice(nameEnd + 2).split(' ')
  const us = (user: number) => (Number(fields[user]) + Number(fields[user + 1])) * TICK_US
  return {
    name: line.slice(line.indexOf('(') + 1, nameEnd),
    parent: Number(fields[1]),
    usedUs: us(11),
    endedChildrenUs: us(13),
  }
}
