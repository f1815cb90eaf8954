import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SetUp } from './on-server.ts'
import { createPlatform, ROOT, RunningProcess } from './server-process.ts'

const MASTER_KEY = '5e'.repeat(32)

/** The way the example bank responds to payouts. */
export interface Answering {
  /** The name of the rail. There is a bank for each, so that only one of them sends events. */
  readonly rail: string
  /** The network that the payouts ask for, by which the server finds the rail. */
  readonly network: string
  /** The account number for this response. */
  readonly number: string
}

/** The response says DELIVERED, and no event follows. */
export const DELIVERED: Answering = { rail: 'quiet-bank', network: 'WIRE', number: '000123456102' }
/** The response says ACCEPTED, and an event reports the delivery later. */
export const ACCEPTED: Answering = { rail: 'example-bank', network: 'ACH', number: '000123456789' }

const ALL = [DELIVERED, ACCEPTED]

/** The secret of a rail, and the variable that has it: no two rails share one. */
function secretOf(answering: Answering): { readonly env: string; readonly value: string } {
  const place = ALL.indexOf(answering)
  return { env: `BANK_SECRET_${place}`, value: `whsec_${Buffer.alloc(32, 7 + place).toString('base64')}` }
}

/** Example banks, each in its own process, and the production server that uses them as rails. */
export class Banks {
  readonly #folder: string
  readonly #serverPort: number
  readonly #banks = new Map<Answering, { readonly process: RunningProcess; readonly url: string }>()

  private constructor(folder: string, serverPort: number) {
    this.#folder = folder
    this.#serverPort = serverPort
  }

  static async start(): Promise<Banks> {
    // The banks need the URL for events before there is a server.
    const banks = new Banks(await mkdtemp(join(tmpdir(), 'countersign-bench-bank-')), await freePort())
    for (const one of ALL) await banks.#start(one)
    return banks
  }

  async #start(answering: Answering): Promise<void> {
    const { rail } = answering
    const events = ['--events', `http://127.0.0.1:${this.#serverPort}/rail-events/${rail}`]
    const place = ['--port', '0', '--data', join(this.#folder, rail)]
    const program = join(ROOT, 'connectors/dist/example-bank/main.js')
    const args = [program, ...place, ...(answering === ACCEPTED ? events : [])]
    const bank = new RunningProcess(process.execPath, args, {
      EXAMPLE_BANK_SECRET: secretOf(answering).value,
    })
    const [, url] = await bank.says(/is open: (\S+)/)
    this.#banks.set(answering, { process: bank, url: url! })
  }

  /** Of the server. */
  readonly setUp: SetUp = {
    env: async ({ dataDir }) => {
      const railsFile = join(dataDir, 'rails.json')
      await writeFile(railsFile, JSON.stringify({ rails: ALL.map((one) => this.#entryOf(one)) }))
      return {
        COUNTERSIGN_MODE: 'production',
        // No log line per request, like the sandbox.
        LOG_LEVEL: 'warn',
        COUNTERSIGN_MASTER_KEY: MASTER_KEY,
        PORT: String(this.#serverPort),
        RAILS_FILE: railsFile,
        ...Object.fromEntries(ALL.map(secretOf).map(({ env, value }) => [env, value])),
      }
    },
    credentials: async (place, baseUrl) => ({ ...(await createPlatform(place, 'Bench')), baseUrl }),
  }

  #entryOf(answering: Answering): object {
    const { rail: name, network } = answering
    const line = {
      direction: 'OUT',
      accountTypes: ['USD_ACCOUNT'],
      paymentRails: [network],
      currencies: ['USD'],
    }
    const { url } = this.#banks.get(answering)!
    return { kind: 'http', name, url, secret: { env: secretOf(answering).env }, serves: [line] }
  }

  /** The delay of responses. Accepted payments are delivered after twice that. */
  async behave(answering: Answering, answerDelayMs: number): Promise<void> {
    const { ok, status } = await fetch(`${this.#banks.get(answering)!.url}/bank/behaviour`, {
      method: 'PATCH',
      body: JSON.stringify({ answerDelayMs, settleDelayMs: 2 * answerDelayMs }),
    })
    if (!ok) throw new Error(`The example bank returned ${status}`)
  }

  async stop(): Promise<void> {
    for (const { process: bank } of this.#banks.values()) await bank.stop()
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
