import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '@countersign/server/db/engine/port'
import { onPostgres } from './commit-bench.ts'
import { after, type Connection } from './connections.ts'
import { anyOf, type Figure, measure } from './measure.ts'
import { type Api, bodyOf } from './payments.ts'
import { seedCards, seedPayers } from './seed.ts'
import { routeTimes } from './server-times.ts'
import { median, quantile, table, whole } from './table.ts'

const CLIENTS = 32
const CARDS = 10_000
const WARM_UP_SECONDS = 2
const ROUTE = '/sandbox/cards/{id}/simulate/authorization'

export interface CardsOptions {
  /** How long each part of a round runs. */
  readonly seconds: number
  readonly rounds: number
}

/** The result of one part; times in ms. */
interface Part extends Figure {
  /** Times measured by the client. */
  readonly p50: number
  readonly p99: number
  /** Times within the server, from its metrics. */
  readonly serverP50: number
  readonly serverP99: number
}

interface Round {
  readonly spread: Part
  /** At half of that rate: the time of an authorization without saturation. */
  readonly half: Part
  readonly hot: Part
}

/**
 * Measures authorizations of cards, each decided, held and stored under a key like the events of a processor. Prints a
 * table.
 */
export async function runCards({ seconds, rounds }: CardsOptions): Promise<void> {
  const seed = async (db: Database) => {
    await seedPayers(db, CARDS)
    return seedCards(db, CARDS)
  }
  await onPostgres(CLIENTS, seed, async ({ seeded: cards, server, api, origin, connections }) => {
    const bench = new Bench(api, origin, server.pid, connections)
    await bench.authorizations(cards, WARM_UP_SECONDS)
    const done: Round[] = []
    for (let n = 0; n < rounds; n++) {
      const spread = await bench.authorizations(cards, seconds)
      done.push({
        spread,
        half: await bench.authorizations(cards, seconds, spread.perSecond / 2),
        hot: await bench.authorizations(cards.slice(0, 1), seconds),
      })
    }
    print(done, seconds)
  })
}

class Bench {
  readonly #api: Api
  readonly #origin: string
  readonly #pid: number
  readonly #connections: readonly Connection[]
  #sent = 0

  constructor(api: Api, origin: string, pid: number, connections: readonly Connection[]) {
    this.#api = api
    this.#origin = origin
    this.#pid = pid
    this.#connections = connections
  }

  /** Each client uses one random card after the other; with `perSecond`, all of them together at most at that rate. */
  async authorizations(cards: readonly string[], seconds: number, perSecond?: number): Promise<Part> {
    const pauseMs = perSecond === undefined ? 0 : (CLIENTS / perSecond) * 1000
    const target = { pid: this.#pid, connections: this.#connections }
    const times: number[] = []
    const before = await routeTimes(this.#origin, 'POST', ROUTE)
    const figure = await measure(target, after(seconds), async (connection) => {
      const sentAt = performance.now()
      await bodyOf(connection.send(this.#request(anyOf(cards))), 200)
      const tookMs = performance.now() - sentAt
      times.push(tookMs)
      // Starts at random within a pause, so that the clients do not arrive at once.
      if (pauseMs > tookMs) await setTimeout((pauseMs - tookMs) * 2 * Math.random())
      return true
    })
    const within = (await routeTimes(this.#origin, 'POST', ROUTE)).since(before)
    return {
      ...figure,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      serverP50: within.percentileMs(0.5),
      serverP99: within.percentileMs(0.99),
    }
  }

  #request(card: string): string {
    const body = '{"amount":1,"currency":{"code":"USD"},"merchant":{"descriptor":"COFFEE SHOP","mcc":"5814"}}'
    const key = { 'Idempotency-Key': `authorization-${this.#sent++}` }
    return this.#api.post(`/sandbox/cards/${card}/simulate/authorization`, body, key)
  }
}

function print(rounds: readonly Round[], seconds: number): void {
  const of = (part: keyof Round, what: keyof Part) => median(rounds.map((round) => round[part][what]))
  const ms = (part: keyof Round, what: keyof Part) => `${of(part, what).toFixed(1)} ms`
  const us = (part: keyof Round, what: keyof Part) => `${whole(of(part, what))} µs`
  process.stdout.write(`
Authorizations of cards over HTTP on PostgreSQL, fsync on: decided, held and committed. ${CLIENTS} clients, ${whole(CARDS)} cards,
median of ${rounds.length} rounds of ${seconds} s. All of it shares ${availableParallelism()} cores. The server's own times are read off the
histogram of its metrics.

${table([
  ['', 'per second', 'p50', 'p99', 'in the server p50', 'p99', 'main thread', 'PostgreSQL'],
  ...(['spread', 'half', 'hot'] as const).map((part) => [
    { spread: 'spread', half: 'spread, at half that rate', hot: 'one card' }[part],
    whole(of(part, 'perSecond')),
    ms(part, 'p50'),
    ms(part, 'p99'),
    ms(part, 'serverP50'),
    ms(part, 'serverP99'),
    us(part, 'mainUs'),
    us(part, 'postgresUs'),
  ]),
])}`)
}
