// Injects faults into a database cluster with failover, one after another and under load, and checks everything
// that was acknowledged.
//   node scripts/drill.mjs [--database WAY]   all faults, about ten minutes
//   node scripts/drill.mjs --only WORD        the faults whose name contains the word
//   node scripts/drill.mjs --short            one kill -9 of the primary and one switchover
// WAY is the same as in scripts/cluster.mjs. Exits with 0 only if nothing was lost, duplicated or missed.
import { parseArgs } from 'node:util'
import { ensureBuilt } from './build.mjs'
import { Cluster, query, WAYS } from './cluster/cluster.mjs'
import { pause, until } from './cluster/program.mjs'
import { findLostOrDuplicated, findMissedEvents, verifyBooks } from './drill/checks.mjs'
import * as faults from './drill/faults.mjs'
import { Follower, Load } from './drill/load.mjs'
import { checkRestore } from './drill/restore.mjs'
import { ensureInstalled } from './install.mjs'
import { runScript, ScriptError, say } from './run.mjs'

/** Load before and after each fault. */
const STEADY_MS = 2000
const AFTER_MS = 3000
/** The maximum time from a new primary that accepts writes to the first successful response. */
const RECOVERY_MS_MAX = 10_000
/** Longer than any sandbox payment takes. */
const SETTLED_SECONDS = 20 * 60
const REPEATED_KEYS = 200

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      database: { type: 'string', default: 'proxy' },
      only: { type: 'string', default: '' },
    },
  })
  const way = WAYS.find((candidate) => candidate === values.database)
  if (!way) throw new ScriptError(`--database is one of ${WAYS.join(', ')}.`)
  await ensureInstalled()
  await ensureBuilt(['server', 'sdk'])
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  const hasDisks = !values.short && process.getuid?.() === 0
  if (!values.short && !hasDisks) say('No full disk: mounting a small one needs root.')
  const cluster = await Cluster.start({ way, say, hasDisks })
  const all = values.short ? shortFaults() : allFaults(cluster, hasDisks)
  const list = all.filter(({ name }) => name.includes(values.only))
  let isPassed = false
  try {
    isPassed = await drill(cluster, list, values.short)
  } catch (error) {
    say(`WRONG: ${/** @type {Error} */ (error).message}`)
  } finally {
    await cluster.stop()
  }
  // After a failed drill, the payers and the follower would otherwise keep retrying.
  process.exit(isPassed ? 0 : 1)
})

function shortFaults() {
  return [faults.KILLED, faults.HANDED_OVER]
}

/** @param {Cluster} cluster @param {boolean} hasDisks */
function allFaults(cluster, hasDisks) {
  const programs = ['etcd', 'database-proxy', 'web-proxy', ...cluster.servers.map(({ name }) => name)]
  return [
    ...[faults.KILLED, faults.paused(), faults.cutOff(), faults.HANDED_OVER],
    ...(hasDisks ? [faults.DISK_FULL] : []),
    ...cluster.nodes.map(({ name }) => faults.nodeRestarted(name)),
    ...programs.map((name) => faults.programRestarted(name)),
  ]
}

/** @param {Cluster} cluster @param {faults.Fault[]} list @param {boolean} isShort */
async function drill(cluster, list, isShort) {
  const { Countersign } = await import('@countersign/sdk')
  const { tokenId, clientSecret, baseUrl } = cluster.credentials
  const base = `${cluster.baseUrl}${new URL(baseUrl).pathname}`
  const countersign = new Countersign({ baseUrl: base, tokenId, clientSecret })
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  await faults.prepareProbe(cluster)
  const follower = new Follower(countersign)
  const load = await new Load(countersign, { base, authorization }).start()
  const wrong = []
  const pids = cluster.servers.map(({ program }) => program.pid)
  for (const fault of list) {
    const problems = await runFault(cluster, load, fault, isShort)
    wrong.push(...problems.map((problem) => `${fault.name}: ${problem}`))
  }
  if (isShort && cluster.servers.some(({ program }, n) => program.pid !== pids[n]))
    wrong.push('a server was restarted')
  await load.stop()
  wrong.push(...(await checkFinalState(cluster, load, follower, countersign)))
  if (!isShort) wrong.push(...(await checkRestore(cluster, load, follower)))
  await follower.stop()
  say(`${load.acknowledged.size} transfers acknowledged, ${follower.seen.length} events followed.`)
  say(`Retried attempts: ${load.summary || 'none'}`)
  for (const line of wrong) say(`WRONG: ${line}`)
  say(wrong.length === 0 ? 'Nothing was lost, doubled or missed.' : `${wrong.length} wrong.`)
  return wrong.length === 0
}

/**
 * Injects one fault. The short drill is a test, and no test asserts a duration.
 * @param {Cluster} cluster @param {Load} load @param {faults.Fault} fault @param {boolean} isShort
 */
async function runFault(cluster, load, fault, isShort) {
  await cluster.waitUntilWhole()
  await pause(STEADY_MS)
  const old = await until('a primary', () => cluster.primary())
  const startMs = performance.now()
  const takeover = fault.takesOver ? faults.waitForNewPrimary(cluster, old) : undefined
  await fault.hit(cluster, old)
  const writableMs = takeover ? await takeover : performance.now()
  const firstMs = await until(
    'a transfer after the fault',
    async () => load.wrong.length > 0 || load.firstAfter(writableMs),
    {
      everyMs: 10,
      timeoutMs: 40_000,
    },
  ).catch((error) => {
    throw new ScriptError(`${fault.name}: ${error.message} (${load.summary})`)
  })
  await pause(AFTER_MS)
  const gapMs = load.longestGap(startMs, performance.now())
  const wrong = [...load.wrong, ...(await fault.heal(cluster, old))]
  await cluster.waitUntilWhole()
  const primary = await until('a primary', () => cluster.primary())
  wrong.push(...(await verifyBooks(cluster.program('server1').options)))
  wrong.push(...(await findLostOrDuplicated(primary.localPort, load, { isOver: false })))
  const recoveryMs = firstMs - writableMs
  if (takeover && !isShort && recoveryMs > RECOVERY_MS_MAX)
    wrong.push(`${seconds(recoveryMs)} from the new primary to a response`)
  const recovery = takeover
    ? `, new primary after ${seconds(writableMs - startMs)}, first success ${seconds(recoveryMs)} later`
    : ''
  say(`${fault.name}: ${seconds(gapMs)} without service${recovery}`)
  for (const line of wrong) say(`  WRONG: ${line}`)
  return wrong
}

/** @param {Cluster} cluster @param {Load} load @param {Follower} follower @param {any} countersign */
async function checkFinalState(cluster, load, follower, countersign) {
  await countersign.sandbox.advanceClock({ seconds: SETTLED_SECONDS })
  const keys = [...load.acknowledged.keys()]
  await load.repeat(keys.filter((_, n) => n % Math.ceil(keys.length / REPEATED_KEYS) === 0))
  const port = cluster.databasePort
  const open = await query(
    port,
    'countersign',
    `SELECT id FROM transactions WHERE kind = 'TRANSFER_OUT' AND state <> 'COMPLETED'`,
  )
  return [
    ...load.wrong,
    ...(await verifyBooks(cluster.program('server1').options)),
    ...(await findLostOrDuplicated(port, load, { isOver: true })),
    ...(await findMissedEvents(port, 'countersign', follower)),
    ...(open.length > 0 ? [`${open.length} transfers have not ended`] : []),
  ]
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
