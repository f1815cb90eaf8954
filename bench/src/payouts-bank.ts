import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SetUp } from './commit-bench.ts'
import { createPlatform, processorTime, ROOT, RunningProcess } from './server-process.ts'

/** The rail's name at the server. */
export const RAIL = 'example-bank'

/** Account numbers by what the example bank answers to a payout there. */
export const NUMBERS = {
  delivered: '000123456102',
  /** Accepted, and an event says that it is delivered. */
  accepted: '000123456789',
  all: ['000123456102', '000123456789'],
} as const

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const MASTER_KEY = '5e'.repeat(32)

/** The example bank as a process of its own, and the server in production whose rail it is. */
export class Bank {
  readonly #folder: string
  readonly #process: RunningProcess
  readonly #url: string
  readonly #serverPort: number

  private constructor(folder: string, process: RunningProcess, url: string, serverPort: number) {
    this.#folder = folder
    this.#process = process
    this.#url = url
    this.#serverPort = serverPort
  }

  static async start(): Promise<Bank> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-bank-'))
    // The bank is told where its events go before there is a server.
    const serverPort = await freePort()
    const events = `http://127.0.0.1:${serverPort}/rail-events/${RAIL}`
    const args = ['--port', '0', '--data', folder, '--events', events]
    const program = join(ROOT, 'connectors/dist/example-bank/main.js')
    const running = new RunningProcess(process.execPath, [program, ...args], { EXAMPLE_BANK_SECRET: SECRET })
    const [, url] = await running.says(/is open: (\S+)/)
    return new Bank(folder, running, url!, serverPort)
  }

  /** Of the server. */
  readonly setUp: SetUp = {
    env: async ({ dataDir }) => {
      const railsFile = join(dataDir, 'rails.json')
      await writeFile(railsFile, JSON.stringify({ rails: [this.#rail] }))
      return {
        COUNTERSIGN_MODE: 'production',
        COUNTERSIGN_MASTER_KEY: MASTER_KEY,
        PORT: String(this.#serverPort),
        RAILS_FILE: railsFile,
        EXAMPLE_BANK_SECRET: SECRET,
      }
    },
    credentials: async (place, baseUrl) => ({ ...(await createPlatform(place, 'Bench')), baseUrl }),
  }

  get #rail() {
    const serves = [{ direction: 'OUT', accountTypes: ['USD_ACCOUNT'], currencies: ['USD'] }]
    return { kind: 'http', name: RAIL, url: this.#url, secret: { env: 'EXAMPLE_BANK_SECRET' }, serves }
  }

  async behave(behaviour: { readonly answerDelayMs: number; readonly settleDelayMs: number }): Promise<void> {
    const { ok, status } = await fetch(`${this.#url}/bank/behaviour`, {
      method: 'PATCH',
      body: JSON.stringify(behaviour),
    })
    if (!ok) throw new Error(`The example bank answered ${status}`)
  }

  /** Processor time of the bank so far, in µs. */
  spentUs(): number {
    const { main, others } = processorTime(this.#process.pid)
    return main + others
  }

  async stop(): Promise<void> {
    await this.#process.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('No port')),
      )
    })
  })
}
