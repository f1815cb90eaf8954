import { WATCH_NAMES, type WatchName } from '@countersign/contract/operation/watches'
import { formatDecimal } from '../../base/formats/decimal.ts'
import type { App } from '../../kernel/operation/app.ts'
import type { WatchFigure } from '../../kernel/ports/metrics.ts'
import { readWatches, readWorkers, type Watched } from '../../operation/overview/watches.ts'
import { operate } from '../../people/platforms/operate.ts'
import { findMarkedPlatforms } from './store.ts'

/** The maximum number of platforms whose marks are read per scrape. */
const PLATFORMS_MAX = 100

const SERVER_WATCH: WatchName = 'WORKER'

/** All values monitored on this server, for its workers and for platforms with rails or marks. */
export async function findWatchFigures(app: App): Promise<WatchFigure[]> {
  const owners = await Promise.all(app.rails.list().map((rail) => app.rails.ownerOf(rail)))
  const marked = await findMarkedPlatforms(app.db, PLATFORMS_MAX)
  const platformIds = new Set([...owners.flatMap((id) => id ?? []), ...marked])
  const names = WATCH_NAMES.filter((name) => name !== SERVER_WATCH)
  const byPlatform = await Promise.all(
    [...platformIds].map(async (id) => {
      const op = await operate(app, id)
      return (await readWatches(op, names)).map((watch) => toFigure(id, watch))
    }),
  )
  return [...readWorkerFigures(app), ...byPlatform.flat()]
}

function readWorkerFigures({ workers }: App): WatchFigure[] {
  return readWorkers({ workers }).map((watch) => toFigure('', { watch: SERVER_WATCH, ...watch }))
}

function toFigure(platform: string, { watch, subject, unit, decimals, value, limit }: Watched): WatchFigure {
  const figure = (amount: bigint) => Number(formatDecimal(amount, decimals))
  return { watch, platform, subject, unit, value: figure(value), limit: figure(limit) }
}
