// Upgrades without downtime: runs two releases side by side on one PostgreSQL database, under load.
//   node scripts/upgrade.mjs   upgrades, rolls back, upgrades again, and finishes; takes about a minute
// The releases are the previous one and this tree, if the history has a release whose databases this tree can use.
// Otherwise they are this tree and a next release, made from it with planted schema changes. Exits with 0 only if no
// request failed, and nothing was lost, duplicated or missed.
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { ensureBuilt } from './build.mjs'
import { query } from './cluster/cluster.mjs'
import { MAIN, runCommand } from './cluster/operator-command.mjs'
import { pause, until } from './cluster/program.mjs'
import { findLostOrDuplicated, findMissedEvents, verifyBooks } from './drill/checks.mjs'
import { Follower, Load } from './drill/load.mjs'
import { ensureInstalled } from './install.mjs'
import { startCluster } from './postgres.mjs'
import { runScript, say } from './run.mjs'
import { PLANTED_RULES } from './upgrade/next-release.mjs'
import { buildNextRelease, buildRelease, findLastRelease } from './upgrade/releases.mjs'
import { Servers } from './upgrade/servers.mjs'

const DATABASE = 'countersign'
const STEADY_MS = 2000
/** Longer than any sandbox payment takes. */
const SETTLED_SECONDS = 20 * 60

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['server', 'sdk'])
  const release = findLastRelease()
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'countersign-upgrade-'))
  const cluster = await startCluster()
  try {
    await query(cluster.port, 'postgres', `CREATE DATABASE ${DATABASE}`)
    const sources = path.join(folder, 'release')
    fs.mkdirSync(sources)
    const builds = release
      ? { old: await buildRelease(release, sources), now: MAIN, rules: {} }
      : { old: MAIN, now: await buildNextRelease(sources), rules: PLANTED_RULES }
    const servers = new Servers(folder, cluster.url.replace(/postgres$/, DATABASE))
    try {
      return (await upgrade(servers, builds, cluster.port)) ? 0 : 1
    } finally {
      await servers.stop()
    }
  } finally {
    await cluster.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * @param {Servers} servers
 * @param {{ old: string, now: string, rules: Readonly<Record<string, string>> }} builds the programs of the release before and of the
 *   new one, and further rules that must hold afterwards
 * @param {number} port
 */
async function upgrade(servers, { old, now, rules }, port) {
  await servers.listen()
  await servers.add(old)
  await servers.add(old)
  const { Countersign } = await import('@countersign/sdk')
  const { tokenId, clientSecret, baseUrl } = servers.credentials
  const base = `${servers.origin}${new URL(baseUrl).pathname}`
  const countersign = new Countersign({ baseUrl: base, tokenId, clientSecret })
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  const follower = new Follower(countersign)
  const load = await new Load(countersign, { base, authorization }).start()
  const startMs = performance.now()
  /** @type {string[]} */
  const wrong = []
  const steps = /** @type {[string, () => Promise<unknown>][]} */ ([
    ['both servers run the previous release', async () => {}],
    ['one of the new release next to it', () => servers.replace(0, now)],
    [
      'the last step is refused meanwhile',
      async () => wrong.push(...(await checkFinishIsRefused(servers, now))),
    ],
    ['both of the new release', () => servers.replace(1, now)],
    ['back out: one server of the previous release', () => servers.replace(0, old)],
    ['back out: both', () => servers.replace(1, old)],
    ['again: one of the new release', () => servers.replace(0, now)],
    ['again: both', () => servers.replace(1, now)],
    ['the last step', async () => say(`  ${await finish(servers, now)}`)],
  ])
  for (const [description, takeStep] of steps) {
    const before = load.acknowledged.size
    await takeStep()
    await pause(STEADY_MS)
    say(
      `${description}: ${load.acknowledged.size - before} transfers (failed attempts: ${load.summary || 'none'})`,
    )
  }
  await load.stop()
  wrong.push(...(await checkOldIsRefused(servers, old)))
  say(
    `${load.acknowledged.size} transfers; the longest time without one: ${Math.round(load.longestGap(startMs, performance.now()))} ms.`,
  )
  if (load.failures.size > 0) wrong.push(`attempts failed: ${load.summary}`)
  await countersign.sandbox.advanceClock({ seconds: SETTLED_SECONDS })
  wrong.push(
    ...(await verifyBooks({ ...servers.options, main: now })),
    ...(await plantedFindings(port, rules)),
    ...(await findLostOrDuplicated(port, load, { isOver: true })),
  )
  wrong.push(...(await findMissedEvents(port, DATABASE, follower)))
  await follower.stop()
  for (const line of wrong) say(`WRONG: ${line}`)
  say(
    wrong.length === 0 ? 'No request failed; nothing was lost, doubled or missed.' : `${wrong.length} wrong.`,
  )
  return wrong.length === 0
}

/**
 * @param {number} port @param {Readonly<Record<string, string>>} rules queries that return rows only if
 * something is wrong
 */
async function plantedFindings(port, rules) {
  const found = []
  for (const [description, sql] of Object.entries(rules))
    if ((await query(port, DATABASE, sql)).length > 0) found.push(description)
  return found
}

/**
 * Runs `countersign upgrade finish` with the server program's own command.
 * @param {Servers} servers @param {string} main
 */
async function finish(servers, main) {
  return JSON.stringify(await runCommand({ ...servers.options, main }, 'upgrade', 'finish'))
}

/** @param {Servers} servers @param {string} main */
async function checkFinishIsRefused(servers, main) {
  try {
    return [
      `the last step was taken while a server of the previous release runs: ${await finish(servers, main)}`,
    ]
  } catch (error) {
    const { stderr } = /** @type {{ stderr: string }} */ (error)
    return stderr.includes('servers of another release are connected')
      ? []
      : [`the last step failed: ${stderr}`]
  }
}

/** @param {Servers} servers @param {string} main */
async function checkOldIsRefused(servers, main) {
  const program = servers.program(main, 'refused', 0)
  program.start()
  await until('the previous release has refused the database', async () => !program.isRunning, {
    timeoutMs: 30_000,
  }).catch(() => {})
  const isRunning = program.isRunning
  await program.end('SIGKILL')
  const log = fs.readFileSync(program.log, 'utf8')
  return !isRunning && log.includes('does not know')
    ? []
    : [`the previous release starts after the last step: ${log}`]
}
