import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Countersign } from '@countersign/sdk'
import { serveExample } from './serve.ts'

const START_MS = 60_000

/**
 * `npm run demo:web`: starts a separate sandbox and the backend of this example, and prints the URL of the
 * page.
 */
const [root = '.', port = '3000'] = process.argv.slice(2)
const dataDir = await mkdtemp(join(tmpdir(), 'countersign-web-'))
const serverPort = await findFreePort()
const child = spawn(process.execPath, [join(root, 'server/dist/main.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(serverPort),
    COUNTERSIGN_MODE: 'sandbox',
    COUNTERSIGN_DATA_DIR: dataDir,
    DATABASE_URL: '',
  },
})
let isStopping = false

async function stop(code: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  if (child.exitCode === null) {
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await exited
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
process.once('SIGINT', () => void stop(0))
process.once('SIGTERM', () => void stop(0))
child.once('exit', () => void stop(1))

try {
  await waitUntilReady()
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
  const countersign = new Countersign(credentials)
  const folder = join(root, 'examples/web')
  const { origin } = await serveExample({ ...credentials, countersign, folder, port: Number(port) })
  console.log(`\n  The page     ${origin}`)
  console.log(`               ${origin}/?language=es  (or pt, fr)`)
  console.log('  Its code     examples/web, told in docs/wallet-kit.md')
  console.log('  Sign in      with the code 000000: no e-mail leaves the sandbox')
  console.log('  Stop         Ctrl-C\n')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  await stop(1)
}

async function waitUntilReady(): Promise<void> {
  const endMs = performance.now() + START_MS
  while (performance.now() < endMs) {
    const answer = await fetch(`http://127.0.0.1:${serverPort}/readyz`).catch(() => undefined)
    if (answer?.ok && existsSync(join(dataDir, 'credentials.json'))) return
    await sleep(100)
  }
  throw new Error('The sandbox has not started: npm start shows why.')
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo
      probe.close(() => resolve(free))
    })
  })
}
