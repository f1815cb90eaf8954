import { extractUuid } from '@countersign/server/storage/engine/ids'
import { load, pickRandom } from './load.ts'
import type { Bench, Options } from './on-server.ts'
import { Receiver } from './receiver.ts'
import type { Payer } from './seed.ts'
import { findMedian, formatInteger, formatTable } from './table.ts'
import { buildTransferCall } from './transfers.ts'
import { sendCall, type WebhookBench, waitUntilDelivered } from './webhook-calls.ts'

const ENDPOINT_COUNT = 100
/** Each payment sends a webhook to every endpoint. The total is far below the server's capacity. */
const PER_SECOND = 5

/**
 * Measures the delay of webhooks to many endpoints: first while all of them respond, then while one hangs.
 */
export async function measureManyEndpoints(
  bench: Bench<readonly Payer[]>,
  { db, receiver }: WebhookBench,
  { seconds, rounds }: Options,
): Promise<void> {
  const eventTypes = ['OUTGOING_PAYMENT.COMPLETED']
  const { id = '' } = await sendCall(bench.target, 'POST', '/webhook-endpoints', {
    url: receiver.url,
    eventTypes,
  })
  await db.query(buildCopySql(extractUuid(id), ENDPOINT_COUNT - 1))
  const measureAges = async () => {
    receiver.takeAges()
    await load(bench.target, { seconds, perSecond: PER_SECOND }, [
      () => buildTransferCall(pickRandom(bench.seeded)),
    ])
    await waitUntilDelivered(db, id)
    return receiver.takeAges()
  }
  const results: { readonly all: readonly number[]; readonly others: readonly number[] }[] = []
  for (let n = 0; n < rounds; n++) {
    await sendCall(bench.target, 'PATCH', `/webhook-endpoints/${id}`, { url: receiver.url })
    const all = await measureAges()
    await sendCall(bench.target, 'PATCH', `/webhook-endpoints/${id}`, {
      url: new URL(Receiver.HANGING_PATH, receiver.url).href,
    })
    results.push({ all, others: await measureAges() })
  }
  const formatRow = (
    name: string,
    getAges: (round: (typeof results)[number]) => readonly number[],
    share: number,
  ) => [
    name,
    ...[0.5, 0.99].map(
      (fraction) =>
        `${formatInteger(findMedian(results.map((round) => computeQuantile(getAges(round), fraction))))} ms`,
    ),
    formatInteger(findMedian(results.map((round) => getAges(round).length))),
    share.toFixed(2),
  ]
  const p99 = results.map(({ all, others }) => computeQuantile(others, 0.99) / computeQuantile(all, 0.99))
  process.stdout.write(`
Webhooks to ${ENDPOINT_COUNT} endpoints, ${PER_SECOND} payments per second: time from the event until its webhook arrives.

${formatTable([
  ['', 'p50', 'p99', 'webhooks', 'p99 ratio'],
  formatRow('all respond', ({ all }) => all, 1),
  formatRow('healthy endpoints while one hangs', ({ others }) => others, findMedian(p99)),
])}`)
}

/** SQL that copies an endpoint, because the API allows fewer endpoints per platform. */
function buildCopySql(endpoint: string, count: number): string {
  const copyIdSql = (row: string) =>
    `overlay(gen_random_uuid()::text PLACING right(${row}.id::text, 2) FROM 35)::uuid`
  return `
WITH copies AS (
  INSERT INTO webhook_endpoints
  SELECT (jsonb_populate_record(e, jsonb_build_object('id', ${copyIdSql('e')}, 'claimed_by', NULL, 'claimed_until', NULL))).*
  FROM webhook_endpoints e, generate_series(1, ${count}) WHERE e.id = '${endpoint}' RETURNING id, platform_id)
INSERT INTO webhook_secrets (id, platform_id, endpoint_id, key_generation, created_at)
SELECT ${copyIdSql('s')}, copies.platform_id, copies.id, s.key_generation, s.created_at
FROM copies, webhook_secrets s WHERE s.endpoint_id = '${endpoint}'`
}

function computeQuantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}
