import { uuidOf } from '@countersign/server/storage/engine/ids'
import { anyOf, load } from './load.ts'
import type { Bench, Options } from './on-server.ts'
import { Receiver } from './receiver.ts'
import type { Payer } from './seed.ts'
import { formatInteger, median, table } from './table.ts'
import { transferCall } from './transfers.ts'
import { call, type Sides, untilDelivered } from './webhook-sides.ts'

const ENDPOINTS = 100
/** Payments per second. Each sends one webhook to each endpoint, far fewer than the server can deliver. */
const PER_SECOND = 5

/**
 * Measures how late webhooks arrive at many endpoints: first while all of them respond, then while one hangs.
 */
export async function measureManyEndpoints(
  bench: Bench<readonly Payer[]>,
  { db, receiver }: Sides,
  { seconds, rounds }: Options,
): Promise<void> {
  const eventTypes = ['OUTGOING_PAYMENT.COMPLETED']
  const { id = '' } = await call(bench.target, 'POST', '/webhook-endpoints', {
    url: receiver.url,
    eventTypes,
  })
  await db.query(copiesOf(uuidOf(id), ENDPOINTS - 1))
  const agesOfLoad = async () => {
    receiver.takeAges()
    await load(bench.target, { seconds, perSecond: PER_SECOND }, [() => transferCall(anyOf(bench.seeded))])
    await untilDelivered(db, id)
    return receiver.takeAges()
  }
  const done: { readonly all: readonly number[]; readonly others: readonly number[] }[] = []
  for (let n = 0; n < rounds; n++) {
    await call(bench.target, 'PATCH', `/webhook-endpoints/${id}`, { url: receiver.url })
    const all = await agesOfLoad()
    await call(bench.target, 'PATCH', `/webhook-endpoints/${id}`, {
      url: new URL(Receiver.HANGING_PATH, receiver.url).href,
    })
    done.push({ all, others: await agesOfLoad() })
  }
  const formatRow = (
    name: string,
    of: (round: (typeof done)[number]) => readonly number[],
    share: number,
  ) => [
    name,
    ...[0.5, 0.99].map(
      (fraction) => `${formatInteger(median(done.map((round) => quantile(of(round), fraction))))} ms`,
    ),
    formatInteger(median(done.map((round) => of(round).length))),
    share.toFixed(2),
  ]
  const p99 = done.map(({ all, others }) => quantile(others, 0.99) / quantile(all, 0.99))
  process.stdout.write(`
Webhooks to ${ENDPOINTS} endpoints, ${PER_SECOND} payments per second: time from the event until its webhook arrives.

${table([
  ['', 'p50', 'p99', 'webhooks', 'p99 ratio'],
  formatRow('all respond', ({ all }) => all, 1),
  formatRow('one hangs: the others', ({ others }) => others, median(p99)),
])}`)
}

/** SQL that copies an endpoint. The API allows fewer endpoints per platform. */
function copiesOf(endpoint: string, count: number): string {
  const copyOf = (row: string) =>
    `overlay(gen_random_uuid()::text PLACING right(${row}.id::text, 2) FROM 35)::uuid`
  return `
WITH copies AS (
  INSERT INTO webhook_endpoints
  SELECT (jsonb_populate_record(e, jsonb_build_object('id', ${copyOf('e')}, 'claimed_by', NULL, 'claimed_until', NULL))).*
  FROM webhook_endpoints e, generate_series(1, ${count}) WHERE e.id = '${endpoint}' RETURNING id, platform_id)
INSERT INTO webhook_secrets (id, platform_id, endpoint_id, key_generation, created_at)
SELECT ${copyOf('s')}, copies.platform_id, copies.id, s.key_generation, s.created_at
FROM copies, webhook_secrets s WHERE s.endpoint_id = '${endpoint}'`
}

/** A quantile of the values. */
function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}
