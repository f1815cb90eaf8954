import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { get } from 'node:http'
import * as path from 'node:path'
import { freePort } from '../free-port.mjs'
import { Link } from './link.mjs'
import { Program } from './program.mjs'

/** In seconds. A primary that has disappeared is replaced once its lease (`ttl`) has expired. */
export const LEASE = { ttl: 10, loop_wait: 1, retry_timeout: 3 }
/** The size of each node's own disk. */
const DISK = '1g'
const QUERY_TIMEOUT_MS = 1000

const PARAMETERS = {
  max_connections: 150,
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  wal_keep_size: '128MB',
  max_wal_size: '256MB',
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
  lc_messages: 'C',
}

/** @typedef {import('./cluster.mjs').Base} Base */

/**
 * One machine of the cluster: PostgreSQL under Patroni. All traffic to it and to etcd passes through its
 * cables.
 */
export class Node {
  /** @param {string} name @param {Base} base @param {{ pg: number, rest: number, etcd: Link, links: Link[] }} ports */
  constructor(name, base, ports) {
    this.name = name
    this.base = base
    /** PostgreSQL's own port, for programs on the same machine. */
    this.localPort = ports.pg
    this.localRest = ports.rest
    this.links = ports.links
    /** @type {[Link, Link, Link]} */
    const [pg, rest] = /** @type {any} */ (ports.links)
    this.port = pg.port
    this.rest = rest.port
    this.folder = path.join(base.folder, name)
    this.data = path.join(this.folder, 'data')
    const config = path.join(base.folder, `${name}.yml`)
    fs.mkdirSync(this.folder, { mode: 0o700 })
    if (base.hasDisks) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', this.folder])
    base.giveToUser(this.folder)
    // JSON is valid YAML.
    fs.writeFileSync(config, JSON.stringify(this.#settings(ports.etcd.port), undefined, 2))
    this.patroni = new Program(name, {
      file: base.programs.patroni,
      args: [config],
      cwd: this.folder,
      logs: base.logs,
      user: base.user,
    })
  }

  /** @param {string} name @param {Base} base @param {number} etcdPort */
  static async make(name, base, etcdPort) {
    const [pg, rest] = [await freePort(), await freePort()]
    const links = [new Link(pg), new Link(rest), new Link(etcdPort)]
    for (const link of links) await link.listen()
    return new Node(name, base, { pg, rest, etcd: /** @type {Link} */ (links[2]), links })
  }

  /** @param {number} etcdPort */
  #settings(etcdPort) {
    return {
      scope: 'countersign',
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.localRest}`, connect_address: `127.0.0.1:${this.rest}` },
      // Uses version 2 of etcd's API: with version 3, Patroni 3.0.2 lets a paused primary take its lease
      // back.
      etcd: { proxy: `http://127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ...LEASE,
          // Commits wait for a second machine, and only that machine may take over.
          synchronous_mode: true,
          // Does not wait for a failed primary.
          primary_start_timeout: 0,
          maximum_lag_on_failover: 1_048_576,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters: PARAMETERS },
        },
        initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
        pg_hba: [
          'local all all trust',
          'host all all 127.0.0.1/32 trust',
          'host replication all 127.0.0.1/32 trust',
        ],
      },
      postgresql: {
        listen: `127.0.0.1:${this.localPort}`,
        connect_address: `127.0.0.1:${this.port}`,
        data_dir: this.data,
        bin_dir: this.base.programs.postgres,
        pgpass: path.join(this.folder, 'pgpass'),
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
        parameters: { unix_socket_directories: this.folder },
        create_replica_methods: ['basebackup'],
        basebackup: [{ checkpoint: 'fast' }],
      },
    }
  }

  start() {
    this.patroni.start()
  }

  /**
   * Queries Patroni directly on the machine.
   * @param {string} path
   * @returns {Promise<number>} the status, or 0 without a response
   */
  getStatus(path) {
    return new Promise((resolve) => {
      const request = get(
        { port: this.localRest, path, timeout: QUERY_TIMEOUT_MS, agent: false },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      request.on('timeout', () => request.destroy())
      request.on('error', () => resolve(0))
    })
  }

  /** Simulates a power failure: Patroni and all PostgreSQL processes end at the same time. */
  async kill() {
    const processes = this.#processes()
    await Promise.all([this.patroni.end('SIGKILL'), Promise.resolve(signalAll(processes, 'SIGKILL'))])
  }

  /** Pauses everything on the machine, as a hypervisor would. */
  freeze() {
    this.patroni.signal('SIGSTOP')
    signalAll(this.#processes(), 'SIGSTOP')
  }

  thaw() {
    signalAll(this.#processes(), 'SIGCONT')
    this.patroni.signal('SIGCONT')
  }

  /** Shuts down cleanly: Patroni stops PostgreSQL and releases the lease. */
  async stop() {
    await this.patroni.end('SIGTERM')
  }

  cut() {
    for (const link of this.links) link.cut()
  }

  heal() {
    for (const link of this.links) link.heal()
  }

  async close() {
    await this.kill()
    for (const link of this.links) await link.close()
    this.unmount()
  }

  /** A process that was just killed may still hold the disk for a moment. */
  unmount() {
    if (this.base.hasDisks) spawnSync('umount', ['--lazy', this.folder])
  }

  /** PostgreSQL's main process and its children. */
  #processes() {
    const file = path.join(this.data, 'postmaster.pid')
    if (!fs.existsSync(file)) return []
    const first = Number(fs.readFileSync(file, 'utf8').split('\n')[0])
    // The pid file outlives a killed machine, and its pid may have been reused.
    if (!Number.isInteger(first) || !readCommand(first).includes(this.data)) return []
    return [first, ...findChildren(first)]
  }
}

/** @param {number} pid */
function readCommand(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** @param {number} parent @returns {number[]} */
function findChildren(parent) {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readParent(pid) === parent)
}

/** @param {number} pid */
function readParent(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name, in parentheses, may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** @param {number[]} processes @param {NodeJS.Signals} signal */
function signalAll(processes, signal) {
  for (const pid of processes) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has already ended.
    }
  }
}
