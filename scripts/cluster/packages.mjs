import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { ScriptError, say } from '../run.mjs'

/** With this module, Patroni uses version 2 of etcd's API. */
const ETCD_CLIENT = '/usr/lib/python3/dist-packages/etcd/__init__.py'
const SERVERS = '/usr/lib/postgresql'
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']
const REQUIRED = [
  { program: 'patroni', package: 'patroni' },
  { program: 'etcd', package: 'etcd-server' },
  { program: 'haproxy', package: 'haproxy' },
  { program: 'pgbouncer', package: 'pgbouncer' },
]
/** While this file exists, Debian's packages do not start their services. */
const POLICY = '/usr/sbin/policy-rc.d'
const NO_CLUSTER = '/etc/postgresql-common/createcluster.d/countersign-cluster.conf'

/**
 * Finds the programs of a cluster. Installs missing ones from Debian's packages, which only works as root.
 * @returns {{ postgres: string, patroni: string, etcd: string, haproxy: string, pgbouncer: string }} `postgres`: a folder
 */
export function findPrograms() {
  const missing = missingPackages(REQUIRED)
  if (!fs.existsSync(ETCD_CLIENT)) missing.push('python3-etcd')
  if (missing.length > 0) install(missing)
  const programs = Object.fromEntries(REQUIRED.map(({ program }) => [program, findProgram(program) ?? '']))
  return /** @type {any} */ ({ ...programs, postgres: newestServer() })
}

/**
 * Finds PostgreSQL and HAProxy. Installs missing packages like `findPrograms`.
 * @returns {{ postgres: string, haproxy: string }} `postgres`: a folder
 */
export function findCellPrograms() {
  const missing = missingPackages([{ program: 'haproxy', package: 'haproxy' }])
  if (missing.length > 0) install(missing)
  return /** @type {any} */ ({ haproxy: findProgram('haproxy'), postgres: newestServer() })
}

/**
 * Finds PostgreSQL and pgBackRest. Installs missing packages like `findPrograms`.
 * @returns {{ postgres: string, pgbackrest: string }} `postgres`: a folder
 */
export function findBackupPrograms() {
  const required = [{ program: 'pgbackrest', package: 'pgbackrest' }]
  const missing = missingPackages(required)
  if (missing.length > 0) install(missing)
  return /** @type {any} */ ({ pgbackrest: findProgram('pgbackrest'), postgres: newestServer() })
}

/** PostgreSQL refuses to run as root. @returns {{ uid?: number, gid?: number }} */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {}
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'))
  if (line === undefined) throw new ScriptError('There is no user postgres to run the cluster.')
  const [, , uid, gid] = line.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** @param {readonly { program: string, package: string }[]} required */
function missingPackages(required) {
  const missing = required
    .filter(({ program }) => findProgram(program) === undefined)
    .map((entry) => entry.package)
  return newestServer() === undefined ? ['postgresql', ...missing] : missing
}

/** @param {string} program */
function findProgram(program) {
  return FOLDERS.map((folder) => path.join(folder, program)).find((file) => fs.existsSync(file))
}

function newestServer() {
  const versions = fs.existsSync(SERVERS) ? fs.readdirSync(SERVERS) : []
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(SERVERS, version, 'bin'))
    .find((bin) => fs.existsSync(path.join(bin, 'initdb')))
}

/** @param {string[]} packages */
function install(packages) {
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get'))
    throw new ScriptError(`Missing: ${packages.join(', ')}. To install them, as root: ${command}`)
  say(`Installing ${packages.join(', ')} …`)
  const ownPolicy = !fs.existsSync(POLICY)
  if (ownPolicy) fs.writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    apt('update')
    if (packages.includes('postgresql')) {
      apt('install', '-y', '--no-install-recommends', 'postgresql-common')
      fs.mkdirSync(path.dirname(NO_CLUSTER), { recursive: true })
      fs.writeFileSync(NO_CLUSTER, 'create_main_cluster = false\n')
    }
    apt('install', '-y', '--no-install-recommends', ...packages)
    disableServices(packages)
  } finally {
    fs.rmSync(NO_CLUSTER, { force: true })
    if (ownPolicy) fs.rmSync(POLICY, { force: true })
  }
}

/** @param {string[]} parameters */
function apt(...parameters) {
  execFileSync('apt-get', ['-q', ...parameters], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/**
 * Disables the services of the packages, because each package enables its service for the next boot.
 * @param {string[]} packages
 */
function disableServices(packages) {
  if (!fs.existsSync('/usr/bin/systemctl')) return
  const services = packages
    .filter((name) => name !== 'python3-etcd' && name !== 'pgbackrest')
    .map((name) => (name === 'etcd-server' ? 'etcd' : name))
  // systemctl fails without a name.
  if (services.length > 0) execFileSync('systemctl', ['--quiet', 'disable', ...services], { stdio: 'ignore' })
}
