import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { TEST_MASTER_KEY } from '../../../test/databases.testing.ts'
import { Client, type Credentials, type Reply } from '../worlds/client.testing.ts'
import { BANK_SECRET, exampleBank, SECRET_NAME, serveRates } from '../worlds/production/production.testing.ts'
import { newPlace, type Place, run, ServerProcess } from '../worlds/server-process.testing.ts'
import { Network, type Random } from './faults.testing.ts'

const BANK = fileURLToPath(new URL('../../../connectors/dist/example-bank/main.js', import.meta.url))
const OPENED_LINE = /^The example bank is open: http:\/\/127\.0\.0\.1:(\d+)$/m

const METRICS_TOKEN = 'metrics-of-the-drill'
const FINISHED_JOBS =
  /^countersign_jobs_total\{kind="(?:transaction|transfer|deposit)[^"]*",result="done"\} (\d+)$/gm

/** The bank's behavior at its start. */
const BEHAVIOUR = { settleDelayMs: 100, returnDelayMs: 600, repeatEvents: 2, shuffleEvents: true }

/** A process of the example bank. */
class BankProcess {
  readonly #child: ChildProcess
  readonly port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async open(folder: string, events: string): Promise<BankProcess> {
    const args = [
      '--port',
      '0',
      '--data',
      folder,
      '--events',
      events,
      '--behaviour',
      JSON.stringify(BEHAVIOUR),
    ]
    const env = { PATH: process.env.PATH ?? '', [SECRET_NAME]: BANK_SECRET }
    const child = spawn(process.execPath, [BANK, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const text of child.stdout!) {
      output += String(text)
      const port = OPENED_LINE.exec(output)?.[1]
      if (port !== undefined) return new BankProcess(child, Number(port))
    }
    throw new Error(`The example bank does not open: ${output}`)
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

/** Servers in production and the example bank, as separate processes, with a network in between that can fail. */
export class RailWorld {
  readonly place: Place
  readonly platformId: string
  /** From the servers to the bank, and from the bank to the servers. */
  readonly toBank: Network
  readonly toServers: Network
  readonly #env: Readonly<Record<string, string>>
  readonly #credentials: Credentials
  readonly #random: Random
  /** Undefined while it starts. */
  readonly #servers: (ServerProcess | undefined)[] = []
  #bank: BankProcess | undefined
  /** The number of server kills. */
  kills = 0

  /** Opens a world with this number of servers; they and the bank end with the test. */
  static async open(servers: number, random: Random): Promise<RailWorld> {
    const place = await newPlace()
    const rates = await serveRates()
    let world: RailWorld | undefined
    const toBank = await Network.open(() => world?.bankPort, random.fork())
    const toServers = await Network.open(() => world?.serverPort, random.fork())
    onTestFinished(async () => {
      await Promise.all([rates.close(), toBank.close(), toServers.close(), world?.stop()])
    })
    const railsFile = join(place.dataDir, 'rails.json')
    await writeFile(railsFile, JSON.stringify({ rails: [exampleBank(toBank.origin, { timeoutSeconds: 2 })] }))
    const env = {
      COUNTERSIGN_MODE: 'production',
      COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
      RAILS_FILE: railsFile,
      RATES_URL: rates.url,
      [SECRET_NAME]: BANK_SECRET,
      LOG_LEVEL: 'error',
      METRICS_TOKEN,
    }
    const created = await run(place, ['platform', 'create', '--name', 'Drill', '--regulated'], env)
    if (created.code !== 0) throw new Error(created.stderr)
    const credentials = JSON.parse(created.stdout) as Credentials
    world = new RailWorld(place, toBank, toServers, env, credentials, random.fork())
    await world.#openBank()
    await Promise.all(Array.from({ length: servers }, (_, n) => world!.#openServer(n)))
    return world
  }

  private constructor(
    place: Place,
    toBank: Network,
    toServers: Network,
    env: Readonly<Record<string, string>>,
    credentials: Credentials,
    random: Random,
  ) {
    this.place = place
    this.toBank = toBank
    this.toServers = toServers
    this.platformId = credentials.platformId
    this.#env = env
    this.#credentials = credentials
    this.#random = random
  }

  /** The platform's backend, at any of the servers. */
  client(): Client {
    const running = this.#servers.filter((server) => server !== undefined)
    if (running.length === 0) throw new Error('No server runs')
    return new Client(this.#credentials, this.#random.pick(running).baseUrl)
  }

  /** Kills one of the servers, and starts it again. */
  async killServer(): Promise<void> {
    const n = this.#random.below(this.#servers.length)
    const server = this.#servers[n]
    if (!server) return
    this.#servers[n] = undefined
    expect((await server.kill('SIGKILL')).signal).toBe('SIGKILL')
    this.kills += 1
    await this.#openServer(n)
  }

  async killBank(): Promise<void> {
    const bank = this.#bank
    this.#bank = undefined
    await bank?.kill()
    await this.#openBank()
  }

  /** Calls the bank's control API. Throws if the bank is down; responses other than 200 are returned. */
  async callBank(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Reply> {
    if (!this.#bank) throw new Error('The bank is away')
    const response = await fetch(`http://127.0.0.1:${this.#bank.port}/bank${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {}),
    })
    return { status: response.status, body: await response.json(), headers: response.headers }
  }

  /** Lists the ids of the events that the bank has sent, from its journal. */
  async listDeliveredEvents(): Promise<string[]> {
    const lines = (await readFile(join(this.#bankFolder, 'journal.jsonl'), 'utf8')).trimEnd().split('\n')
    return lines
      .map((line) => JSON.parse(line) as { type: string; eventId: string })
      .flatMap(({ type, eventId }) => (type === 'told' ? [eventId] : []))
  }

  /** Stops the servers as an operator does, and kills the bank. Their data stays. */
  async stop(): Promise<void> {
    for (const server of this.#servers) await server?.kill('SIGTERM')
    await this.#bank?.kill()
  }

  /** Starts again after `stop`, with one server. */
  async start(): Promise<void> {
    this.#servers.length = 0
    await Promise.all([this.#openBank(), this.#openServer(0)])
  }

  /** Counts the payment jobs that the only server has finished since its start. */
  async countFinishedJobs(): Promise<number> {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` }
    const response = await fetch(`${this.#servers[0]!.origin}/metrics`, { headers })
    const text = await response.text()
    return [...text.matchAll(FINISHED_JOBS)].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  get #bankFolder(): string {
    return join(this.place.dataDir, 'bank')
  }

  /** Undefined while the bank does not run. */
  get bankPort(): number | undefined {
    return this.#bank?.port
  }

  /** The port of any server, undefined while none runs. */
  get serverPort(): number | undefined {
    const running = this.#servers.filter((server) => server !== undefined)
    return running.length === 0 ? undefined : Number(new URL(this.#random.pick(running).origin).port)
  }

  async #openServer(n: number): Promise<void> {
    this.#servers[n] = await ServerProcess.ready(this.place, this.#env)
  }

  async #openBank(): Promise<void> {
    this.#bank = await BankProcess.open(this.#bankFolder, `${this.toServers.origin}/rail-events/example-bank`)
  }
}
