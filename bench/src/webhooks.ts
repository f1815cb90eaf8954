import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CERT } from '@countersign/server/base/http-client/localhost-certificate.testing'
import { openPostgres } from '@countersign/server/storage/engine/postgres'
import { type Figure, load, pickRandom, type Target } from './load.ts'
import { measureManyEndpoints } from './many-endpoints.ts'
import { type Bench, type Options, runOnServer, SANDBOX, type ServerSetup } from './on-server.ts'
import { Receiver } from './receiver.ts'
import { type Payer, seedPayers } from './seed.ts'
import { findMedian, formatInteger, printTable } from './table.ts'
import { ACCOUNT_COUNT, buildTransferCall } from './transfers.ts'
import { sendCall, type WebhookBench, waitUntilDelivered } from './webhook-calls.ts'

const SHORT_ACCOUNTS = 500
const WARM_UP_SECONDS = 2
/** The response time of a slow receiver. */
const SLOW_MS = 50

/** A server that trusts the receiver's certificate. */
const TRUSTS_RECEIVER: ServerSetup = {
  ...SANDBOX,
  async env({ dataDir }) {
    const file = join(dataDir, 'receiver.pem')
    await writeFile(file, CERT)
    return { NODE_EXTRA_CA_CERTS: file }
  },
}

/**
 * Measures durable `POST /transfer-out` calls with and without a webhook endpoint, the speed of the webhooks,
 * and the effect of a hanging endpoint on others.
 */
export async function runWebhooks(options: Options): Promise<void> {
  const accounts = options.isShort ? SHORT_ACCOUNTS : ACCOUNT_COUNT
  await runOnServer(
    options,
    (db) => seedPayers(db, accounts),
    async (bench) => {
      if (!bench.cluster) throw new Error('This bench needs PostgreSQL.')
      const db = await openPostgres(bench.cluster.url, { poolMax: 1 })
      const receiver = await Receiver.open()
      try {
        await measure(bench, { db, receiver }, options)
        await measureManyEndpoints(bench, { db, receiver }, options)
      } finally {
        await receiver.close()
        await db.close()
      }
    },
    TRUSTS_RECEIVER,
  )
}

/** The results of a load with a webhook endpoint. */
interface WebhookLoad {
  readonly payments: Figure
  readonly meanwhile: Pick<Figure, 'perSecond'>
  /** The rate from the end of the load until the last webhook was delivered. */
  readonly afterwards: Pick<Figure, 'perSecond'>
  readonly webhooksPerPayment: number
  readonly connections: number
}

interface LoadPair {
  readonly spread: WebhookLoad
  readonly hot: WebhookLoad
}

interface Round {
  readonly without: Figure
  /** Webhooks to a receiver that responds late, over HTTP/1.1. */
  readonly slow: WebhookLoad
  /** Webhooks to a receiver that responds late, over HTTP/2. */
  readonly slowHttp2: WebhookLoad
  /** To the `webhookEndpoint` of the configuration. */
  readonly configured: LoadPair
  /** To an endpoint added with `POST /webhook-endpoints`. */
  readonly added: LoadPair
}

async function measure(
  bench: Bench<readonly Payer[]>,
  webhookBench: WebhookBench,
  { seconds, rounds, isShort }: Options,
): Promise<void> {
  const { seeded, target } = bench
  const hotPayers = seeded.slice(0, 1)
  // The code that sends webhooks also has to be warm.
  await setEndpoint(target, webhookBench.receiver.url)
  await pay(bench, seeded, isShort ? 1 : WARM_UP_SECONDS)
  await waitUntilDelivered(webhookBench.db)
  await setEndpoint(target, null)
  const results: Round[] = []
  for (let n = 0; n < rounds; n++) {
    const without = await pay(bench, seeded, seconds)
    const send = async (): Promise<LoadPair> => {
      await waitUntilDelivered(webhookBench.db)
      const spread = await loadWithWebhooks(bench, webhookBench, seeded, seconds)
      const hot = await loadWithWebhooks(bench, webhookBench, hotPayers, seconds)
      return { spread, hot }
    }
    await setEndpoint(target, webhookBench.receiver.url)
    const configured = await send()
    webhookBench.receiver.delayMs = SLOW_MS
    const slow = await loadWithWebhooks(bench, webhookBench, seeded, seconds)
    await setEndpoint(target, webhookBench.receiver.secureUrl)
    const slowHttp2 = await loadWithWebhooks(bench, webhookBench, seeded, seconds)
    webhookBench.receiver.delayMs = 0
    await setEndpoint(target, null)
    const { id } = await sendCall(target, 'POST', '/webhook-endpoints', { url: webhookBench.receiver.url })
    const added = await send()
    await sendCall(target, 'DELETE', `/webhook-endpoints/${id}`)
    results.push({ without, configured, slow, slowHttp2, added })
  }
  printRounds(results, seeded.length, seconds)
}

function printRounds(rounds: readonly Round[], accounts: number, seconds: number): void {
  const listFigures = (name: string, select: (round: Round) => WebhookLoad) => [
    { name: `payments${name}`, figures: rounds.map((round) => select(round).payments) },
    { name: `webhooks${name}, meanwhile`, figures: rounds.map((round) => select(round).meanwhile) },
    { name: `webhooks${name}, afterwards`, figures: rounds.map((round) => select(round).afterwards) },
  ]
  const kinds = [
    { name: 'configured', of: ({ configured }: Round) => configured },
    { name: 'added', of: ({ added }: Round) => added },
  ]
  printTable(
    `Durable POST /transfer-out over HTTP and the webhooks of its events, PostgreSQL, fsync on.
32 connections, ${accounts} accounts and one account, ${rounds.length} alternating rounds of ${seconds} s. The receiver responds immediately.`,
    [
      { name: 'payments, without an endpoint', figures: rounds.map(({ without }) => without) },
      ...kinds.flatMap(({ name, of: select }) => [
        ...listFigures(`, ${name}`, (round) => select(round).spread),
        ...listFigures(` of one account, ${name}`, (round) => select(round).hot),
      ]),
      ...listFigures(`, ${SLOW_MS} ms each`, ({ slow }) => slow),
      ...listFigures(`, ${SLOW_MS} ms each, HTTP/2`, ({ slowHttp2 }) => slowHttp2),
    ],
  )
  const findRoundMedian = (select: (round: Round) => number) => findMedian(rounds.map(select))
  for (const { name, of: select } of kinds)
    process.stdout.write(`
  ${name}: webhooks of a payment ${findRoundMedian((round) => select(round).spread.webhooksPerPayment).toFixed(1)}, new connections ${formatInteger(
    findRoundMedian((round) => select(round).spread.connections),
  )}, of one account ${formatInteger(findRoundMedian((round) => select(round).hot.connections))}
`)
}

function pay(bench: Bench<unknown>, payers: readonly Payer[], seconds: number): Promise<Figure> {
  return load(bench.target, { seconds }, [() => buildTransferCall(pickRandom(payers))], bench.waitUntilIdle)
}

/** Pays, and then waits until every webhook has been delivered. */
async function loadWithWebhooks(
  bench: Bench<unknown>,
  { db, receiver }: WebhookBench,
  payers: readonly Payer[],
  seconds: number,
): Promise<WebhookLoad> {
  const before = receiver.counts()
  const startedMs = performance.now()
  // Does not wait until the payments have settled, because webhooks are still sent in the meantime.
  const payments = await load(bench.target, { seconds }, [() => buildTransferCall(pickRandom(payers))])
  const paid = receiver.counts()
  const paidMs = performance.now()
  await waitUntilDelivered(db)
  const delivered = receiver.counts()
  const computeRate = (count: number, fromMs: number, toMs: number) => ({
    perSecond: (count * 1000) / Math.max(1, toMs - fromMs),
  })
  return {
    payments,
    meanwhile: computeRate(paid.requests - before.requests, startedMs, paidMs),
    afterwards: computeRate(delivered.requests - paid.requests, paidMs, Math.max(paidMs, receiver.lastMs)),
    webhooksPerPayment: (delivered.requests - before.requests) / (payments.perSecond * seconds),
    connections: delivered.connections - before.connections,
  }
}

async function setEndpoint(target: Target, webhookEndpoint: string | null): Promise<void> {
  await sendCall(target, 'PATCH', '/config', { webhookEndpoint })
}
