import * as fs from 'node:fs'
import * as path from 'node:path'
import { poolerSettings } from '../postgres.mjs'
import { ROOT } from '../run.mjs'
import { Program } from './program.mjs'

const GLOBAL = ['global', '  maxconn 2000']

/** @typedef {Omit<import('./cluster.mjs').Base, 'programs'> & { programs: { haproxy: string } }} Base */

/**
 * Starts HAProxy in front of PostgreSQL: only the node that Patroni reports as the primary receives
 * connections. Connections to a former primary are closed.
 * @param {Base} base @param {number} port @param {readonly import('./node.mjs').Node[]} nodes
 */
export function databaseProxy(base, port, nodes) {
  const servers = nodes.map(({ name, port, rest }) => `  server ${name} 127.0.0.1:${port} check port ${rest}`)
  return haproxy(base, 'database-proxy', [
    ...GLOBAL,
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 1s',
    'listen database',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
  ])
}

/**
 * Starts HAProxy in front of the servers. A request that has reached one server is never sent to the other.
 * @param {Base} base @param {number} port @param {readonly { name: string, port: number }[]} servers
 */
export function webProxy(base, port, servers) {
  return haproxy(base, 'web-proxy', [
    ...GLOBAL,
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 1m',
    '  timeout server 1m',
    '  timeout check 3s',
    '  retry-on conn-failure',
    '  option redispatch 1',
    'listen web',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /readyz',
    '  http-check expect status 200',
    '  default-server inter 500ms fall 2 rise 1',
    ...servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port} check`),
  ])
}

/**
 * Starts HAProxy in front of the servers of several cells, with `deploy/haproxy/cells.cfg`. It finds the cell
 * by the request's host name or API token, and responds 421 if a request names no cell.
 * @param {Pick<Base, 'folder' | 'logs' | 'user' | 'programs'>} base
 * @param {number} port
 * @param {readonly { name: string, port: number }[]} cells each with its server
 * @param {{ hosts: string, tokens: string }} maps files: lines of a host, or the client id of a token, and a cell
 */
export function cellProxy(base, port, cells, { hosts, tokens }) {
  const shipped = fs.readFileSync(path.join(ROOT, 'deploy/haproxy/cells.cfg'), 'utf8')
  const [front = '', backend = ''] = shipped.split(/^(?=backend )/m)
  const frontend = front
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace('/etc/haproxy/hosts.map', hosts)
    .replace('/etc/haproxy/tokens.map', tokens)
  const backends = cells.map((cell) =>
    backend.replaceAll('north', cell.name).replace('10.0.0.1:8787', `127.0.0.1:${cell.port}`),
  )
  return haproxy(base, 'cell-proxy', [frontend, ...backends])
}

/** @param {Pick<Base, 'folder' | 'logs' | 'user' | 'programs'>} base @param {string} name @param {string[]} lines */
function haproxy(base, name, lines) {
  const config = path.join(base.folder, `${name}.cfg`)
  fs.writeFileSync(config, `${lines.join('\n')}\n`)
  return new Program(name, {
    file: base.programs.haproxy,
    args: ['-db', '-f', config],
    cwd: base.folder,
    logs: base.logs,
    user: base.user,
  })
}

/** @param {Base} base @param {'session' | 'transaction'} mode @param {number} port @param {number} database */
export function pooler(base, mode, port, database) {
  const name = `pgbouncer-${mode}`
  const config = path.join(base.folder, `${name}.ini`)
  const sizes = ['max_client_conn = 200', 'default_pool_size = 40', 'server_connect_timeout = 5']
  fs.writeFileSync(config, poolerSettings(mode, port, database, sizes))
  return new Program(name, {
    file: base.programs.pgbouncer,
    args: [config],
    cwd: base.folder,
    logs: base.logs,
    user: base.user,
  })
}
