import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

/** The words that its keys derive from (m/44'/60'/0'/0/n). Everybody knows them: never use them for anything of worth. */
export const CHAIN_MNEMONIC = 'test test test test test test test test test test test junk'

export interface AnvilOptions {
  readonly chainId: number
  /** 0 takes a free port. */
  readonly port: number
  /** A file that keeps the chain: read at the start if it exists, written at the end. */
  readonly stateFile?: string
}

/** A running chain on the loopback. */
export interface Anvil {
  readonly url: string
  /** Resolves when its process has ended, for whatever reason. */
  readonly ended: Promise<void>
  /** Ends it; with a `stateFile` after that was written. */
  stop(): Promise<void>
}

const READY = /^Listening on (\S+:\d+)$/
const LOG_LINES_MAX = 20
/** A chain that is killed loses what happened since. */
const STATE_SECONDS = '5'

let binary: string | undefined | null = null

/**
 * The path of an anvil that runs on this system: ANVIL, or npm's package for it. Undefined if neither runs.
 */
export function anvilBinary(): string | undefined {
  if (binary === null) binary = findBinary()
  return binary
}

function findBinary(): string | undefined {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const suffix = process.platform === 'win32' ? '.exe' : ''
  let path = process.env.ANVIL
  try {
    path ??= createRequire(import.meta.url).resolve(
      `@foundry-rs/anvil-${process.platform}-${arch}/bin/anvil${suffix}`,
    )
  } catch {
    return undefined
  }
  // A package may be made for another C library than this system's.
  return existsSync(path) && spawnSync(path, ['--version']).status === 0 ? path : undefined
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a chain that mines each transaction immediately. Rejects with the last lines of its log when it does not start. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const path = anvilBinary()
  if (path === undefined) throw new Error(`There is no anvil for ${process.platform}-${process.arch}`)
  const child = spawnWatched(path, [
    ...['--host', '127.0.0.1', '--port', String(options.port), '--chain-id', String(options.chainId)],
    ...['--mnemonic', CHAIN_MNEMONIC],
    ...(options.stateFile === undefined
      ? []
      : ['--state', options.stateFile, '--state-interval', STATE_SECONDS]),
  ])
  running.add(child)
  const ended = once(child, 'exit').then(() => {
    running.delete(child)
    // Tells the watcher that its work is done; it may be gone already.
    child.stdin?.end('ended\n')
  })
  child.stdin?.on('error', () => {})
  const address = await listening(child)
  return {
    url: `http://${address}`,
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null)
        child.kill(options.stateFile === undefined ? 'SIGKILL' : 'SIGTERM')
      await ended
    },
  }
}

/**
 * Starts a program that ends with this process, even if this one is killed: a second shell waits for the end
 * of its input. The child's id is the program's.
 */
function spawnWatched(path: string, args: readonly string[]): ChildProcess {
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
  if (process.platform === 'win32') return spawn(path, args, { stdio })
  const script = 'exec 3<&0; (read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&- </dev/null'
  return spawn('/bin/sh', ['-c', script, path, ...args], { stdio })
}

/** Resolves to `host:port` once it answers there. Its output is read to the end, or it would stop in the middle of a line. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const log: string[] = []
    for (const stream of [child.stdout, child.stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          if (log.push(line) > LOG_LINES_MAX) log.shift()
          const [, address] = READY.exec(line) ?? []
          if (address !== undefined) resolve(address)
        })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`anvil did not start: ${log.join(' | ')}`)))
  })
}
