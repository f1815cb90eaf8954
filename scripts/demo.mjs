import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { freePort } from './free-port.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runNode, runScript, ScriptError, say } from './run.mjs'
import { isAlive, isReady, until } from './sandbox.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['server', 'cli'])
  if (!existsSync(join(ROOT, 'cli/dist/main.js')))
    throw new ScriptError('No demo to run: cli/src/main.ts is missing.')
  const args = process.argv.slice(2)
  // With credentials or a node, the demo uses the caller's own server.
  if (args.length === 1 && args[0] === '--chain') return await onChain()
  return await runNode('cli/dist/main.js', ['demo', ...args])
})

/**
 * Runs the demo with its own sandbox on a chain: the one that `npm run chain` is running, or a temporary one.
 */
async function onChain() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'))
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  /** @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
  const start = (args, env = {}) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: 'ignore',
      env: { ...process.env, ...env },
    })
    children.push(child)
    return child
  }
  try {
    let chain = join(ROOT, '.countersign-chain')
    if (!(await isRunning(chain))) {
      say('Starting a chain …')
      chain = join(folder, 'chain')
      const child = start(['scripts/chain.mjs', '--port', '0', '--block-time', '1', '--dir', chain])
      await until(() => isRunning(chain), child, 'The chain has not started: npm run chain shows why.')
    }
    say('Starting a sandbox on it …')
    const dataDir = join(folder, 'data')
    const port = await freePort()
    const child = start(['server/dist/main.js'], {
      HOST: '127.0.0.1',
      PORT: String(port),
      COUNTERSIGN_MODE: 'sandbox',
      COUNTERSIGN_DATA_DIR: dataDir,
      DATABASE_URL: '',
      RAILS_FILE: join(chain, 'rails.json'),
    })
    const credentials = join(dataDir, 'credentials.json')
    await until(() => isReady(port, credentials), child, 'The sandbox has not started: npm start shows why.')
    const { url } = JSON.parse(await readFile(join(chain, 'chain.json'), 'utf8'))
    return await runNode('cli/dist/main.js', ['demo', '--credentials', credentials, '--chain', url])
  } finally {
    for (const child of children.reverse())
      if (isAlive(child)) {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGTERM')
        await ended
      }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** @param {string} folder of a chain */
async function isRunning(folder) {
  try {
    const { url } = JSON.parse(await readFile(join(folder, 'chain.json'), 'utf8'))
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const headers = { 'Content-Type': 'application/json' }
    return existsSync(join(folder, 'rails.json')) && (await fetch(url, { method: 'POST', headers, body })).ok
  } catch {
    return false
  }
}
