import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const MAIN = fileURLToPath(new URL('../dist/example-bank/main.js', import.meta.url))
const BUILD = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))

export interface BankProcess {
  readonly url: string
  /** Kills it, without a chance to write anything. */
  readonly kill: () => Promise<void>
  /** Ends it as a person would, and gives its exit code. */
  readonly stop: () => Promise<number | null>
}

/** Starts the built example bank as a process of its own. `npm test` has built it; vitest alone runs what was built last. */
export async function startBankProcess(options: {
  readonly port: number
  readonly folder: string
  readonly secrets: string
  readonly events?: string
  readonly behaviour?: object
}): Promise<BankProcess> {
  const { port, folder, secrets, events, behaviour = {} } = options
  if (!existsSync(MAIN)) await promisify(execFile)(process.execPath, [BUILD])
  const child = spawn(
    process.execPath,
    [
      MAIN,
      ...['--port', String(port), '--data', folder, '--behaviour', JSON.stringify(behaviour)],
      ...(events === undefined ? [] : ['--events', events]),
    ],
    { env: { ...process.env, EXAMPLE_BANK_SECRET: secrets }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await opened(child, ended)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    url: `http://127.0.0.1:${port}`,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

async function opened(child: ChildProcess, ended: Promise<number | null>): Promise<void> {
  const open = new Promise<void>((resolve) =>
    child.stdout!.on('data', (text: Buffer) => {
      if (text.includes('is open')) resolve()
    }),
  )
  const code = await Promise.race([open.then(() => undefined), ended])
  if (code !== undefined) throw new Error(`The bank ended with ${code}`)
}
