import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, inject, onTestFinished } from 'vitest'
import {
  copyEmptyDatabase,
  createPostgresDatabase,
  temporaryFolder,
} from '../../../test/databases.testing.ts'
import { Client } from './client.testing.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SERVER = join(ROOT, 'server/dist/main.js')

/**
 * These processes run only for seconds. Optimizing the embedded database's code would cost more time than it
 * saves.
 */
const NODE_FLAGS = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/** True if this test run uses PostgreSQL. */
export const onPostgres = Boolean(process.env.DATABASE_URL)

type Environment = Readonly<Record<string, string>>
/** The destination of a process's output: a pipe to this process, or a file descriptor. */
type Output = 'pipe' | number

/** Builds the server if no build exists. Call it in `beforeAll`. `npm test` rebuilds changes, but vitest alone does not. */
export async function ensureServerBuilt(): Promise<void> {
  if (!existsSync(SERVER))
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.mjs'), 'server'])
}

/** The storage of a test's own server: a folder and, on PostgreSQL, a database. */
export interface Place {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** The settings that make a process use this storage. */
  readonly env: Environment
}

type PlaceDatabase = 'ready' | 'none' | 'unused'

/**
 * Creates storage for a server that was never started: with an empty migrated database, without a database, or for a
 * process that does not open its database. After the test, it is removed and its processes are killed.
 */
export async function newPlace(database: PlaceDatabase = 'ready'): Promise<Place> {
  const place = await openPlace(database)
  onTestFinished(place.remove)
  return place
}

/** Creates storage for several tests, which have to remove it. */
export async function openPlace(
  database: PlaceDatabase,
): Promise<Place & { readonly remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-process-'))
  const serverUrl = database === 'unused' ? undefined : process.env.DATABASE_URL
  const template = database === 'ready' ? inject('emptyPostgresDatabase') : undefined
  const createdDatabase = serverUrl ? await createPostgresDatabase(serverUrl, template) : undefined
  if (!createdDatabase && database === 'ready') await copyEmptyDatabase(inject('emptyDatabase'), dataDir)
  const env = {
    COUNTERSIGN_DATA_DIR: dataDir,
    ...(createdDatabase ? { DATABASE_URL: createdDatabase.url } : {}),
  }
  const remove = async () => {
    for (const child of children.get(dataDir) ?? []) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    }
    children.delete(dataDir)
    await createdDatabase?.drop()
    // A child of the killed server may still be creating database files, so the removal is retried.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  return { dataDir, databaseUrl: createdDatabase?.url, env, remove }
}

const children = new Map<string, ChildProcess[]>()
process.on('exit', () => {
  for (const child of [...children.values()].flat()) child.kill('SIGKILL')
})

/** The exit code or signal of a process, and its output. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A process of the built server. It either serves or runs a command. */
export class ServerProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<Ending>
  readonly #place: Place
  #onOutput = (): void => {}
  stdout = ''
  stderr = ''

  /**
   * Starts a process in `place`, on a port chosen by the system. It receives only `env`, and nothing from
   * this process's environment.
   */
  constructor(place: Place, env: Environment = {}, args: readonly string[] = [], output: Output = 'pipe') {
    const { PATH = '', HOME = '' } = process.env
    this.#place = place
    this.#child = spawn(process.execPath, [...NODE_FLAGS, SERVER, ...args], {
      cwd: place.dataDir,
      env: { PATH, HOME, PORT: '0', ...place.env, ...env },
      stdio: ['ignore', output, output],
    })
    children.set(place.dataDir, [...(children.get(place.dataDir) ?? []), this.#child])
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.#onOutput()
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject)
      this.#child.on('close', (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      )
    })
  }

  /** Starts a server and waits until it reports that it is ready. */
  static async ready(place: Place, env: Environment = {}): Promise<ServerProcess> {
    const server = new ServerProcess(place, env)
    await server.says('Ctrl-C')
    return server
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** The base URL, from the startup banner. */
  get baseUrl(): string {
    return /^ {2}API +(\S+)$/m.exec(this.stdout)![1]!
  }

  get origin(): string {
    return new URL(this.baseUrl).origin
  }

  /** Resolves once standard output contains `text`. Rejects if the process ends first. */
  says(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onOutput = () => {
        if (this.stdout.includes(text)) resolve()
      }
      this.#onOutput()
      this.#ended.then(
        ({ code, stderr }) => reject(new Error(`ended with ${code} before it said ${text}: ${stderr}`)),
        reject,
      )
    })
  }

  /** A client for the platform whose credentials were written by the first start. */
  client(): Client {
    return new Client(readCredentials(this.#place), this.baseUrl)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  ended(): Promise<Ending> {
    return this.#ended
  }

  async kill(signal: NodeJS.Signals): Promise<Ending> {
    this.signal(signal)
    return this.#ended
  }
}

/** Runs one of the server's commands, or a server that is not expected to start, until it ends. */
export function run(place: Place, args: readonly string[], env: Environment = {}): Promise<Ending> {
  return new ServerProcess(place, env, args).ended()
}

/** Returns the JSON output of one of the server's commands, which must succeed without warnings. */
export async function ask(place: Place, ...args: string[]) {
  const { code, stdout, stderr } = await run(place, args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Reads the credentials that the first start has written. */
export function readCredentials(place: Place) {
  const text = readFileSync(join(place.dataDir, 'credentials.json'), 'utf8')
  return JSON.parse(text) as { platformId: string; tokenId: string; clientSecret: string; baseUrl: string }
}

/** Finds the processes that use this storage, whatever their parent is. Works only on Linux. */
export function findStorageProcesses({ dataDir }: Place): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`COUNTERSIGN_DATA_DIR=${dataDir}\0`)
      } catch {
        return false
      }
    })
    .map(Number)
}

/**
 * Bundles a program in `server/test/storage/engine/` like the server: a single file, with the worker's file
 * next to it.
 */
export async function bundle(name: string): Promise<{ file: string; remove: () => void }> {
  const folder = temporaryFolder()
  const file = join(folder, 'program.mjs')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  copyFileSync(
    join(ROOT, 'server/src/storage/engine/embedded-worker.mjs'),
    join(folder, 'embedded-worker.mjs'),
  )
  await build({
    entryPoints: [join(ROOT, 'server/test/storage/engine', name)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '@countersign/contract': join(ROOT, 'contract/src') },
    logLevel: 'silent',
  })
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A running program whose output is read line by line. */
export class Program {
  readonly process: ChildProcess
  readonly lines: string[] = []
  readonly #ended: Promise<number | null>
  #onLine: (() => void) | undefined

  constructor(parameters: readonly string[], env: Record<string, string> = {}) {
    // The program runs for seconds, which is too short for optimizing the database's code.
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

  /** Resolves once the lines so far satisfy the condition. Rejects if the program ends first. */
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

  /** Resolves with the exit code after all lines have been read. */
  ended(): Promise<number | null> {
    this.process.stdin?.end()
    return this.#ended
  }
}

/** A PostgreSQL cluster for a single test, for settings and transactions that would disturb other tests. */
export interface Cluster {
  readonly url: string
  readonly port: number
  /** The folder of the PostgreSQL programs. */
  readonly bin: string
  /** Stops the server and keeps its files. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

type Standby = Omit<Cluster, 'bin' | 'pause' | 'resume'>
type Pooler = Pick<Cluster, 'url' | 'stop'>
type PoolMode = 'session' | 'transaction'

interface Scripts {
  startCluster(): Promise<Cluster>
  startStandby(primary: Cluster): Promise<Standby>
  startPooler(cluster: Cluster, mode: PoolMode): Promise<Pooler>
  hasPooler(): boolean
}

async function scripts(): Promise<Scripts> {
  return import(join(ROOT, 'scripts/postgres.mjs'))
}

export async function startCluster(): Promise<Cluster> {
  return (await scripts()).startCluster()
}

/** Starts a standby that follows the cluster. */
export async function startStandby(primary: Cluster): Promise<Standby> {
  return (await scripts()).startStandby(primary)
}

/** Starts a pgbouncer in front of the cluster. Stop it before the cluster. */
export async function startPooler(cluster: Cluster, mode: PoolMode): Promise<Pooler> {
  return (await scripts()).startPooler(cluster, mode)
}

/** True if this machine has pgbouncer. */
export async function hasPooler(): Promise<boolean> {
  return (await scripts()).hasPooler()
}
