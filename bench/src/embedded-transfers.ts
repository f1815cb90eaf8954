import { openEmbedded } from '@countersign/server/db/engine/embedded'
import { after, type Connection, openConnections } from './connections.ts'
import { anyOf } from './measure.ts'
import { embeddedBooks, measurePart, type Part } from './part.ts'
import { ACCOUNTS, CLIENTS } from './payment-sides.ts'
import { Api, bodyOf, transferRequest } from './payments.ts'
import { type Payer, seedPayers } from './seed.ts'
import { newPlace, type Place, type RunningProcess, readCredentials, startServer } from './server-process.ts'

const WARM_UP_SECONDS = 2

interface Round {
  readonly spread: Part
  readonly hot: Part
}

/** Measures `POST /transfer-out` on the embedded database as on PostgreSQL. */
export async function embeddedTransfers(seconds: number, rounds: number): Promise<Round[]> {
  const place = await newPlace('embedded')
  let server: RunningProcess | undefined
  try {
    const payers = await seed(place)
    const started = await startServer(place)
    server = started.server
    const { tokenId, clientSecret } = readCredentials(place, started.baseUrl)
    const { port, pathname } = new URL(started.baseUrl)
    const api = new Api(pathname, `${tokenId}:${clientSecret}`)
    const connections = await openConnections(Number(port), CLIENTS)
    const bench = new Bench(api, server.pid, connections)
    await bench.transfers(payers, WARM_UP_SECONDS)
    const done: Round[] = []
    for (let n = 0; n < rounds; n++)
      done.push({
        spread: await bench.transfers(payers, seconds),
        hot: await bench.transfers(payers.slice(0, 1), seconds),
      })
    for (const connection of connections) connection.close()
    return done
  } finally {
    await server?.stop()
    await place.remove()
  }
}

/** Between two starts of the server, because its database has one user at a time. */
async function seed(place: Place): Promise<Payer[]> {
  await (await startServer(place)).server.stop()
  const db = await openEmbedded(place.dataDir)
  try {
    return await seedPayers(db, ACCOUNTS)
  } finally {
    await db.close()
  }
}

class Bench {
  readonly #api: Api
  readonly #pid: number
  readonly #connections: readonly Connection[]
  #sent = 0

  constructor(api: Api, pid: number, connections: readonly Connection[]) {
    this.#api = api
    this.#pid = pid
    this.#connections = connections
  }

  transfers(payers: readonly Payer[], seconds: number): Promise<Part> {
    const target = { pid: this.#pid, connections: this.#connections }
    const books = embeddedBooks(this.#api, this.#connections[0]!)
    return measurePart(target, books, after(seconds), async (connection) => {
      const payer = anyOf(payers)
      const request = transferRequest(this.#api, payer, `transfer-${this.#sent++}`)
      await bodyOf(connection.send(request), 201)
      return true
    })
  }
}
