import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerSetup } from './on-server.ts'
import { createPlatform, ROOT, RunningProcess } from './server-process.ts'

const MASTER_KEY = '5e'.repeat(32)

/** A way in which the example bank responds to payouts. */
export interface PayoutResponse {
  /**
   * The name of the rail. Each way of responding has a separate bank, so that only one of them sends events.
   */
  readonly rail: string
  /** The network that the payouts request. It determines the rail. */
  readonly network: string
  /** The account number that triggers this response. */
  readonly number: string
}

/** The response has the status DELIVERED, and no event follows. */
export const DELIVERED: PayoutResponse = { rail: 'quiet-bank', network: 'WIRE', number: '000123456102' }
/** The response has the status ACCEPTED, and an event reports the delivery later. */
export const ACCEPTED: PayoutResponse = { rail: 'example-bank', network: 'ACH', number: '000123456789' }

const ALL = [DELIVERED, ACCEPTED]

/** A rail's secret, and the environment variable that holds it. Two rails never share a secret. */
function getSecret(payoutResponse: PayoutResponse): { readonly env: string; readonly value: string } {
  const index = ALL.indexOf(payoutResponse)
  return { env: `BANK_SECRET_${index}`, value: `whsec_${Buffer.alloc(32, 7 + index).toString('base64')}` }
}

/** Example banks, each in its own process, and the setup of a production server that uses them as rails. */
export class Banks {
  readonly #folder: string
  readonly #serverPort: number
  readonly #banks = new Map<PayoutResponse, { readonly process: RunningProcess; readonly url: string }>()

  private constructor(folder: string, serverPort: number) {
    this.#folder = folder
    this.#serverPort = serverPort
  }

  static async start(): Promise<Banks> {
    // The banks need the URL for events before the server is running.
    const banks = new Banks(await mkdtemp(join(tmpdir(), 'countersign-bench-bank-')), await findFreePort())
    for (const response of ALL) await banks.#start(response)
    return banks
  }

  async #start(payoutResponse: PayoutResponse): Promise<void> {
    const { rail } = payoutResponse
    const events = ['--events', `http://127.0.0.1:${this.#serverPort}/rail-events/${rail}`]
    const options = ['--port', '0', '--data', join(this.#folder, rail)]
    const program = join(ROOT, 'connectors/dist/example-bank/main.js')
    const args = [program, ...options, ...(payoutResponse === ACCEPTED ? events : [])]
    const bank = new RunningProcess(process.execPath, args, {
      EXAMPLE_BANK_SECRET: getSecret(payoutResponse).value,
    })
    const [, url] = await bank.waitForOutput(/is open: (\S+)/)
    this.#banks.set(payoutResponse, { process: bank, url: url! })
  }

  /** The server's setup. */
  readonly setUp: ServerSetup = {
    env: async ({ dataDir }) => {
      const railsFile = join(dataDir, 'rails.json')
      await writeFile(railsFile, JSON.stringify({ rails: ALL.map((response) => this.#buildEntry(response)) }))
      return {
        COUNTERSIGN_MODE: 'production',
        // Requests are not logged, as in the sandbox.
        LOG_LEVEL: 'warn',
        COUNTERSIGN_MASTER_KEY: MASTER_KEY,
        PORT: String(this.#serverPort),
        RAILS_FILE: railsFile,
        ...Object.fromEntries(ALL.map(getSecret).map(({ env, value }) => [env, value])),
      }
    },
    credentials: async (deployment, baseUrl) => ({ ...(await createPlatform(deployment, 'Bench')), baseUrl }),
  }

  #buildEntry(payoutResponse: PayoutResponse): object {
    const { rail: name, network } = payoutResponse
    const line = {
      direction: 'OUT',
      accountTypes: ['USD_ACCOUNT'],
      paymentRails: [network],
      currencies: ['USD'],
    }
    const { url } = this.#banks.get(payoutResponse)!
    return { kind: 'http', name, url, secret: { env: getSecret(payoutResponse).env }, serves: [line] }
  }

  /** Sets the delay of responses. Accepted payments are delivered after twice that delay. */
  async setDelay(payoutResponse: PayoutResponse, delayMs: number): Promise<void> {
    const { ok, status } = await fetch(`${this.#banks.get(payoutResponse)!.url}/bank/behaviour`, {
      method: 'PATCH',
      body: JSON.stringify({ answerDelayMs: delayMs, settleDelayMs: 2 * delayMs }),
    })
    if (!ok) throw new Error(`The example bank returned ${status}`)
  }

  async stop(): Promise<void> {
    for (const { process: bank } of this.#banks.values()) await bank.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function findFreePort(): Promise<number> {
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
