import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Countersign } from '@countersign/sdk'
import { makeAgentPayer } from './agent-payers.ts'
import { after, type Connection, drive, openConnections } from './connections.ts'
import { Api, bodyOf } from './payments.ts'
import {
  type DatabaseKind,
  newPlace,
  type RunningProcess,
  readCredentials,
  startServer,
} from './server-process.ts'
import { median, quantile, table, whole } from './table.ts'

const OTHERS = 8
const ATTACKERS = 2
const WARM_UP_SECONDS = 1
const MEBIBYTE = 1024 * 1024
const RATIO_MAX = 2

export interface HostileOptions {
  readonly database: DatabaseKind
  readonly seconds: number
  readonly rounds: number
}

/** An attack on the server while others use it. */
export interface Attack {
  readonly name: string
  /** Runs until the time is over. Returns the number of repetitions. */
  run(isOver: () => boolean): Promise<number>
}

/** The others' times during one attack in one round, and the rate of the attack per second. */
interface Seen {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly perSecond: number
  readonly attacksPerSecond: number
}

/** Measures requests of others while callers send bodies that are costly to parse. Prints a table. */
export async function runHostile({ database, seconds, rounds }: HostileOptions): Promise<void> {
  const place = await newPlace(database)
  const servers: RunningProcess[] = []
  try {
    const { server, baseUrl } = await startServer(place)
    servers.push(server)
    const credentials = readCredentials(place, baseUrl)
    const { port, pathname } = new URL(baseUrl)
    const api = new Api(pathname, `${credentials.tokenId}:${credentials.clientSecret}`)
    const agent = await makeAgentPayer(credentials, 0)
    const params = { agentId: agent.agentId }
    await new Countersign(credentials).call('agent_update', { params, body: { isPaused: true } })
    const body = hostileBody(MEBIBYTE)
    const attack = (name: string, request: string) => bodies(name, Number(port), request)
    const attacks: readonly Attack[] = [
      attack('a paused agent, 1 MiB', new Api(pathname, agent).post('/agents/me/quotes', body)),
      attack('an unknown caller, 1 MiB', new Api(pathname, 'no:body').post('/quotes', body)),
      attack('a valid token, 1 MiB', api.post('/quotes', body)),
      attack('a valid token, 64 KiB where allowed', api.patch('/config', hostileBody(64 * 1024))),
    ]
    await compareAttacks(attacks, { api, port: Number(port), seconds, rounds })
  } finally {
    for (const one of servers) await one.stop()
    await place.remove()
  }
}

/** Runs each attack and none in turn, round by round, while others read. Prints their times as ratios. */
export async function compareAttacks(
  attacks: readonly Attack[],
  target: { readonly api: Api; readonly port: number; readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const { api, port, seconds, rounds } = target
  const connections = await openConnections(port, OTHERS)
  const request = api.get('/transactions?limit=1')
  const all: readonly Attack[] = [NO_ATTACK, ...attacks]
  const seen = new Map<Attack, Seen[]>(all.map((attack) => [attack, []]))
  await during(NO_ATTACK, connections, request, WARM_UP_SECONDS)
  for (let n = 0; n < rounds; n++)
    // Changes the order, so that none is always the first or the last.
    for (const attack of n % 2 === 0 ? all : [...all].reverse())
      seen.get(attack)!.push(await during(attack, connections, request, seconds))
  for (const connection of connections) connection.close()
  print(seen, rounds)
}

const NO_ATTACK: Attack = { name: 'nothing', run: async () => 0 }

async function during(
  attack: Attack,
  connections: readonly Connection[],
  request: string,
  seconds: number,
): Promise<Seen> {
  const isOver = after(seconds)
  const attacking = attack.run(isOver)
  const times: number[] = []
  const { done, seconds: taken } = await drive(connections, isOver, async (connection) => {
    const sentAt = performance.now()
    await bodyOf(connection.send(request), 200)
    times.push(performance.now() - sentAt)
    return true
  })
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    perSecond: done / taken,
    attacksPerSecond: (await attacking) / taken,
  }
}

/** A request that is repeated, each time on its own connection. */
function bodies(name: string, port: number, request: string): Attack {
  const bytes = Buffer.from(request, 'latin1')
  return {
    name,
    async run(isOver) {
      let sent = 0
      const attacker = async () => {
        while (!isOver()) {
          await sendOnce(port, bytes)
          sent++
          await setImmediate()
        }
      }
      await Promise.all(Array.from({ length: ATTACKERS }, attacker))
      return sent
    },
  }
}

/** Waits until an answer arrives or the server closes the connection. */
function sendOnce(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes))
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
    socket.once('close', () => resolve())
  })
}

/** JSON of very many short members, with an integer that a double cannot hold. */
function hostileBody(bytes: number): string {
  const head = '{"amount":12345678901234567,"supportedCurrencies":['
  return `${head}${'1,'.repeat((bytes - head.length - 4) / 2)}1]}`
}

function print(seen: ReadonlyMap<Attack, readonly Seen[]>, rounds: number): void {
  const quiet = seen.get(NO_ATTACK)!
  const of = (rows: readonly Seen[], what: keyof Seen) => median(rows.map((row) => row[what]))
  const rows = [...seen].map(([{ name }, figures]) => [
    name,
    whole(of(figures, 'attacksPerSecond')),
    whole(of(figures, 'perSecond')),
    `${of(figures, 'p50Ms').toFixed(1)} ms`,
    `${of(figures, 'p99Ms').toFixed(1)} ms`,
    median(figures.map(({ p99Ms }, n) => p99Ms / quiet[n]!.p99Ms)).toFixed(2),
  ])
  process.stdout.write(`
What ${OTHERS} clients see of GET /transactions?limit=1 while ${ATTACKERS} connections do something else; ${rounds} rounds in turn, medians.

${table([['', 'attacks/s', 'requests/s', 'p50', 'p99', 'p99 to nothing'], ...rows])}
The last column is to be ${RATIO_MAX} at most.
`)
}
