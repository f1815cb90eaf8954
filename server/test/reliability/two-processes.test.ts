import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, test } from 'vitest'
import { openPostgres } from '../../src/storage/engine/postgres.ts'
import { ensureServerBuilt, newPlace, onPostgres, ServerProcess } from '../worlds/server-process.testing.ts'
import { Bank, expectEachOnce, watchBooks } from './bank.testing.ts'
import {
  countConflictsAtCommit,
  isFull,
  makeConflictsAtCommit,
  seededRandom,
  stopConflictsAtCommit,
} from './faults.testing.ts'

beforeAll(ensureServerBuilt)

const CLIENTS = 20
const WORK_MS = isFull ? 15_000 : 1500
/** The number of times that one of the processes is killed and restarted. */
const KILLS = isFull ? 5 : 1

test.runIf(onPostgres)(
  'two processes on one database create and lose no money, even if commits fail, connections break and one is killed',
  async () => {
    const random = seededRandom()
    const place = await newPlace()
    const servers = [await ServerProcess.ready(place), await ServerProcess.ready(place)]
    const clients = servers.map((server) => server.client())
    const pickClient = () => random.pick(clients)
    // Has another application name, because the test terminates connections by the name that servers use.
    const db = await openPostgres(`${place.databaseUrl}?application_name=watcher`)
    const bank = await Bank.open(pickClient, random, { survives: true })
    await makeConflictsAtCommit(db, 0.1, random)
    const endMs = performance.now() + WORK_MS
    let conflicts = 0
    // On a busy machine it takes longer until a commit has failed.
    const isOver = () => performance.now() > endMs && conflicts > 0
    let isStarting = false
    const killRepeatedly = async () => {
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
    const breakConnections = async () => {
      while (!isOver()) {
        await pause(500)
        conflicts = await countConflictsAtCommit(db)
        // A server that cannot reach its database does not start.
        if (!isStarting) await db.query(BREAK_CONNECTIONS, [random.below(3)])
      }
    }
    await Promise.all([
      killRepeatedly(),
      breakConnections(),
      watchBooks(db, bank, pickClient, random, isOver),
      bank.moveMoney(CLIENTS, random.fork(), isOver),
    ])
    await stopConflictsAtCommit(db)
    await expectEachOnce(db, bank, pickClient())
    await db.close()
  },
)

/** Terminates every third connection of the servers, as an operator or a proxy may do. */
const BREAK_CONNECTIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'countersign %' AND pid % 3 = $1::int`
