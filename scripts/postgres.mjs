// Starts a temporary PostgreSQL server for tests and benchmarks, from the system's packages.
//   node scripts/postgres.mjs [--port N]              prints DATABASE_URL=… and runs until Ctrl-C
//   node scripts/postgres.mjs [--port N] -- command…  runs the command with DATABASE_URL set and exits with its code
// With --memory its files are stored in memory if possible, for tests: see temporary.mjs.
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { constants, tmpdir } from 'node:os'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from './free-port.mjs'
import { makeTestsFolder } from './temporary.mjs'

const PACKAGES = '/usr/lib/postgresql'
const START_ATTEMPTS_MAX = 5
const SETTINGS = {
  fsync: 'on',
  max_connections: '200',
  shared_buffers: '256MB',
  listen_addresses: '127.0.0.1',
  lc_messages: 'C',
}

/**
 * A server with its files. `bin` is the folder of its programs. `pause` stops the server and keeps its files;
 * `resume` restarts it.
 * @typedef {{ url: string, port: number, bin: string, pause: () => Promise<void>, resume: () => Promise<void>, stop: () => Promise<void> }} Cluster
 */

/**
 * Starts a cluster on the loopback interface, to which every user may connect without a password. The given
 * settings are added to the ones above, or replace them.
 * @param {{ port?: number, settings?: Record<string, string>, inMemory?: boolean }} [options] `inMemory`:
 * stores its files in memory if possible
 * @returns {Promise<Cluster>}
 */
export async function startCluster(options = {}) {
  const bin = serverPrograms()
  const user = unprivilegedUser()
  // The server's user may not have access to root's temporary directory.
  const parent = user.uid === undefined ? tmpdir() : '/tmp'
  const directory = options.inMemory
    ? makeTestsFolder('countersign-pg-', parent)
    : fs.mkdtempSync(path.join(parent, 'countersign-pg-'))
  try {
    if (user.uid !== undefined) fs.chownSync(directory, user.uid, user.gid)
    const data = path.join(directory, 'data')
    const initOptions = [
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]
    await runProgram(path.join(bin, 'initdb'), ['-D', data, ...initOptions], { cwd: directory, ...user })
    const settings = { ...SETTINGS, unix_socket_directories: directory, ...options.settings }
    for (let attempts = 1; ; attempts += 1) {
      const port = options.port ?? (await freePort())
      const parameters = Object.entries({ ...settings, port }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ])
      const start = () =>
        startServer(path.join(bin, 'postgres'), ['-D', data, ...parameters], { cwd: directory, ...user })
      try {
        const running = { server: await start() }
        return {
          url: `postgres://postgres@127.0.0.1:${port}/postgres`,
          port,
          bin,
          pause: () => endServer(running.server),
          resume: async () => {
            running.server = await start()
          },
          stop: createStop(running, directory),
        }
      } catch (error) {
        // Another process may have taken the port since it was found to be free.
        if (options.port !== undefined || attempts === START_ATTEMPTS_MAX) throw error
      }
    }
  } catch (error) {
    fs.rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

/**
 * Starts a standby that follows a cluster until it is stopped. The cluster needs `wal_level` replica, which
 * is the default.
 * @param {{ port: number, bin: string }} primary
 * @returns {Promise<{ url: string, port: number, stop: () => Promise<void> }>}
 */
export async function startStandby(primary) {
  const user = unprivilegedUser()
  const directory = fs.mkdtempSync(path.join(user.uid === undefined ? tmpdir() : '/tmp', 'countersign-pg-'))
  try {
    if (user.uid !== undefined) fs.chownSync(directory, user.uid, user.gid)
    const data = path.join(directory, 'data')
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres', '-D', data]
    const options = { cwd: directory, ...user }
    await runProgram(
      path.join(primary.bin, 'pg_basebackup'),
      [...from, '-R', '-X', 'stream', '-c', 'fast'],
      options,
    )
    const port = await freePort()
    const settings = { ...SETTINGS, unix_socket_directories: directory, port: String(port) }
    const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const server = await startServer(path.join(primary.bin, 'postgres'), ['-D', data, ...parameters], options)
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      stop: createStop({ server }, directory),
    }
  } catch (error) {
    fs.rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

/**
 * Starts pgbouncer in front of a cluster, with the settings from the operations guide. The caller must stop
 * it before the cluster.
 * @param {Cluster} cluster
 * @param {'session' | 'transaction'} mode
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startPooler(cluster, mode) {
  const user = unprivilegedUser()
  const directory = fs.mkdtempSync(
    path.join(user.uid === undefined ? tmpdir() : '/tmp', 'countersign-pooler-'),
  )
  try {
    const port = await freePort()
    const config = path.join(directory, 'pgbouncer.ini')
    fs.writeFileSync(config, poolerSettings(mode, port, cluster.port, ['default_pool_size = 10']))
    if (user.uid !== undefined) {
      fs.chownSync(directory, user.uid, user.gid ?? user.uid)
      fs.chownSync(config, user.uid, user.gid ?? user.uid)
    }
    const server = await startProgram(findPooler(), [config], { cwd: directory, ...user }, /process up/)
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      stop: createStop({ server }, directory),
    }
  } catch (error) {
    fs.rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

/**
 * The settings of a pgbouncer in front of a PostgreSQL server, all on the loopback interface.
 * @param {'session' | 'transaction'} mode
 * @param {number} port
 * @param {number} database the port of the PostgreSQL server
 * @param {readonly string[]} extraLines
 */
export function poolerSettings(mode, port, database, extraLines) {
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${database} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'server_login_retry = 1',
    // Shorter than the server's statement timeout: pgbouncer then reports that it never forwarded the
    // statement.
    'query_wait_timeout = 5',
    // pgbouncer rejects session settings at the start of a connection; the database's own settings replace
    // them.
    'ignore_startup_parameters = options',
    ...extraLines,
  ]
  return `${lines.join('\n')}\n`
}

/** Finds pgbouncer. Debian's package installs it in a folder that is only in root's path. */
function findPooler() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin']
  const found = folders.map((folder) => path.join(folder, 'pgbouncer')).find((file) => fs.existsSync(file))
  if (found === undefined) throw new Error('no pgbouncer: install it with apt-get install pgbouncer')
  return found
}

/** True if this machine has pgbouncer. */
export function hasPooler() {
  try {
    return findPooler() !== ''
  } catch {
    return false
  }
}

/** @returns {string} the folder of the newest server's programs */
export function serverPrograms() {
  const versions = fs.existsSync(PACKAGES) ? fs.readdirSync(PACKAGES) : []
  const newest = versions
    .filter((version) => fs.existsSync(path.join(PACKAGES, version, 'bin/initdb')))
    .sort((a, b) => Number(b) - Number(a))[0]
  if (newest !== undefined) return path.join(PACKAGES, newest, 'bin')
  const onPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .find((bin) => fs.existsSync(path.join(bin, 'initdb')))
  if (onPath) return onPath
  throw new Error(
    `no PostgreSQL server in ${PACKAGES} or on PATH: install it with apt-get install postgresql`,
  )
}

/** PostgreSQL refuses to run as root. @returns {{ uid?: number, gid?: number }} */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {}
  const entries = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  const entry =
    entries.find((line) => line.startsWith('postgres:')) ?? entries.find((line) => line.startsWith('nobody:'))
  if (entry === undefined)
    throw new Error('cannot run as root, and there is no user postgres or nobody to run the server')
  const [, , uid, gid] = entry.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * @param {string} file
 * @param {string[]} parameters
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<void>}
 */
function runProgram(file, parameters, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, parameters, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    let errorOutput = ''
    child.stderr?.on('data', (text) => {
      errorOutput += text
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${path.basename(file)} failed: ${errorOutput.trim()}`)),
    )
  })
}

/**
 * @param {string} file
 * @param {string[]} parameters
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<import('node:child_process').ChildProcess>} the server, ready for connections
 */
function startServer(file, parameters, options) {
  const isReady = /database system is ready to accept (?:read-only )?connections/
  return startProgram(file, parameters, options, isReady)
}

/**
 * @param {string} file
 * @param {string[]} parameters
 * @param {import('node:child_process').SpawnOptions} options
 * @param {RegExp} isReady matches the log line that reports readiness
 * @returns {Promise<import('node:child_process').ChildProcess>}
 */
function startProgram(file, parameters, options, isReady) {
  return new Promise((resolve, reject) => {
    // Runs in its own process group, so that Ctrl-C reaches the command first, and the server keeps running
    // until the command has exited.
    const child = spawn(file, parameters, { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    /** @type {string[]} */
    const log = []
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        if (log.push(line) > 20) log.shift()
        if (isReady.test(line)) resolve(child)
      })
    }
    child.on('error', reject)
    child.on('close', () => reject(new Error(`${path.basename(file)} did not start: ${log.join(' | ')}`)))
  })
}

/**
 * @param {{ readonly server: import('node:child_process').ChildProcess }} running
 * @param {string} directory
 */
function createStop(running, directory) {
  const cleanUp = () => {
    running.server.kill('SIGQUIT')
    fs.rmSync(directory, { recursive: true, force: true })
  }
  // Cleans up if the process exits without calling stop().
  process.on('exit', cleanUp)
  return async () => {
    process.off('exit', cleanUp)
    await endServer(running.server)
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Stops a process with SIGINT. For PostgreSQL this is a fast shutdown, which closes open connections.
 * @param {import('node:child_process').ChildProcess} server
 */
async function endServer(server) {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.on('close', resolve))
  server.kill('SIGINT')
  await ended
}

/** @param {string[]} command @param {string} url @returns {Promise<number>} the exit code */
function runCommand(command, url) {
  return new Promise((resolve, reject) => {
    const [file = '', ...parameters] = command
    const child = spawn(file, parameters, { stdio: 'inherit', env: { ...process.env, DATABASE_URL: url } })
    // The terminal sends SIGINT to the command directly.
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { port: { type: 'string' }, memory: { type: 'boolean' } },
    allowPositionals: true,
  })
  // Listens before the start, so that a signal during the start does not leave a server running.
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
  })
  const cluster = await startCluster({
    ...(values.port === undefined ? {} : { port: Number(values.port) }),
    inMemory: values.memory ?? false,
  })
  try {
    if (positionals.length > 0) return await runCommand(positionals, cluster.url)
    process.stdout.write(`DATABASE_URL=${cluster.url}\n`)
    // Keeps the process running; a signal listener alone does not.
    const alive = setInterval(() => {}, 1 << 30)
    await interrupted
    clearInterval(alive)
    return 0
  } finally {
    await cluster.stop()
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.exit(await main())
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`)
    process.exit(1)
  }
}
