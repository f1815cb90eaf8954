import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.mjs'
import { ROOT, runNode, ScriptError, say } from '../run.mjs'
import { waitFor } from '../sandbox.mjs'
import { podman } from './programs.mjs'

const NAME = 'countersign-container-test'
const STOP_MS_MAX = 10_000

/**
 * Runs the guide's command in a sandbox, makes a payment, then stops and restarts it.
 * @param {string} folder for its settings
 */
export async function tryCommand(folder) {
  const { args, volume } = readGuideCommand()
  if (await exists('volume', volume))
    throw new ScriptError(`There is a volume ${volume}, which this test would remove.`)
  const port = await freePort()
  const settings = join(folder, 'server.env')
  writeFileSync(settings, `PORT=${port}\nHOST=127.0.0.1\n`)
  const runArgs = args.map((word) => (word === 'server.env' ? settings : word))
  try {
    say('Running the command of the guide …')
    // An earlier run that was killed leaves its container behind.
    await podman('rm', '--force', '--ignore', NAME)
    await podman('run', '--detach', `--name=${NAME}`, ...runArgs)
    await waitForReady(port)
    await checkRights()
    const data = await podman('volume', 'inspect', '--format={{.Mountpoint}}', volume)
    const credentials = join(data, 'credentials.json')
    if ((await runNode('cli/dist/main.js', ['demo', '--credentials', credentials])) !== 0)
      throw new ScriptError('The demo failed.')
    await podman('healthcheck', 'run', NAME)
    const before = await listCustomers(credentials)
    await stop()
    await podman('start', NAME)
    await waitForReady(port)
    const after = await listCustomers(credentials)
    if (before.length === 0 || before.join() !== after.join())
      throw new ScriptError(`The restart lost customers: ${before.length} before, ${after.length} after.`)
    await stop()
  } catch (error) {
    if (await exists('container', NAME)) say(await podman('logs', '--tail=20', NAME))
    throw error
  } finally {
    if (await exists('container', NAME)) await podman('rm', '--force', NAME)
    if (await exists('volume', volume)) await podman('volume', 'rm', volume)
  }
}

/** The arguments of `docker run` in docs/deploy.md, and the volume that they name. */
function readGuideCommand() {
  const guide = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')
  const [, section = ''] = guide.split('\n## Container\n')
  const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(section) ?? []
  const commands = block
    .replaceAll('\\\n', ' ')
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/))
  const [built, ran] = commands
  if (built?.join(' ') !== 'docker build -f deploy/Dockerfile -t countersign .' || ran?.[1] !== 'run')
    throw new ScriptError('docs/deploy.md builds or runs the image differently from this test.')
  const args = ran.slice(2)
  const volume = args[args.indexOf('-v') + 1]?.split(':')[0] ?? ''
  return { args, volume }
}

/**
 * Checks from inside the container which user the process runs as, its capabilities, and which files it
 * cannot write.
 */
async function checkRights() {
  const program = `
    const fs = require('node:fs')
    const writes = (path) => { try { fs.writeFileSync(path, ''); fs.rmSync(path); return true } catch { return false } }
    const [, capabilities] = /^CapEff:\\s*(\\w+)/m.exec(fs.readFileSync('/proc/1/status', 'utf8'))
    console.log(JSON.stringify({ user: process.getuid(), capabilities: BigInt('0x' + capabilities) === 0n ? 'none' : capabilities,
      app: writes('/app/x'), root: writes('/x'), data: writes('/data/x'), tmp: writes('/tmp/x') }))`
  const rights = await podman('exec', NAME, 'node', '-e', program)
  const expected = { user: 1000, capabilities: 'none', app: false, root: false, data: true, tmp: true }
  if (rights !== JSON.stringify(expected)) throw new ScriptError(`The container has the rights ${rights}.`)
  say('It runs as user 1000 without capabilities and writes only to /data and /tmp.')
}

async function stop() {
  const startedMs = performance.now()
  await podman('stop', NAME)
  const tookMs = Math.round(performance.now() - startedMs)
  const code = await podman('inspect', '--format={{.State.ExitCode}}', NAME)
  if (code !== '0' || tookMs > STOP_MS_MAX)
    throw new ScriptError(`It stopped with code ${code} after ${tookMs} ms.`)
  say(`It stopped after ${tookMs} ms.`)
}

/** @param {number} port */
export async function waitForReady(port) {
  await waitFor(
    async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
    'The server in the container is not ready.',
  )
}

/** The ids of a sandbox's customers. @param {string} file with its credentials */
async function listCustomers(file) {
  const { baseUrl, tokenId, clientSecret } = JSON.parse(readFileSync(file, 'utf8'))
  const Authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  const response = await fetch(`${baseUrl}/customers`, { headers: { Authorization } })
  const { data } = await response.json()
  return data.map((/** @type {{ id: string }} */ { id }) => id)
}

/** @param {'container' | 'volume'} kind @param {string} name */
async function exists(kind, name) {
  return podman(kind, 'exists', name).then(
    () => true,
    () => false,
  )
}
