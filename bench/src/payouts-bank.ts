import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SetUp } from './on-server.ts'
import { createPlatform, ROOT, RunningProcess } from './server-process.ts'

const MASTER_KEY = '5e'.repeat(32)

/** The example bank's way of responding to payouts. */
export interface Answering {
  /**
   * The name of the rail. Each way of responding has a separate bank, so that only one of them sends events.
   */
  readonly rail: string
  /** The network that the payouts request, from which the server finds the rail. */
  readonly network: string
  /** The account number that leads to this response. */
  readonly number: string
}

/** The response has the status DELIVERED, and no event follows. */
export const DELIVERED: Answering = { rail: 'quiet-bank', network: 'WIRE', number: '000123456102' }
/** The response has the status ACCEPTED, and an event reports the delivery later. */
export const ACCEPTED: Answering = { rail: 'example-bank', network: 'ACH', number: '000123456789' }

const ALL = [DELIVERED, ACCEPTED]

/** A rail's secret, and the environment variable that holds it. Two rails never share a secret. */
function getSecret(answering: Answering): { readonly env: string; readonly value: string } {
  const place = ALL.indexOf(answering)
  return { env: `BANK_SECRET_${place}`, value: `whsec_${Buffer.alloc(32, 7 + place).toString('base64')}` }
}

/** Example banks, each in its own process, and the setup of a production server that uses them as rails. */
export class Banks {
  readonly #folder: string
  readonly #serverPort: number
  readonly #banks = new Map<Answering, { readonly process: RunningProcess; readonly url: string }>()

  private constructor(folder: string, serverPort: number) {
    this.#folder = folder
    this.#serverPort = serverPort
  }

  static async start(): Promise<Banks> {
    // The banks need the URL for events before the server is running.
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
      EXAMPLE_BANK_SECRET: getSecret(answering).value,
    })
    const [, url] = await bank.says(/is open: (\S+)/)
    this.#banks.set(answering, { process: bank, url: url! })
  }

  /** The server's setup. */
  readonly setUp: SetUp = {
    env: async ({ dataDir }) => {
      const railsFile = join(dataDir, 'rails.json')
      await writeFile(railsFile, JSON.stringify({ rails: ALL.map((one) => this.#entryOf(one)) }))
      return {
        COUNTERSIGN_MODE: 'production',
        // Do not log every request, as in the sandbox.
        LOG_LEVEL: 'warn',
        COUNTERSIGN_MASTER_KEY: MASTER_KEY,
        PORT: String(this.#serverPort),
        RAILS_FILE: railsFile,
        ...Object.fromEntries(ALL.map(getSecret).map(({ env, value }) => [env, value])),
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
    return { kind: 'http', name, url, secret: { env: getSecret(answering).env }, serves: [line] }
  }

  /** Sets the delay of responses. Accepted payments are delivered after twice that delay. */
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
