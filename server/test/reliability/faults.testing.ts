import { randomInt } from 'node:crypto'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFailed } from 'vitest'
import { openDatabase } from '../../src/storage/engine/open.ts'
import type { Database, QueryOptions, StatementResult } from '../../src/storage/engine/port.ts'
import { type Options, openServer, type TestServer } from '../worlds/server.testing.ts'

/**
 * A database that sometimes fails as PostgreSQL does. A conflict fails the statement before it has an effect,
 * or the commit. A lost connection loses the statement, or only its response.
 */
class FaultyDatabase implements Database {
  readonly kind: Database['kind']
  /** The database without injected faults. */
  readonly inner: Database
  #random = new Random(0)
  #conflicts = 0
  #losses = 0
  #stalled: { readonly sql: RegExp; readonly over: Promise<void> } | undefined
  /** The number of injected faults, by code. */
  readonly injected = new Map<string, number>()

  constructor(inner: Database) {
    this.kind = inner.kind
    this.inner = inner
  }

  /** Makes this share of transactions fail: half of it immediately, half at the commit if there is one. */
  async conflict(share: number, random: Random): Promise<void> {
    await makeConflictsAtCommit(this.inner, share / 2, random)
    this.#random = random.fork()
    this.#conflicts = share / 2
  }

  /** Makes this share of statements lose its connection. */
  lose(share: number, random: Random): void {
    this.#random = random.fork()
    this.#losses = share
  }

  /** Blocks matching statements until the returned function is called. */
  stall(sql: RegExp): () => void {
    let resume!: () => void
    const over = new Promise<void>((resolve) => {
      resume = resolve
    })
    this.#stalled = { sql, over }
    return () => {
      this.#stalled = undefined
      resume()
    }
  }

  /** Stops injecting faults. */
  async heal(): Promise<void> {
    this.#conflicts = 0
    this.#losses = 0
    await stopConflictsAtCommit(this.inner)
  }

  async query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<StatementResult<Row>> {
    if (this.#stalled?.sql.test(sql)) await this.#stalled.over
    if (this.#random.chance(this.#conflicts)) throw this.#conflictError()
    if (!this.#random.chance(this.#losses)) return this.inner.query(sql, parameters, options)
    if (this.#random.chance(0.5)) await this.inner.query(sql, parameters, options)
    throw this.#lossError()
  }

  script(sql: string): Promise<void> {
    return this.inner.script(sql)
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  #conflictError(): Error {
    return this.#random.chance(0.5)
      ? this.#error('40001', 'could not serialize access due to concurrent update')
      : this.#error('40P01', 'deadlock detected')
  }

  /** The error that pg reports: the socket's error, or the server's last message. */
  #lossError(): Error {
    return this.#random.pick([
      () => this.#error(undefined, 'Connection terminated unexpectedly'),
      () => this.#error('ECONNRESET', 'read ECONNRESET'),
      () => this.#error('EPIPE', 'write EPIPE'),
      () => this.#error('57P01', 'terminating connection due to administrator command'),
      () => this.#error('08006', 'connection failure'),
    ])()
  }

  #error(code: string | undefined, message: string): Error {
    const name = code ?? message
    this.injected.set(name, (this.injected.get(name) ?? 0) + 1)
    return Object.assign(new Error(message), code === undefined ? {} : { code })
  }
}

/**
 * Makes a share of all writing transactions fail at their commit, with all changes undone, as a serialization
 * failure or a deadlock. The transaction's number and the seed select them.
 */
export async function makeConflictsAtCommit(db: Database, share: number, random: Random): Promise<void> {
  const percent = Math.round(share * 100)
  await db.script(`
    CREATE SEQUENCE reliability_conflicts;
    CREATE OR REPLACE FUNCTION reliability_conflict() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE lot integer := abs(hashint8(pg_current_xact_id()::text::bigint + ${random.below(1_000_000)}) % 200);
    BEGIN
      IF lot >= ${2 * percent} THEN RETURN NULL; END IF;
      -- What a sequence has given out stays given out.
      PERFORM nextval('reliability_conflicts');
      IF lot < ${percent} THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END IF;
      RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
    END $$;`)
  // The parts of a divided table get the trigger from it.
  const { rows } = await db.query<{ name: string }>(`
    SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'migrations'`)
  // Each in its own transaction: locks on several tables could deadlock with a server's transaction.
  for (const { name } of rows)
    await db.script(
      `CREATE CONSTRAINT TRIGGER reliability_conflict AFTER INSERT OR UPDATE OR DELETE ON ${name}
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reliability_conflict()`,
    )
}

/** Counts the commits that failed because of `makeConflictsAtCommit`. */
export async function countConflictsAtCommit(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM reliability_conflicts',
  )
  return Number(rows[0]!.count)
}

/**
 * Stops the failures of `makeConflictsAtCommit`. The triggers stay: dropping them locks all tables, which can
 * deadlock with a server's transaction.
 */
export function stopConflictsAtCommit(db: Database): Promise<void> {
  return db.script(
    'CREATE OR REPLACE FUNCTION reliability_conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
  )
}

/** `npm run reliability` runs the full sizes. Every other run takes a second or two per test. */
export const isFull = process.env.RELIABILITY === 'full'

/** Random choices that follow from a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** An integer from 0 to `end`, without `end`. */
  below(end: number): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  chance(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }

  /** Independent choices for one of several parallel clients, whose order is not determined. */
  fork(): Random {
    return new Random(this.below(2 ** 31))
  }
}

/** The seed of a test: printed when it fails, and set by `RELIABILITY_SEED` to repeat it. */
export function seededRandom(): Random {
  const seed = Number(process.env.RELIABILITY_SEED ?? randomInt(2 ** 31))
  onTestFailed(() => console.error(`To have the same choices again: RELIABILITY_SEED=${seed}`))
  return new Random(seed)
}

/** A connection that forwards nothing is closed after this time. */
const SILENT_MS = 3000
const DELAY_MS_MAX = 300
/** A faulty connection breaks within this number of bytes, which is a few calls with their responses. */
const BYTES_MAX = 4000

/** The faults of one connection. */
interface Fate {
  /** Nothing is forwarded. */
  readonly isSilent?: boolean
  /** The delay of bytes, in both directions. */
  readonly delayMs?: number
  /** The connection breaks after this number of bytes of a call or a response, in the middle of a message. */
  readonly callBytes?: number
  readonly responseBytes?: number
}

/** A network between two programs: a TCP proxy on its own port to the current target. */
export class Network {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The share of new connections that get a fault. */
  faults = 0
  /** True if new connections are refused. */
  isDown = false
  /** The number of connections that got a fault, or were cut. */
  broken = 0

  private constructor(server: Server) {
    this.#server = server
  }

  /** `target` returns the current port of the other end, if there is one. */
  static async open(target: () => number | undefined, random: Random): Promise<Network> {
    const server = createServer()
    const network = new Network(server)
    server.on('connection', (caller) => {
      const port = target()
      if (network.isDown || port === undefined) caller.destroy()
      else network.#connect(caller, port, network.#selectFate(random))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return network
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Breaks every connection. */
  cut(): void {
    this.broken += this.#sockets.size
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Stops injecting faults. */
  heal(): void {
    this.faults = 0
    this.isDown = false
    this.cut()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #selectFate(random: Random): Fate {
    if (!random.chance(this.faults)) return {}
    this.broken += 1
    return random.pick([
      () => ({ isSilent: true }),
      () => ({ delayMs: random.below(DELAY_MS_MAX) }),
      () => ({ callBytes: random.below(BYTES_MAX) }),
      () => ({ responseBytes: random.below(BYTES_MAX) }),
    ])()
  }

  #connect(caller: Socket, port: number, fate: Fate): void {
    this.#track(caller)
    if (fate.isSilent) {
      caller.resume()
      setTimeout(() => caller.destroy(), SILENT_MS).unref()
      return
    }
    const callee = new Socket()
    this.#track(callee)
    callee.connect(port, '127.0.0.1')
    forwardBytes(caller, callee, fate.delayMs, fate.callBytes)
    forwardBytes(callee, caller, fate.delayMs, fate.responseBytes)
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }
}

function forwardBytes(
  from: Socket,
  to: Socket,
  delayMs: number | undefined,
  bytesMax = Number.POSITIVE_INFINITY,
) {
  let remaining = bytesMax
  let written: Promise<unknown> = Promise.resolve()
  const forward = (bytes: Buffer) => {
    const part = bytes.subarray(0, remaining)
    remaining -= part.length
    to.write(part, () => {
      if (remaining > 0) return
      from.destroy()
      to.destroy()
    })
  }
  from.on('data', (bytes: Buffer) => {
    if (delayMs === undefined) forward(bytes)
    else written = written.then(() => pause(delayMs)).then(() => forward(bytes))
  })
  from.on('end', () => void written.then(() => to.end()))
  from.on('close', (hadError) => {
    if (hadError || !from.readableEnded) to.destroy()
  })
}

/** A server whose database can be made to fail. */
export interface FaultyServer extends TestServer {
  readonly faults: FaultyDatabase
}

export async function openFaultyServer(options: Options = {}): Promise<FaultyServer> {
  let faults: FaultyDatabase | undefined
  const server = await openServer(
    {},
    {
      ...options,
      openDatabase: async (config) => {
        faults = new FaultyDatabase(await openDatabase(config))
        return faults
      },
    },
  )
  if (!faults) throw new Error('The server has not opened its database')
  return Object.assign(server, { faults })
}
