import { beforeAll, expect, test } from 'vitest'
import { openPostgres } from '../../src/storage/engine/postgres.ts'
import { ensureServerBuilt, newPlace, onPostgres, ServerProcess } from '../worlds/server-process.testing.ts'
import { Bank, expectEachOnce, watch } from './bank.testing.ts'
import {
  conflictsAtCommit,
  isFull,
  makeConflictsAtCommit,
  noConflictsAtCommit,
  seededRandom,
} from './faults.testing.ts'

beforeAll(ensureServerBuilt)

const CLIENTS = 20
const WORK_MS = isFull ? 15_000 : 1500
/** The number of times that one of the processes is killed and restarted. */
const KILLS = isFull ? 5 : 1

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test.runIf(onPostgres)(
  'two processes on one database create and lose no money, even if commits fail, connections break and one is killed',
  async () => {
    const random = seededRandom()
    const place = await newPlace()
    const servers = [await ServerProcess.ready(place), await ServerProcess.ready(place)]
    const clients = servers.map((server) => server.client())
    const any = () => random.pick(clients)
    // Uses another name, because the connections of the servers are terminated by theirs.
    const db = await openPostgres(`${place.databaseUrl}?application_name=watcher`)
    const bank = await Bank.open(any, random, { survives: true })
    await makeConflictsAtCommit(db, 0.1, random)
    const endMs = performance.now() + WORK_MS
    const isOver = () => performance.now() > endMs
    let isStarting = false
    const killer = async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(random.below(WORK_MS / KILLS))
        const [n, server] = random.pick([...servers.entries()])
        await server.kill('SIGKILL')
        isStarting = true
        servers[n] = await ServerProcess.ready(place)
        isStarting = false
        clients[n] = servers[n].client()
      }
    }
    const breaker = async () => {
      while (!isOver()) {
        await pause(500)
        // A server that cannot reach its database does not start.
        if (!isStarting) await db.query(BREAK_CONNECTIONS, [random.below(3)])
      }
    }
    await Promise.all([
      killer(),
      breaker(),
      watch(db, bank, any, random, isOver),
      bank.work(CLIENTS, random.fork(), isOver),
    ])
    expect(await conflictsAtCommit(db)).toBeGreaterThan(0)
    await noConflictsAtCommit(db)
    await expectEachOnce(db, bank, any())
    await db.close()
  },
)

/** Breaks connections as an operator or a proxy does: every third connection of the servers, by number. */
const BREAK_CONNECTIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'countersign %' AND pid % 3 = $1::int`
