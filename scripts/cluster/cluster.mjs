import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { freePort } from '../free-port.mjs'
import { ROOT } from '../run.mjs'
import { Node } from './node.mjs'
import { MAIN } from './operator-command.mjs'
import { findPrograms, unprivilegedUser } from './packages.mjs'
import { Program, until } from './program.mjs'
import { databaseProxy, pooler, webProxy } from './proxies.mjs'

const pg = createRequire(path.join(ROOT, 'server/package.json'))('pg')
const NODES = ['node1', 'node2', 'node3']
const SERVERS = ['server1', 'server2']
const DATABASE = 'countersign'
/** Settings that a server sends when it connects. pgbouncer drops them. */
const SESSION = [
  "TimeZone = 'UTC'",
  "default_transaction_isolation = 'read committed'",
  'enable_seqscan = off',
  'jit = off',
]

/** The ways in which servers can reach PostgreSQL. */
export const WAYS = /** @type {const} */ (['proxy', 'hosts', 'session', 'transaction'])

/** @typedef {{ folder: string, logs: string, user: { uid?: number, gid?: number }, programs: ReturnType<typeof findPrograms>, giveToUser: (path: string) => void, hasDisks: boolean }} Base */
/** @typedef {{ name: string, port: number, program: Program }} Server */

/** Three PostgreSQL nodes behind a proxy, and two servers behind another proxy, in one temporary folder. */
export class Cluster {
  /** @type {Node[]} */
  nodes = []
  /** @type {Server[]} */
  servers = []
  /** @type {Program[]} */
  #programs = []
  #onExit = () => this.#cleanUpOnExit()

  /** @param {Base} base @param {typeof WAYS[number]} way */
  constructor(base, way) {
    this.base = base
    this.way = way
    this.masterKey = randomBytes(32).toString('hex')
    this.webPort = 0
    this.databasePort = 0
  }

  /**
   * Starts the whole cluster. With `hasDisks`, which needs root, each node has its own small disk.
   * @param {{ way?: typeof WAYS[number], hasDisks?: boolean, say?: (line: string) => void }} [options]
   */
  static async start({ way = 'proxy', hasDisks = false, say = () => {} } = {}) {
    const programs = findPrograms()
    const user = unprivilegedUser()
    const folder = fs.mkdtempSync(
      path.join(user.uid === undefined ? tmpdir() : '/tmp', 'countersign-cluster-'),
    )
    const giveToUser = (/** @type {string} */ file) => {
      if (user.uid !== undefined) fs.chownSync(file, user.uid, user.gid ?? 0)
    }
    giveToUser(folder)
    const logs = path.join(folder, 'logs')
    fs.mkdirSync(logs)
    const cluster = new Cluster({ folder, logs, user, programs, giveToUser, hasDisks }, way)
    process.on('exit', cluster.#onExit)
    try {
      await cluster.#startEngine(say)
      await cluster.#startServers(say)
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** The database's URL, through the proxy, or through a pooler in front of it. */
  get databaseUrl() {
    return this.urlOf(DATABASE)
  }

  get baseUrl() {
    return `http://127.0.0.1:${this.webPort}`
  }

  get credentials() {
    return JSON.parse(fs.readFileSync(path.join(this.base.folder, 'server', 'credentials.json'), 'utf8'))
  }

  /** @param {string} database @param {typeof WAYS[number]} [way] */
  urlOf(database, way = this.way) {
    if (way !== 'hosts') {
      const port = way === 'proxy' ? this.databasePort : this.poolPort
      return `postgres://postgres@127.0.0.1:${port}/${database}`
    }
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`
  }

  /** Finds a running program by name. @param {string} name */
  program(name) {
    const found = this.#programs.find((program) => program.name === name)
    if (!found) throw new Error(`There is no ${name}.`)
    return found
  }

  /** Finds the node that reports itself as the primary. */
  async primary() {
    const statuses = await Promise.all(this.nodes.map((node) => node.getStatus('/primary')))
    return this.nodes[statuses.indexOf(200)]
  }

  /** Waits until the primary has two standbys, one of them synchronous. */
  async waitUntilWhole() {
    await until('a primary and two standbys that keep up', async () => {
      const primary = await this.primary()
      if (!primary) return false
      const rows = await query(
        primary.localPort,
        'postgres',
        'SELECT state, sync_state FROM pg_stat_replication',
      )
      const streaming = rows.filter((row) => row.state === 'streaming')
      return streaming.length === this.nodes.length - 1 && streaming.some((row) => row.sync_state === 'sync')
    })
  }

  /** @param {(line: string) => void} say */
  async #startEngine(say) {
    const { base } = this
    const [client, peer] = [await freePort(), await freePort()]
    say('etcd …')
    const etcdFolder = path.join(base.folder, 'etcd')
    const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` }
    this.#add(
      new Program('etcd', {
        file: base.programs.etcd,
        args: [
          ...[
            '--enable-v2',
            '--name',
            'etcd',
            '--data-dir',
            etcdFolder,
            '--initial-cluster',
            `etcd=${urls.peer}`,
          ],
          ...['--listen-client-urls', urls.client, '--advertise-client-urls', urls.client],
          ...['--listen-peer-urls', urls.peer, '--initial-advertise-peer-urls', urls.peer],
        ],
        ...{ cwd: base.folder, logs: base.logs, user: base.user },
      }),
    )
    await until('etcd is ready', async () => (await fetch(`${urls.client}/health`)).ok)
    say('PostgreSQL: three nodes under Patroni …')
    for (const name of NODES) this.nodes.push(await Node.make(name, base, client))
    for (const node of this.nodes) node.start()
    this.databasePort = await freePort()
    this.#add(databaseProxy(base, this.databasePort, this.nodes))
    this.poolPort = await freePort()
    if (this.way === 'session' || this.way === 'transaction')
      this.#add(pooler(base, this.way, this.poolPort, this.databasePort))
    await this.waitUntilWhole()
    const rows = await until('the proxy leads to the primary', () =>
      query(this.databasePort, 'postgres', 'SELECT 1'),
    )
    if (rows.length !== 1) throw new Error('the proxy does not lead to PostgreSQL')
    await query(this.databasePort, 'postgres', `CREATE DATABASE ${DATABASE}`)
    for (const setting of SESSION)
      await query(this.databasePort, 'postgres', `ALTER DATABASE ${DATABASE} SET ${setting}`)
  }

  /** @param {(line: string) => void} say */
  async #startServers(say) {
    const { base } = this
    const data = path.join(base.folder, 'server')
    fs.mkdirSync(data, { mode: 0o700 })
    for (const name of SERVERS) {
      say(`${name} …`)
      const port = await freePort()
      const program = new Program(name, {
        file: process.execPath,
        args: ['--enable-source-maps', MAIN],
        ...{ cwd: data, logs: base.logs },
        env: {
          ...{ HOST: '127.0.0.1', PORT: String(port), COUNTERSIGN_DATA_DIR: data },
          ...{ DATABASE_URL: this.databaseUrl, COUNTERSIGN_MASTER_KEY: this.masterKey },
          ...{ COUNTERSIGN_REQUEST_LINES: 'off', LOG_LEVEL: 'info' },
        },
      })
      this.servers.push({ name, port, program })
      this.#add(program)
      await until(`${name} is ready (see ${program.log})`, async () => {
        return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
      })
    }
    this.webPort = await freePort()
    this.#add(webProxy(base, this.webPort, this.servers))
    await until(
      'the servers answer through their proxy',
      async () => (await fetch(`${this.baseUrl}/readyz`)).ok,
    )
    await until('the first credentials', async () => this.credentials.tokenId)
  }

  /** @param {Program} program */
  #add(program) {
    this.#programs.push(program)
    program.start()
  }

  /** Stops everything and removes the folder. */
  async stop() {
    process.off('exit', this.#onExit)
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')))
    await Promise.all(this.nodes.map((node) => node.close()))
    fs.rmSync(this.base.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Cleans up if the process exits without calling stop(). */
  #cleanUpOnExit() {
    for (const program of this.#programs) program.signal('SIGKILL')
    for (const node of this.nodes) {
      void node.kill()
      node.unmount()
    }
    fs.rmSync(this.base.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Runs a single statement on a new connection.
 * @param {number} port @param {string} database @param {string} text @param {unknown[]} [values]
 * @returns {Promise<any[]>}
 */
export async function query(port, database, text, values = []) {
  const client = await connect(port, database)
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** @param {number} port @param {string} database */
export async function connect(port, database, timeoutMs = 3000) {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'postgres', database },
    ...{ connectionTimeoutMillis: timeoutMs, query_timeout: 60_000 },
  })
  client.on('error', () => {})
  await client.connect()
  return client
}
