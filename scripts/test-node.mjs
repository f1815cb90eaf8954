// Runs `npm start`, the demo and a smoke test on several major versions of Node, each in its newest release.
//   node scripts/test-node.mjs          all major versions
//   node scripts/test-node.mjs LINE…    only these
// Needs npm's registry, which has Node as a package for each system.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { freePort } from './free-port.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, run, runScript, ScriptError, say } from './run.mjs'
import { isAlive, isReady, until } from './sandbox.mjs'
import { ONE_FAILED } from './test-summary.mjs'
import { npmInstall } from './tools.mjs'

/** The major versions named in README.md, and the newest one. */
const VERSIONS = ['22', '24', '26']
/** The pure functions, and projects of which one test each is run. */
const PROJECTS = ['unit', 'guides', 'processes', 'banks']

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['server', 'console', 'cli'])
  const requested = process.argv.slice(2)
  const versions = requested.length > 0 ? requested : VERSIONS
  const unknown = versions.find((version) => !VERSIONS.includes(version))
  if (unknown !== undefined)
    throw new ScriptError(`${unknown} is not one of the major versions ${VERSIONS.join(', ')}.`)
  const folder = mkdtempSync(join(tmpdir(), 'countersign-node-'))
  let failed = 0
  try {
    for (const version of versions) failed += (await testVersion(version, join(folder, version))) ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return failed > 0 ? 1 : 0
})

/**
 * Installs a major version of Node and runs everything on it. Resolves with true if everything passed.
 * @param {string} version
 * @param {string} folder a new one
 */
async function testVersion(version, folder) {
  const bin = await installNode(version, folder)
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, npm_execpath: '' }
  const node = join(bin, process.platform === 'win32' ? 'node.exe' : 'node')
  say(`Node ${version}: start and demo …`)
  const isStarted = await startAndPay(node, join(folder, 'data'), env)
  record(isStarted ? '1 passed, 0 failed' : ONE_FAILED)
  if (!isStarted) say(`Node ${version}: start or demo failed.`)
  say(`Node ${version}: a smoke test …`)
  const projects = PROJECTS.flatMap((name) => ['--project', name])
  const code = await run(node, [join(ROOT, 'scripts/test.mjs'), ...projects], {
    env: { ...env, TEST_SCOPE: 'smoke' },
  })
  return isStarted && code === 0
}

/**
 * Resolves with the folder that contains the program.
 * @param {string} version
 * @param {string} folder
 */
async function installNode(version, folder) {
  const system = process.platform === 'win32' ? 'win' : process.platform
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const name = `node-${system}-${process.arch}`
  await npmInstall(folder, [`${name}@${version}`])
  return join(folder, 'node_modules', name, 'bin')
}

/**
 * Starts a sandbox, makes the demo's payment, and stops it. Resolves with true if the payment settled and the
 * server stopped cleanly.
 * @param {string} node
 * @param {string} data
 * @param {NodeJS.ProcessEnv} env
 */
async function startAndPay(node, data, env) {
  const port = await freePort()
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    COUNTERSIGN_MODE: 'sandbox',
    COUNTERSIGN_DATA_DIR: data,
    DATABASE_URL: '',
  }
  const server = spawn(node, ['scripts/start.mjs'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...env, ...settings },
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const credentials = join(data, 'credentials.json')
  let demo = 1
  try {
    await until(() => isReady(port, credentials), server, 'The sandbox has not started.')
    demo = await run(node, ['scripts/demo.mjs', '--credentials', credentials], { env })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    say(error.message)
  }
  if (isAlive(server)) server.kill('SIGTERM')
  return (await ended) === 0 && demo === 0 && existsSync(credentials)
}

/**
 * Adds a line to the run's summary, if the caller asked for one.
 * @param {string} line
 */
function record(line) {
  if (process.env.TEST_SUMMARY_FILE) appendFileSync(process.env.TEST_SUMMARY_FILE, `${line}\n`)
}
