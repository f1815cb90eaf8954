import { after, type Connection, drive, openConnections } from './connections.ts'
import { Api, bodyOf } from './payments.ts'
import {
  type Credentials,
  createPlatform,
  type DatabaseKind,
  newPlace,
  readCredentials,
  startServer,
} from './server-process.ts'
import { median, quantile, table, whole } from './table.ts'
import { Receiver, SilentReceiver } from './webhook-receiver.ts'

/** The numbers of platforms with a hanging endpoint. Each is measured in turn. */
const HANGING = [0, 1, 8]
/** The neighbour's connections: half make changes, half receive payments. */
const CLIENTS = 4
/** Balance events of one account are delivered in order, so the payments go to several accounts. */
const PAYEES = 16
/** Connections that make the events that nobody accepts. */
const MAKERS = 16
const WARM_UP_SECONDS = 1
const RATIO_MAX = 2

export interface HangingOptions {
  readonly database: DatabaseKind
  readonly seconds: number
  readonly rounds: number
  /** Events for the hanging endpoints, all together. */
  readonly events: number
}

/** The neighbour's times in one round: from the answer of each change and payment to its event, in ms. */
interface Seen {
  readonly perSecond: number
  readonly changes: readonly number[]
  readonly payments: readonly number[]
}

/** Measures a platform's webhooks and incoming payments while endpoints of others hang. Prints a table. */
export async function runHanging(options: HangingOptions): Promise<void> {
  const { seconds, rounds } = options
  const worlds: World[] = []
  try {
    for (const hanging of HANGING) worlds.push(await World.open(hanging, options))
    for (const world of worlds) await world.measure(WARM_UP_SECONDS)
    const seen = new Map<World, Seen[]>(worlds.map((world) => [world, []]))
    for (let n = 0; n < rounds; n++)
      for (const world of n % 2 === 0 ? worlds : [...worlds].reverse())
        seen.get(world)!.push(await world.measure(seconds))
    print(seen, options)
  } finally {
    for (const world of worlds) await world.close()
  }
}

/** Its own server, with a measured platform and others whose endpoint hangs. */
class World {
  readonly hanging: number
  readonly #api: Api
  readonly #port: number
  readonly #receiver: Receiver
  readonly #payees: readonly string[]
  readonly #close: () => Promise<void>
  #count = 0

  private constructor(
    hanging: number,
    api: Api,
    port: number,
    receiver: Receiver,
    payees: readonly string[],
    close: () => Promise<void>,
  ) {
    this.hanging = hanging
    this.#api = api
    this.#port = port
    this.#receiver = receiver
    this.#payees = payees
    this.#close = close
  }

  static async open(hanging: number, { database, events }: HangingOptions): Promise<World> {
    const opened: (() => unknown)[] = []
    const close = async () => {
      for (const undo of opened.reverse()) await undo()
    }
    try {
      const place = await newPlace(database)
      opened.push(() => place.remove())
      const { server, baseUrl } = await startServer(place)
      opened.push(() => server.stop())
      const port = Number(new URL(baseUrl).port)
      const silent = await SilentReceiver.open()
      opened.push(() => silent.close())
      const names = Array.from({ length: hanging }, (_, n) => `Hanging ${n}`)
      for (const credentials of await Promise.all(names.map((name) => createPlatform(place, name))))
        await fillUp(apiOf(credentials, baseUrl), port, silent.url, Math.ceil(events / hanging))
      const receiver = await Receiver.open()
      opened.push(() => receiver.close())
      const api = apiOf(readCredentials(place, baseUrl), baseUrl)
      const payees = await onConnections(port, 1, async ([connection]) => {
        const ids: string[] = []
        for (let n = 0; n < PAYEES; n++) ids.push(await createCustomer(api, connection!, `payee-${n}`))
        await nameEndpoint(api, connection!, receiver.url)
        return ids
      })
      return new World(hanging, api, port, receiver, payees, close)
    } catch (error) {
      await close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#close()
  }

  async measure(seconds: number): Promise<Seen> {
    const changes: number[] = []
    const payments: number[] = []
    const { done, seconds: taken } = await onConnections(this.#port, CLIENTS, (connections) =>
      drive(connections, after(seconds), async (connection) => {
        const isPayment = connections.indexOf(connection) % 2 === 0
        if (isPayment) payments.push(await this.#pay(connection))
        else changes.push(await this.#change(connection))
        return true
      }),
    )
    return { perSecond: done / taken, changes, payments }
  }

  /** From the answer of the change to its event. */
  async #change(connection: Connection): Promise<number> {
    const customerId = await createCustomer(this.#api, connection, `change-${this.#count++}`)
    const answeredAt = performance.now()
    const arrivedAt = await this.#receiver.arrival('CUSTOMER.KYC_APPROVED', customerId)
    return Math.max(0, arrivedAt - answeredAt)
  }

  /** From the answer to the payment, over the endpoint's approval, to the event of its completion. */
  async #pay(connection: Connection): Promise<number> {
    const body = JSON.stringify({
      senderUmaAddress: '$grace@bank.example',
      customerId: this.#payees[this.#count++ % PAYEES],
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 1250,
    })
    const { id } = await sent(connection, this.#api.post('/sandbox/uma/receive', body), 200)
    const answeredAt = performance.now()
    const arrivedAt = await this.#receiver.arrival('INCOMING_PAYMENT.COMPLETED', id)
    return Math.max(0, arrivedAt - answeredAt)
  }
}

/** Makes a number of events that nobody accepts, each of its own object, so that none waits for another. */
async function fillUp(api: Api, port: number, url: string, events: number): Promise<void> {
  await onConnections(port, MAKERS, async (makers) => {
    await nameEndpoint(api, makers[0]!, url)
    let made = 0
    const isDone = () => made >= events
    await drive(makers, isDone, async (connection) => {
      await createCustomer(api, connection, `event-${made++}`)
      return true
    })
  })
}

/** New ones each time, because a server closes an idle connection after a while. */
async function onConnections<T>(
  port: number,
  count: number,
  run: (connections: readonly Connection[]) => Promise<T>,
): Promise<T> {
  const connections = await openConnections(port, count)
  try {
    return await run(connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function nameEndpoint(api: Api, connection: Connection, url: string): Promise<void> {
  await bodyOf(connection.send(api.patch('/config', JSON.stringify({ webhookEndpoint: url }))), 200)
}

/** Returns its id. The customer is approved at once, which is an event. */
async function createCustomer(api: Api, connection: Connection, name: string): Promise<string> {
  const body = JSON.stringify({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
    email: `${name}@example.com`,
  })
  return (await sent(connection, api.post('/customers', body), 201)).id
}

async function sent(connection: Connection, request: string, wanted: number): Promise<{ id: string }> {
  return JSON.parse(await bodyOf(connection.send(request), wanted)) as { id: string }
}

function apiOf({ tokenId, clientSecret }: Credentials, baseUrl: string): Api {
  return new Api(new URL(baseUrl).pathname, `${tokenId}:${clientSecret}`)
}

function print(seen: ReadonlyMap<World, readonly Seen[]>, { rounds, events }: HangingOptions): void {
  const [quiet] = seen.values()
  const columns = (rows: readonly Seen[], what: 'changes' | 'payments') => [
    ...[0.5, 0.99].map((share) => {
      const ms = median(rows.map((row) => quantile(row[what], share)))
      const ratio = median(
        rows.map((row, n) => quantile(row[what], share) / quantile(quiet![n]![what], share)),
      )
      return `${ms.toFixed(1)} ms (${ratio.toFixed(2)})`
    }),
  ]
  const rows = [...seen].map(([{ hanging }, figures]) => [
    hanging === 0 ? 'none' : `of ${hanging} platform${hanging === 1 ? '' : 's'}`,
    whole(median(figures.map(({ perSecond }) => perSecond))),
    ...columns(figures, 'changes'),
    ...columns(figures, 'payments'),
  ])
  const head = ['endpoints that hang', 'done/s', 'event p50', 'event p99', 'payment p50', 'payment p99']
  process.stdout.write(`
What ${CLIENTS} clients of a platform see of its events and of the payments that its endpoint lets in, while endpoints of other
platforms never answer and ${whole(events)} events are due to them; from the answer to the event, ${rounds} rounds in turn, medians.

${table([head, ...rows])}
In parentheses the ratio to none: it is to be ${RATIO_MAX} at most.
`)
}
