import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { freePort } from '../free-port.mjs'
import { ROOT, ScriptError, say } from '../run.mjs'
import { waitFor } from '../sandbox.mjs'
import { waitForReady } from './command.mjs'
import { installCompose, podman } from './programs.mjs'

const PROJECT = 'countersign-container-test'

/** @typedef {Record<string, any>} Service */

/**
 * Starts the services of deploy/compose.yaml and a second server, uses both, and removes everything.
 * @param {string} folder for the files
 */
export async function tryCompose(folder) {
  const composeFolder = join(folder, 'compose')
  mkdirSync(composeFolder)
  const ports = { server: await freePort(), second: await freePort(), database: await freePort() }
  const services = writeFiles(composeFolder, ports)
  const installed = await installCompose(folder)
  const compose = (/** @type {string[]} */ ...args) => installed(['-p', PROJECT, ...args], composeFolder)
  try {
    say('Starting compose.yaml with two servers …')
    // An earlier run that was killed leaves its services behind, and a database with different secrets.
    await compose('down', '--volumes')
    await compose('up', '--detach', '--no-build', 'database', 'mail')
    for (const name of ['database', 'mail']) await waitForHealthy(name)
    await compose('up', '--detach', '--no-build', 'server', 'second')
    for (const name of ['server', 'second'])
      await waitForReady(ports[name === 'server' ? 'server' : 'second'])
    await workWithBoth(ports)
    for (const name of ['server', 'second']) await podman('healthcheck', 'run', containerName(name))
    say('Both servers serve one platform in production.')
  } catch (error) {
    for (const name of Object.keys(services))
      say(await podman('logs', '--tail=20', containerName(name)).catch(() => `${name} was not started.`))
    throw error
  } finally {
    await compose('down', '--volumes').catch((error) => say(error.message))
  }
}

const containerName = (/** @type {string} */ name) => `${PROJECT}_${name}_1`

/**
 * Writes a compose file with this machine's network instead of the file's two networks, a second server, and
 * free ports.
 * @param {string} folder
 * @param {{ server: number, second: number, database: number }} ports
 */
function writeFiles(folder, ports) {
  const file = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true })
  const { server, database, mail } = /** @type {Record<string, Service>} */ (file.services)
  if (!server || !database || !mail)
    throw new ScriptError('compose.yaml has different services than this test expects.')
  const databaseUrl = server.environment.DATABASE_URL.replace(
    '@database:5432/',
    `@127.0.0.1:${ports.database}/`,
  )
  const serverAt = (/** @type {number} */ port) => ({
    ...withHostNetwork(server),
    environment: {
      ...server.environment,
      DATABASE_URL: databaseUrl,
      SMTP_URL: server.environment.SMTP_URL.replace('//mail:', '//127.0.0.1:'),
      PORT: String(port),
    },
  })
  const services = {
    database: {
      ...withHostNetwork(database),
      environment: { ...database.environment, PGPORT: String(ports.database) },
      healthcheck: {
        ...database.healthcheck,
        test: [...database.healthcheck.test, `--port=${ports.database}`],
      },
    },
    mail: withHostNetwork(mail),
    server: serverAt(ports.server),
    second: serverAt(ports.second),
  }
  writeFileSync(join(folder, 'compose.yaml'), stringify({ services, volumes: file.volumes }))
  const secret = () => randomBytes(32).toString('hex')
  const example = readFileSync(join(ROOT, 'deploy/.env.example'), 'utf8')
  writeFileSync(
    join(folder, '.env'),
    example.replace(/^(\w+)=$/gm, (_, name) => `${name}=${secret()}`),
    { mode: 0o600 },
  )
  return services
}

/** @param {Service} service @returns {Service} */
function withHostNetwork({
  networks: _networks,
  ports: _ports,
  build: _build,
  depends_on: _order,
  ...service
}) {
  return { ...service, network_mode: 'host' }
}

/** @param {string} name */
async function waitForHealthy(name) {
  await waitFor(async () => {
    await podman('healthcheck', 'run', containerName(name))
    return true
  }, `${name} is not healthy.`)
}

/**
 * Creates a platform with the guide's command and a customer on one server, and reads the customer on the
 * other, even after the first one has stopped.
 * @param {{ server: number, second: number }} ports
 */
async function workWithBoth(ports) {
  const command = ['node', 'server/dist/main.js', 'platform', 'create', '--name', 'Acme']
  const created = JSON.parse(await podman('exec', containerName('server'), ...command))
  const { tokenId, clientSecret } = created
  const headers = {
    Authorization: `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`,
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
  const customersUrl = (/** @type {number} */ port) => `http://127.0.0.1:${port}/2025-10-13/customers`
  const customer = await (await fetch(customersUrl(ports.server), { method: 'POST', headers, body })).json()
  const read = async () =>
    (await (await fetch(`${customersUrl(ports.second)}/${customer.id}`, { headers })).json()).fullName
  if ((await read()) !== 'Ada Lovelace')
    throw new ScriptError('The second server does not know the customer.')
  await podman('stop', containerName('server'))
  if ((await read()) !== 'Ada Lovelace') throw new ScriptError('The second server needs the first.')
  await podman('start', containerName('server'))
  await waitForReady(ports.server)
}
