import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { after, type Connection, openConnections, wireRequest } from './connections.ts'
import { type Figures, type LoadOptions, printLoad, ROWS, type Row } from './load-report.ts'
import { measure, oneCore, type Target } from './measure.ts'
import { makePayers, type Payer } from './payers.ts'
import { Api, bodyOf, createQuote, execute, type Payment, preparePayment, settleAll } from './payments.ts'
import {
  newPlace,
  type Place,
  postgresTime,
  processorTime,
  RunningProcess,
  readCredentials,
  startServer,
} from './server-process.ts'
import { verificationsPerSecond } from './verifications.ts'

const CONNECTIONS = 32
const PAYERS = 8
const WARM_UP_SECONDS = 1

/** Measures a server under load beside its comparisons, in interleaved rounds. Prints a table. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const place = await newPlace(options.database)
  const processes: RunningProcess[] = []
  try {
    const { server, baseUrl } = await startServer(place)
    processes.push(server)
    const { tokenId, clientSecret } = readCredentials(place, baseUrl)
    const { port, pathname } = new URL(baseUrl)
    const api = new Api(pathname, `${tokenId}:${clientSecret}`)
    const payers = await makePayers({ baseUrl, tokenId, clientSecret }, PAYERS)
    const connections = await openConnections(Number(port), CONNECTIONS)
    const transaction = await settledTransaction(api, connections[0]!, payers[0]!)
    const bare = await startBareRoute(place, transaction.body)
    processes.push(bare.process)
    const bareConnections = await openConnections(bare.port, CONNECTIONS)

    const bench = new Bench(api, payers, transaction.path)
    const round = (seconds: number) =>
      bench.round(
        seconds,
        { pid: server.pid, connections },
        { pid: bare.process.pid, connections: bareConnections },
      )
    await round(WARM_UP_SECONDS)
    bench.forget()
    for (let n = 0; n < options.rounds; n++) await round(options.seconds)
    for (const connection of [...connections, ...bareConnections]) connection.close()
    printLoad(bench.figures, options, {
      connections: CONNECTIONS,
      wallets: PAYERS,
      bytes: Buffer.byteLength(transaction.body),
    })
  } finally {
    for (const one of processes) await one.stop()
    await place.remove()
  }
}

class Bench {
  figures: Figures = noFigures()
  readonly #api: Api
  readonly #payers: readonly Payer[]
  readonly #transactionPath: string

  constructor(api: Api, payers: readonly Payer[], transactionPath: string) {
    this.#api = api
    this.#payers = payers
    this.#transactionPath = transactionPath
  }

  forget(): void {
    this.figures = noFigures()
  }

  /** Each part once, one after the other. */
  async round(seconds: number, server: Target, bare: Target): Promise<void> {
    await this.#measure('bare', bare, after(seconds), repeating(wireRequest('GET', '/')))
    await this.#measure('get', server, after(seconds), repeating(this.#api.get(this.#transactionPath)))
    this.figures.verify.push(oneCore(verificationsPerSecond(Math.min(1, seconds))))
    const payments = await this.#quotes(seconds, server)

    const [before, postgresBefore] = [processorTime(server.pid), postgresTime()]
    const begun = performance.now()
    const left = [...payments]
    await this.#measure('execute', server, never, async (connection) => {
      const payment = left.pop()
      if (payment) await execute(connection, payment)
      return payment !== undefined
    })
    await settleAll(this.#api, server.connections[0]!)
    const spent = processorTime(server.pid)
    this.figures.settled.push({
      perSecond: (payments.length * 1000) / (performance.now() - begun),
      mainUs: (spent.main - before.main) / payments.length,
      othersUs: (spent.others - before.others) / payments.length,
      postgresUs: (postgresTime() - postgresBefore) / payments.length,
    })
  }

  /** Creates as many quotes as possible in the time, with their signatures, whose time does not count. */
  async #quotes(seconds: number, server: Target): Promise<Payment[]> {
    const made: (() => Promise<Payment>)[] = []
    await this.#measure('quote', server, after(seconds), async (connection) => {
      const payer = this.#payers[made.length % this.#payers.length]!
      const quote = await createQuote(this.#api, connection, payer)
      made.push(() => preparePayment(this.#api, payer, quote))
      return true
    })
    return Promise.all(made.map((prepare) => prepare()))
  }

  async #measure(row: Row, ...args: Parameters<typeof measure>): Promise<void> {
    this.figures[row].push(await measure(...args))
  }
}

function noFigures(): Figures {
  return Object.fromEntries(ROWS.map((row) => [row, []])) as unknown as Figures
}

function never(): boolean {
  return false
}

function repeating(request: string): (connection: Connection) => Promise<boolean> {
  return async (connection) => {
    await bodyOf(connection.send(request), 200)
    return true
  }
}

async function settledTransaction(
  api: Api,
  connection: Connection,
  payer: Payer,
): Promise<{ path: string; body: string }> {
  const payment = await preparePayment(api, payer, await createQuote(api, connection, payer))
  await execute(connection, payment)
  await settleAll(api, connection)
  const path = `/transactions/${payment.transactionId}`
  return { path, body: await bodyOf(connection.send(api.get(path)), 200) }
}

async function startBareRoute(
  place: Place,
  body: string,
): Promise<{ process: RunningProcess; port: number }> {
  const file = join(place.dataDir, 'transaction.json')
  await writeFile(file, body)
  // The built program is one file and starts itself.
  const bare = new RunningProcess(process.execPath, [fileURLToPath(import.meta.url), 'bare-route', file])
  return { process: bare, port: Number((await bare.says(/^port (\d+)$/m))[1]) }
}
