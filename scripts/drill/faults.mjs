import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { connect, query } from '../cluster/cluster.mjs'
import { pause, until } from '../cluster/program.mjs'

/**
 * @typedef {import('../cluster/cluster.mjs').Cluster} Cluster
 * @typedef {import('../cluster/node.mjs').Node} Node
 * @typedef {{ name: string, hit: (cluster: Cluster, old: Node) => Promise<unknown>, heal: (cluster: Cluster, old: Node) => Promise<string[]>, takesOver: boolean }} Fault
 */

const DISK_FULL_MS = 5000

/** @type {Fault} */
export const KILLED = {
  name: 'primary killed (kill -9)',
  takesOver: true,
  hit: (_cluster, old) => old.kill(),
  heal: async (_cluster, old) => {
    old.start()
    return []
  },
}

/** @type {Fault} */
export const HANDED_OVER = {
  name: 'switchover in order',
  takesOver: true,
  hit: async (_cluster, old) => {
    const response = await fetch(`http://127.0.0.1:${old.localRest}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: old.name }),
    })
    if (!response.ok) throw new Error(`No switchover: ${response.status} ${await response.text()}`)
  },
  heal: async () => [],
}

/**
 * A client on the primary's machine that keeps using its connection. Its writes after a failover must not be
 * acknowledged.
 */
class Witness {
  /** @param {any} client @param {Node} node */
  constructor(client, node) {
    this.client = client
    this.node = node
    this.ended = ''
    /** @type {Promise<unknown>} */
    this.write = Promise.resolve()
  }

  /** @param {Node} node */
  static async on(node) {
    const client = await connect(node.localPort, 'postgres')
    await client.query(
      'CREATE TABLE IF NOT EXISTS witness (at timestamptz NOT NULL DEFAULT clock_timestamp())',
    )
    return new Witness(client, node)
  }

  /** Sends a write, which the node processes as soon as it processes anything. */
  send() {
    this.write = this.client.query('INSERT INTO witness DEFAULT VALUES').then(
      () => {
        this.ended = 'acknowledged'
      },
      (/** @type {Error} */ error) => {
        this.ended = error.message
      },
    )
  }

  /** @returns {Promise<string[]>} the errors found, or an empty list */
  async check() {
    await Promise.race([this.write, pause(30_000)])
    await this.client.end().catch(() => {})
    return this.ended === 'acknowledged'
      ? [`${this.node.name} acknowledged a write after it was replaced`]
      : []
  }
}

/** @returns {Fault} */
export function paused() {
  /** @type {Witness} */
  let witness
  return {
    name: 'primary paused, resumes after it was replaced',
    takesOver: true,
    hit: async (_cluster, old) => {
      witness = await Witness.on(old)
      old.freeze()
    },
    heal: async (_cluster, old) => {
      // The request waits in the socket, and PostgreSQL processes it before Patroni notices anything.
      witness.send()
      old.thaw()
      return witness.check()
    },
  }
}

/** @returns {Fault} */
export function cutOff() {
  /** @type {Witness} */
  let witness
  return {
    name: 'primary cut off from the network',
    takesOver: true,
    hit: async (_cluster, old) => {
      witness = await Witness.on(old)
      old.cut()
      witness.send()
    },
    heal: async (_cluster, old) => {
      const wrong = await witness.check()
      old.heal()
      return wrong
    },
  }
}

/**
 * PostgreSQL rejects writes that need disk space until there is space again. The primary does not change.
 * Each node needs its own small disk.
 * @type {Fault}
 */
export const DISK_FULL = {
  name: 'disk of the primary full for 5 seconds',
  takesOver: false,
  hit: async (_cluster, old) => {
    // Fails when the disk is full, as expected.
    await once(spawn('dd', ['if=/dev/zero', `of=${filler(old)}`, 'bs=64k'], { stdio: 'ignore' }), 'close')
    await pause(DISK_FULL_MS)
    fs.rmSync(filler(old), { force: true })
  },
  heal: async () => [],
}

/** @param {Node} node */
function filler(node) {
  return path.join(node.folder, 'filler')
}

/** Stops a node cleanly and restarts it. @param {string} name @returns {Fault} */
export function nodeRestarted(name) {
  return {
    name: `restart of ${name}`,
    takesOver: false,
    hit: async (cluster) => {
      const node = cluster.nodes.find((candidate) => candidate.name === name)
      await node?.stop()
      node?.start()
    },
    heal: async () => [],
  }
}

/** @param {string} name @returns {Fault} */
export function programRestarted(name) {
  return {
    name: `restart of ${name}`,
    takesOver: false,
    hit: async (cluster) => {
      const program = cluster.program(name)
      await program.end('SIGTERM')
      program.start()
      const server = cluster.servers.find((candidate) => candidate.name === name)
      if (server)
        await until(
          `${name} is ready`,
          async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).ok,
        )
    },
    heal: async () => [],
  }
}

/**
 * Resolves once a node other than the old primary accepts writes, with the time. Queries the nodes directly,
 * not through the proxy.
 * @param {Cluster} cluster @param {Node} old
 */
export function waitForNewPrimary(cluster, old) {
  const others = cluster.nodes.filter((node) => node !== old)
  return until(
    'another node takes writes',
    async () => {
      const attempts = others.map(({ localPort }) => query(localPort, 'postgres', PROBE))
      await Promise.any(attempts)
      return performance.now()
    },
    { everyMs: 50 },
  )
}

/** The commit waits for a standby, like any other. */
const PROBE = 'INSERT INTO probe DEFAULT VALUES'

/** @param {Cluster} cluster */
export async function prepareProbe(cluster) {
  await query(cluster.databasePort, 'postgres', 'CREATE TABLE probe (at timestamptz NOT NULL DEFAULT now())')
}
