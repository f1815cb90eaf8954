import { join } from 'node:path'
import type { Options } from './on-server.ts'
import {
  createDeployment,
  type Deployment,
  getCredentialsFile,
  READY,
  ROOT,
  RunningProcess,
  startServer,
} from './server-process.ts'
import { findMedian, formatTable } from './table.ts'

const STARTS = 5
const DEMOS = 3
const SHORT = 1

/**
 * Measures the time from `npm start` to the line with the server's URL, and the duration of the demo's
 * payment. Prints a table.
 */
export async function runStart({ database, isShort }: Options): Promise<void> {
  const deployment = await createDeployment(database)
  try {
    const first = await measureStart(deployment)
    const others: number[] = []
    for (let n = 0; n < (isShort ? SHORT : STARTS); n++) others.push(await measureStart(deployment))
    const demos = await measureDemo(deployment, isShort ? SHORT : DEMOS)
    process.stdout.write(`
Starting, on ${database === 'embedded' ? 'the embedded database' : 'PostgreSQL'}:
${formatTable([
  ['npm start to ready, the first time', `${first.toFixed(2)} s`, ''],
  ['npm start to ready, from the second time on', `${findMedian(others).toFixed(2)} s`, formatSpread(others)],
  ['demo, sign-in to settled payment', `${findMedian(demos).toFixed(2)} s`, formatSpread(demos)],
])}`)
  } finally {
    await deployment.remove()
  }
}

function formatSpread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`
}

async function measureStart(deployment: Deployment): Promise<number> {
  const startMs = performance.now()
  const npm = new RunningProcess('npm', ['start'], deployment.env)
  await npm.waitForOutput(READY)
  const seconds = (performance.now() - startMs) / 1000
  await npm.stop()
  return seconds
}

async function measureDemo(deployment: Deployment, count: number): Promise<number[]> {
  const { server, baseUrl } = await startServer(deployment)
  const seconds: number[] = []
  for (let n = 0; n < count; n++) {
    seconds.push(await runDemo(deployment, baseUrl))
  }
  await server.stop()
  return seconds
}

/** Runs the cli's demo. Returns the duration in seconds that it prints. */
async function runDemo(deployment: Deployment, baseUrl: string): Promise<number> {
  const cli = join(ROOT, 'cli/dist/main.js')
  const args = [cli, 'demo', '--credentials', getCredentialsFile(deployment), '--base-url', baseUrl]
  const demo = new RunningProcess(process.execPath, args)
  const [, seconds] = await demo.waitForOutput(/settled payment: +([\d.]+) s/)
  await demo.waitForExit()
  return Number(seconds)
}
