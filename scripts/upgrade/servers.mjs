import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { Link } from '../cluster/link.mjs'
import { Program, until } from '../cluster/program.mjs'
import { freePort } from '../free-port.mjs'

const PROBE_MS = 100
/**
 * The value in production. Callers close idle connections sooner, so none of them sends a request on a
 * connection that is being closed.
 */
const DRAIN_SECONDS = 5

/**
 * Servers behind one address that share a database and are restarted, one after another, with another build.
 */
export class Servers {
  #next = 0
  /** @type {{ port: number, program: Program, isReady: boolean }[]} */
  #all = []
  #link = new Link(() => this.#readyPort())
  #probe = setInterval(() => void this.#findReady(), PROBE_MS)

  /** @param {string} folder @param {string} databaseUrl */
  constructor(folder, databaseUrl) {
    this.folder = folder
    this.env = {
      ...{ HOST: '127.0.0.1', DATABASE_URL: databaseUrl, COUNTERSIGN_DATA_DIR: path.join(folder, 'data') },
      ...{ COUNTERSIGN_MASTER_KEY: randomBytes(32).toString('hex'), COUNTERSIGN_REQUEST_LINES: 'off' },
      ...{ COUNTERSIGN_DRAIN_SECONDS: String(DRAIN_SECONDS), LOG_LEVEL: 'info' },
    }
    fs.mkdirSync(path.join(folder, 'data'), { mode: 0o700 })
    fs.mkdirSync(path.join(folder, 'logs'))
  }

  /** The folder and settings for operator commands. */
  get options() {
    return { cwd: this.folder, env: this.env }
  }

  listen() {
    return this.#link.listen()
  }

  get origin() {
    return `http://127.0.0.1:${this.#link.port}`
  }

  get credentials() {
    return JSON.parse(fs.readFileSync(path.join(this.folder, 'data', 'credentials.json'), 'utf8'))
  }

  /** Starts another server. @param {string} main */
  async add(main) {
    const port = await freePort()
    const server = {
      port,
      program: this.program(main, `server${this.#all.length + 1}`, port),
      isReady: false,
    }
    this.#all.push(server)
    await this.#start(server)
    // A server responds before it has created the credentials.
    await until('the first credentials', async () => this.credentials.tokenId)
  }

  /**
   * Restarts one server with another build. As behind a load balancer, it first finishes its requests.
   * @param {number} index @param {string} main
   */
  async replace(index, main) {
    const server = this.#all[index]
    if (!server) throw new Error(`There is no server ${index}.`)
    await server.program.end('SIGTERM')
    server.program = this.program(main, `server${index + 1}`, server.port)
    await this.#start(server)
  }

  /** @param {string} main @param {string} name @param {number} port @param {readonly string[]} [args] */
  program(main, name, port, args = []) {
    return new Program(name, {
      file: process.execPath,
      args: ['--enable-source-maps', main, ...args],
      cwd: this.folder,
      logs: path.join(this.folder, 'logs'),
      env: { ...this.env, PORT: String(port) },
    })
  }

  /** @param {number} index */
  async stopOne(index) {
    await this.#all[index]?.program.end('SIGTERM')
  }

  async stop() {
    clearInterval(this.#probe)
    await Promise.all(this.#all.map(({ program }) => program.end('SIGKILL')))
    await this.#link.close()
  }

  /** @param {{ port: number, program: Program, isReady: boolean }} server */
  async #start(server) {
    server.program.start()
    await until(`${server.program.name} is ready (see ${server.program.log})`, async () => {
      if (!server.program.isRunning) throw new Error('it has ended')
      return server.isReady
    })
  }

  async #findReady() {
    for (const server of this.#all)
      server.isReady = await fetch(`http://127.0.0.1:${server.port}/readyz`)
        .then(({ ok }) => ok)
        .catch(() => false)
  }

  #readyPort() {
    const ready = this.#all.filter(({ isReady }) => isReady)
    this.#next += 1
    return ready[this.#next % ready.length]?.port ?? 1
  }
}
