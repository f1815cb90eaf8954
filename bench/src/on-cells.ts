import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Countersign } from '@countersign/sdk'
import { buildAuthorization, type Target } from './load.ts'
import { RoundTrips } from './round-trips.ts'
import type { Payer } from './seed.ts'
import { type Deployment, ROOT, type RunningProcess, readCredentials, startServer } from './server-process.ts'

const SETTINGS = {
  shared_buffers: '256MB',
  checkpoint_timeout: '1h',
  min_wal_size: '1GB',
  max_wal_size: '4GB',
}
const FUNDS = 1_000_000_000n
/** Number of customers created concurrently. */
const CONCURRENCY = 16
const MAIN = join(ROOT, 'server/dist/main.js')

interface Cluster {
  readonly url: string
  readonly bin: string
  readonly port: number
  pause(): Promise<void>
  stop(): Promise<void>
}

interface CitusCluster {
  readonly coordinator: Cluster
  findWorker(schema: string): Promise<Cluster>
  stop(): Promise<void>
}

interface Scripts {
  startCluster(options: { settings: object }): Promise<Cluster>
  hasCitus(): boolean
  startCitus(options: { settings: object }): Promise<CitusCluster>
  addRole(cluster: Cluster, name: string): Promise<void>
  distribute(citus: CitusCluster, name: string): Promise<void>
}

/** A cell whose server is put under load. */
export interface Cell {
  readonly name: string
  readonly target: Target
  readonly payers: readonly Payer[]
  /**
   * Restarts the server behind a proxy that counts round trips to PostgreSQL, runs the work, and removes the
   * proxy.
   */
  withRoundTripCounter<T>(work: (target: Target, trips: () => number) => Promise<T>): Promise<T>
  /** Stops the cell's server and PostgreSQL. */
  stop(): Promise<void>
}

export interface Cells {
  readonly plain: readonly [Cell, Cell]
  /**
   * On Citus: one cell with its server next to the worker that holds it, and one with its server next to the
   * coordinator. Undefined without Citus.
   */
  readonly citus: readonly [Cell, Cell] | undefined
}

/** Starts the cells with their accounts, runs the bench, and removes everything. */
export async function runOnCells(accounts: number, run: (cells: Cells) => Promise<void>): Promise<void> {
  const cleanups: (() => Promise<unknown>)[] = []
  try {
    const scripts = await readScripts()
    const createFolder = async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
      cleanups.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
      return dataDir
    }
    const open = (name: string, cluster: Cluster, dataDir: string) =>
      openCell({ name, cluster, dataDir }, accounts, cleanups)
    const openPlainCell = async (name: string) => {
      const cluster = await scripts.startCluster({ settings: SETTINGS })
      cleanups.push(() => cluster.stop())
      await scripts.addRole(cluster, name)
      return open(name, cluster, await createFolder())
    }
    const openCitusCells = async (): Promise<[Cell, Cell]> => {
      const citus = await scripts.startCitus({ settings: SETTINGS })
      cleanups.push(() => citus.stop())
      const [east, west] = [await createFolder(), await createFolder()]
      await distributeCell(scripts, citus, 'east', east)
      await distributeCell(scripts, citus, 'west', west)
      return [
        await open('east', await citus.findWorker('east'), east),
        await open('west', citus.coordinator, west),
      ]
    }
    const cells = [await openPlainCell('north'), await openPlainCell('south')] as const
    await run({ plain: cells, citus: scripts.hasCitus() ? await openCitusCells() : undefined })
  } finally {
    for (const cleanUp of cleanups.reverse()) await cleanUp()
  }
}

async function readScripts(): Promise<Scripts> {
  const modules = ['scripts/postgres.mjs', 'scripts/cluster/citus.mjs']
  const [postgres, citus] = await Promise.all(
    modules.map((file) => import(pathToFileURL(join(ROOT, file)).href)),
  )
  return { ...postgres, ...citus }
}

/** Creates the cell's tables first, because they must exist before the schema moves to a worker. */
async function distributeCell(
  scripts: Scripts,
  citus: CitusCluster,
  name: string,
  dataDir: string,
): Promise<void> {
  await scripts.addRole(citus.coordinator, name)
  const env = { ...process.env, ...buildCellEnv(name, dataDir, buildUrl(citus.coordinator, name)) }
  await promisify(execFile)(process.execPath, [MAIN, 'cell', 'check'], { env })
  await scripts.distribute(citus, name)
}

async function openCell(
  { name, cluster, dataDir }: { name: string; cluster: Cluster; dataDir: string },
  accounts: number,
  cleanups: (() => Promise<unknown>)[],
): Promise<Cell> {
  const createCellDeployment = (url: string): Deployment => ({
    ...{ dataDir, cluster, env: buildCellEnv(name, dataDir, url) },
    remove: async () => {},
  })
  const deployment = createCellDeployment(buildUrl(cluster, name))
  let running: RunningProcess | undefined
  cleanups.push(async () => running?.stop())
  const start = async (at: Deployment): Promise<Target> => {
    await running?.stop()
    const { server, baseUrl } = await startServer(at)
    running = server
    return { baseUrl, pid: server.pid, authorization: buildAuthorization(readCredentials(at, baseUrl)) }
  }
  let target = await start(deployment)
  const payers = await makePayers(new Countersign(readCredentials(deployment, target.baseUrl)), accounts)
  return {
    name,
    payers,
    get target() {
      return target
    },
    withRoundTripCounter: async (work) => {
      const counter = await RoundTrips.open(cluster.port)
      const url = buildUrl(cluster, name).replace(`:${cluster.port}/`, `:${counter.port}/`)
      try {
        return await work(await start(createCellDeployment(url)), () => counter.count)
      } finally {
        target = await start(deployment)
        await counter.close()
      }
    },
    stop: async () => {
      await running?.stop()
      await cluster.pause()
    },
  }
}

const buildCellEnv = (name: string, dataDir: string, url: string) => ({
  ...{ COUNTERSIGN_DATA_DIR: dataDir, DATABASE_URL: url, DATABASE_SCHEMA: name },
})

const buildUrl = ({ url }: Cluster, role: string) => url.replace('postgres@', `${role}@`)

/** Creates funded accounts through the API, because that works on every engine. Each has a bank account. */
async function makePayers(countersign: Countersign, count: number): Promise<Payer[]> {
  const created: Payer[] = []
  let started = 0
  const createMaker = async () => {
    while (started < count) created.push(await makePayer(countersign, started++))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, createMaker))
  return created
}

async function makePayer(countersign: Countersign, n: number): Promise<Payer> {
  const customer = await countersign.customers.create({
    ...{ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', currencies: ['USD'] },
    email: `cell-${n}@bench.example`,
  })
  const { data } = await countersign.internalAccounts.list({ customerId: customer.id, currency: 'USD' })
  const account = data.find(({ type }) => type === 'INTERNAL_FIAT')
  if (!account) throw new Error('The customer has no account for dollars.')
  await countersign.sandbox.fund(account.id, { amount: FUNDS })
  const bank = await countersign.externalAccounts.create({
    ...{ customerId: customer.id, currency: 'USD' },
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '000123456789', routingNumber: '021000021' },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  return { accountId: account.id, bankAccountId: bank.id }
}
