import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import { buildTable, keysOf, present } from '@countersign/contract/core/objects'
import { type overview, STATISTICS_INTERVALS_MAX, Waiting } from '@countersign/contract/operation/overview'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { checkTimeZone } from '../../kernel/operation/time-zones.ts'
import { webhookEndpoint } from '../../kernel/outbox/events.ts'
import { listOwnRails } from '../../kernel/ports/own-rails.ts'
import { type Rail, SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import {
  selectChains,
  selectDeliveries,
  selectHeldBalances,
  selectProofs,
  selectStatistics,
  selectWaiting,
} from './store.ts'
import { readWatches, toReadingView } from './watches.ts'

const WAITING_KINDS = keysOf(Waiting.properties)
const FAILED_SECONDS = 7 * 86_400
const INTERVAL_SECONDS = { HOUR: 3_600, DAY: 86_400 } as const

export const overviewHandlers: Handlers<typeof overview> = {
  overview_get: async (op) => {
    const [held, waiting, deliveries, rails, chains, proofs, watched] = await Promise.all([
      selectHeldBalances(op),
      selectWaiting(op),
      selectDeliveries(op, addSeconds(op.now, -FAILED_SECONDS)),
      listRails(op),
      selectChains(op),
      selectProofs(op),
      readWatches(op),
    ])
    const body = {
      balances: held.map(({ currency, customers, platform }) => ({
        currency: toCurrencyRecord(currency),
        customers,
        platform,
      })),
      waiting: buildTable(WAITING_KINDS, (kind) =>
        Number(waiting.find((row) => row.kind === kind)?.count ?? 0),
      ),
      waitingSince: present(
        buildTable(WAITING_KINDS, (kind) => waiting.find((row) => row.kind === kind)?.since?.toISOString()),
      ),
      webhooks: present({
        endpoint: webhookEndpoint(op.platform),
        pending: Number(deliveries.pending),
        failed: Number(deliveries.failed),
        lastDeliveredAt: deliveries.last_delivered_at?.toISOString(),
        disabledReason: deliveries.disabled_reason ?? undefined,
      }),
      rails,
      chains: chains.map(({ rail, followed_block, followed_time }) => ({
        rail,
        followedBlock: followed_block,
        followedTime: followed_time.toISOString(),
      })),
      proofs: present({
        unchainedTransfers: Number(proofs.unchained),
        lastCheckpointAt: proofs.checkpoint_at?.toISOString(),
      }),
      watches: watched.map(toReadingView),
    }
    return { status: 200, body }
  },

  transaction_statistics: async (op, { query }) => {
    const { interval, timeZone = 'UTC' } = query
    const start = new Date(query.startDate)
    const end = parseOptionalTime(query.endDate) ?? op.now
    checkSpan(INTERVAL_SECONDS[interval], start, end)
    checkTimeZone(timeZone)
    const rows = await selectStatistics(op, interval, timeZone, start, end)
    const data = rows.map(({ start, currency, type, state, count, amount }) => ({
      start: start.toISOString(),
      type,
      status: state,
      count: Number(count),
      amount,
      currency: toCurrencyRecord(currency),
    }))
    return { status: 200, body: { data } }
  },
}

/** Throws 400 `INVALID_INPUT` if the period has more intervals than a response may contain. */
function checkSpan(seconds: number, start: Date, end: Date): void {
  const intervals = (end.getTime() - start.getTime()) / (seconds * 1000)
  if (intervals > STATISTICS_INTERVALS_MAX)
    throw createFieldError(
      'INVALID_INPUT',
      'startDate',
      `The period from startDate to endDate must not exceed ${STATISTICS_INTERVALS_MAX} intervals.`,
    )
}

/** Lists the platform's rails, and whether each one currently accepts payments. */
async function listRails(op: Op) {
  const simulated = op.rails.find(null)
  return [
    ...(await listOwnRails(op.rails, op.platform.id)).map((rail) => toRailView(op, rail)),
    ...(simulated ? [toRailView(op, simulated)] : []),
  ]
}

function toRailView(op: Op, rail: Rail) {
  const detail = describeObstacle(op, rail)
  const warnings = rail.isRetired ? [] : (rail.chain?.lowBalances() ?? [])
  return present({
    name: rail.name ?? SANDBOX_RAIL,
    kind: rail.entry?.kind ?? SANDBOX_RAIL,
    isAvailable: detail === undefined,
    detail,
    warnings: warnings.length > 0 ? [...warnings] : undefined,
    network: rail.chain?.network,
    treasury: rail.chain && toChecksumAddress(rail.chain.treasury.slice(2)),
  })
}

/** The reason why a rail currently accepts no payments; undefined if it does. */
function describeObstacle({ now }: Op, { isRetired, chain, opensAt }: Rail): string | undefined {
  if (isRetired) return 'This rail is retired and accepts no new payments.'
  if (chain && !chain.isReached()) return 'The server has not reached the chain yet.'
  const opening = opensAt(now)
  return opening > now ? `The rail is closed until ${opening.toISOString()}.` : undefined
}
