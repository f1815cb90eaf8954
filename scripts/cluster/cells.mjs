import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../free-port.mjs'
import { startCluster } from '../postgres.mjs'
import { addRole, distribute, startCitus } from './citus.mjs'
import { Link } from './link.mjs'
import { MAIN, runCommand } from './operator-command.mjs'
import { findCellPrograms, unprivilegedUser } from './packages.mjs'
import { Program, until } from './program.mjs'
import { cellProxy } from './proxies.mjs'

const NAMES = ['north', 'south']

/** @typedef {{ tokenId: string, clientSecret: string, baseUrl: string }} Credentials */
/**
 * A cell's PostgreSQL server, and its server's network link to it.
 * @typedef {{ cluster: import('../postgres.mjs').Cluster, link: Link }} CellDatabase
 */
/** @typedef {{ name: string, port: number, databaseUrl: string, program: Program, credentials: Credentials, map: string, database: CellDatabase }} Cell */

/** Cells are moved to another PostgreSQL server by logical replication. */
const SETTINGS = { wal_level: 'logical' }

/** Two cells on two PostgreSQL servers or on two Citus workers, behind HAProxy, in one temporary folder. */
export class Cells {
  /** @type {Cell[]} */
  cells = []
  port = 0
  /** @type {{ stop: () => Promise<void> }[]} */
  #clusters = []
  /** @type {Link[]} */
  #links = []
  /** @type {import('./citus.mjs').CitusCluster | undefined} */
  citus
  /** @type {Program[]} */
  #programs = []
  #user = unprivilegedUser()
  #onExit = () => this.#cleanUpOnExit()

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
    this.logs = path.join(folder, 'logs')
  }

  /** @param {(line: string) => void} say @param {{ onCitus?: boolean }} [options] */
  static async start(say, { onCitus = false } = {}) {
    const programs = findCellPrograms()
    const cells = new Cells(fs.mkdtempSync(path.join(tmpdir(), 'countersign-cells-')))
    fs.mkdirSync(cells.logs)
    process.on('exit', cells.#onExit)
    cells.port = await freePort()
    try {
      if (onCitus) {
        say('A coordinator of Citus and two workers …')
        cells.citus = await startCitus()
        cells.#clusters.push(cells.citus)
      }
      for (const name of NAMES) {
        say(`${name}: ${onCitus ? 'a schema' : 'PostgreSQL'} and a server …`)
        cells.cells.push(await cells.#startCell(name))
      }
      await cells.#startProxy(programs)
      return cells
    } catch (error) {
      await cells.stop()
      throw error
    }
  }

  /** The API's URL, through the proxy. */
  get baseUrl() {
    return `http://127.0.0.1:${this.port}${new URL(this.cells[0]?.credentials.baseUrl ?? '').pathname}`
  }

  /** @param {string} name @returns {Promise<Cell>} */
  async #startCell(name) {
    const database = await this.#startDatabase(name)
    const databaseUrl = `postgres://${name}@127.0.0.1:${database.link.port}/postgres`
    const data = path.join(this.folder, name)
    fs.mkdirSync(data, { mode: 0o700 })
    const port = await freePort()
    const env = {
      ...{ HOST: '127.0.0.1', PORT: String(port), COUNTERSIGN_DATA_DIR: data },
      ...{ PUBLIC_URL: `http://${name}.localhost:${this.port}`, TRUSTED_PROXIES: '127.0.0.0/8' },
      ...{ DATABASE_URL: databaseUrl, DATABASE_SCHEMA: name },
      ...{ COUNTERSIGN_MASTER_KEY: randomBytes(32).toString('hex'), COUNTERSIGN_REQUEST_LINES: 'off' },
    }
    const args = ['--enable-source-maps', MAIN]
    const program = new Program(name, { file: process.execPath, args, cwd: data, logs: this.logs, env })
    if (this.citus !== undefined) {
      // The first start creates the tables.
      await runCommand({ env }, 'cell', 'check')
      await distribute(this.citus, name)
    }
    this.#add(program)
    await until(
      `${name} is ready (see ${program.log})`,
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
    )
    const { lines } = await runCommand({ env }, 'cell', 'map')
    const credentials = JSON.parse(fs.readFileSync(path.join(data, 'credentials.json'), 'utf8'))
    return { name, port, databaseUrl, program, credentials, map: lines.join('\n'), database }
  }

  /** @param {string} name @returns {Promise<CellDatabase>} */
  async #startDatabase(name) {
    const cluster = this.citus?.coordinator ?? (await this.startCluster())
    await addRole(cluster, name)
    const link = new Link(cluster.port)
    this.#links.push(link)
    await link.listen()
    return { cluster, link }
  }

  /** Starts a PostgreSQL server that stops with the cells. */
  async startCluster() {
    const cluster = await startCluster({ settings: SETTINGS })
    this.#clusters.push(cluster)
    return cluster
  }

  /**
   * Checks that each cell is on a separate Citus worker and that its server reports no problem.
   * @param {(line: string) => void} say
   */
  async checkCitus(say) {
    if (this.citus === undefined) return
    const workerPorts = new Set()
    for (const { name, program } of this.cells) {
      const { findings } = await runCommand(program.options, 'cell', 'check')
      if (findings.length > 0) throw new Error(findings.join('\n'))
      workerPorts.add((await this.citus.findWorker(name)).port)
    }
    if (workerPorts.size !== this.cells.length) throw new Error('two cells are on one worker')
    say('Each cell is on a separate worker.')
  }

  /** @param {ReturnType<typeof findCellPrograms>} programs */
  async #startProxy(programs) {
    const maps = { hosts: path.join(this.folder, 'hosts.map'), tokens: path.join(this.folder, 'tokens.map') }
    fs.writeFileSync(maps.hosts, this.cells.map(({ name }) => `${name}.localhost ${name}\n`).join(''))
    fs.writeFileSync(maps.tokens, this.cells.map(({ map }) => `${map}\n`).join(''))
    fs.chmodSync(this.folder, 0o755)
    const base = { folder: this.folder, logs: this.logs, user: this.#user, programs }
    this.#add(cellProxy(base, this.port, this.cells, maps))
    for (const { name } of this.cells)
      await until(
        `the proxy leads to ${name} (see ${this.logs})`,
        async () => (await this.#call('/readyz', { host: `${name}.localhost` })).status === 200,
      )
  }

  /**
   * Creates a customer in each cell through the proxy, and checks that it is found there by token and by
   * host, and not in the other cell.
   * @param {(line: string) => void} say
   */
  async check(say) {
    const base = new URL(this.baseUrl).pathname
    /** @type {{ cell: Cell, id: string }[]} */
    const created = []
    for (const cell of this.cells) {
      const { status, body } = await this.#call(`${base}/customers`, { cell, name: `Ada of ${cell.name}` })
      if (status !== 201) throw new Error(`${cell.name} returned ${status} through the proxy`)
      created.push({ cell, id: body.id })
    }
    for (const { cell, id } of created)
      for (const other of this.cells) {
        const at = `${base}/customers/${id}`
        const byToken = await this.#call(at, { cell: other })
        const expected = other === cell ? 200 : 404
        if (byToken.status !== expected)
          throw new Error(`${other.name} returned ${byToken.status} for a customer of ${cell.name}`)
        const byHost = await this.#call(at, { cell: other, host: `${cell.name}.localhost` })
        if (byHost.status !== (other === cell ? 200 : 401))
          throw new Error(`the host of ${cell.name} returned ${byHost.status} for the token of ${other.name}`)
      }
    const { status } = await this.#call(`${base}/customers`, {})
    if (status !== 421) throw new Error(`a request of no cell returned ${status}`)
    say(`Both cells have the customers that were created in them, found by token and by host, and no others.`)
  }

  /**
   * @param {string} at a path
   * @param {{ cell?: Cell, host?: string, name?: string }} options `name`: creates a customer with this name
   * @returns {Promise<{ status: number, body: any }>}
   */
  async #call(at, { cell, host, name }) {
    const { tokenId, clientSecret } = cell?.credentials ?? {}
    const headers = {
      host: host ?? '127.0.0.1',
      ...(cell ? { authorization: `Basic ${btoa(`${tokenId}:${clientSecret}`)}` } : {}),
      ...(name === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const method = name === undefined ? 'GET' : 'POST'
    const body =
      name === undefined ? undefined : JSON.stringify({ customerType: 'INDIVIDUAL', fullName: name })
    // fetch does not allow setting the Host header.
    const response = await new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: this.port, path: at, method, headers, agent: false })
      sent.on('response', resolve).on('error', reject).end(body)
    })
    const received = await text(response)
    return { status: response.statusCode, body: received.startsWith('{') ? JSON.parse(received) : received }
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
    await Promise.all(this.#links.map((link) => link.close()))
    await Promise.all(this.#clusters.map((cluster) => cluster.stop()))
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Cleans up if the process exits without calling stop(). */
  #cleanUpOnExit() {
    for (const program of this.#programs) program.signal('SIGKILL')
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
