// Runs a database cluster with failover on this machine: three PostgreSQL nodes under Patroni, HAProxy, and two
// servers behind one address.
//   node scripts/cluster.mjs [--database WAY]               prints the addresses and runs until Ctrl-C
//   node scripts/cluster.mjs [--database WAY] -- command…   runs the command with BASE, TOKEN_ID, CLIENT_SECRET, DATABASE_URL
// WAY is how the servers reach PostgreSQL: proxy (HAProxy), hosts (all three nodes in DATABASE_URL), or session or
// transaction (pgbouncer in front of HAProxy).
import { parseArgs } from 'node:util'
import { ensureBuilt } from './build.mjs'
import { Cluster, WAYS } from './cluster/cluster.mjs'
import { ensureInstalled } from './install.mjs'
import { run, runScript, ScriptError, say } from './run.mjs'

await runScript(async () => {
  const { values, positionals } = parseArgs({
    options: { database: { type: 'string', default: 'proxy' } },
    allowPositionals: true,
  })
  const way = WAYS.find((candidate) => candidate === values.database)
  if (!way) throw new ScriptError(`--database is one of ${WAYS.join(', ')}.`)
  await ensureInstalled()
  await ensureBuilt(['server', 'sdk'])
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
  })
  const cluster = await Cluster.start({ way, say })
  try {
    const [command, ...args] = positionals
    if (command !== undefined)
      return await run(command, args, { env: { ...process.env, ...environment(cluster) } })
    process.stdout.write(await formatInstructions(cluster))
    const alive = setInterval(() => {}, 1 << 30)
    await interrupted
    clearInterval(alive)
    return 0
  } finally {
    await cluster.stop()
  }
})

/** @param {Cluster} cluster */
function environment(cluster) {
  const { tokenId, clientSecret, baseUrl } = cluster.credentials
  const BASE = `${cluster.baseUrl}${new URL(baseUrl).pathname}`
  return { BASE, TOKEN_ID: tokenId, CLIENT_SECRET: clientSecret, DATABASE_URL: cluster.databaseUrl }
}

/** @param {Cluster} cluster */
async function formatInstructions(cluster) {
  const primary = await cluster.primary()
  const nodes = cluster.nodes.map(({ name, localPort, localRest, patroni }) => {
    const role = name === primary?.name ? 'primary' : 'standby'
    return `  ${name}       PostgreSQL on port ${localPort}, Patroni on http://127.0.0.1:${localRest} (process ${patroni.pid}), ${role}`
  })
  const servers = cluster.servers.map(({ name, port, program }) => {
    return `  ${name}     http://127.0.0.1:${port} (process ${program.pid})`
  })
  return `
The cluster is ready. Both servers are behind one address:

${Object.entries(environment(cluster))
  .map(([name, value]) => `  export ${name}=${value}`)
  .join('\n')}

${[...nodes, ...servers].join('\n')}
  logs        ${cluster.base.logs}

To see which node is primary: curl -s http://127.0.0.1:${cluster.nodes[0]?.localRest}/cluster
To kill the primary:          kill -9 $(head -n 1 ${primary?.data}/postmaster.pid)
To switch over cleanly:        curl -s http://127.0.0.1:${primary?.localRest}/switchover -d '{"leader": "${primary?.name}"}'
To stop everything:           Ctrl-C
`
}
