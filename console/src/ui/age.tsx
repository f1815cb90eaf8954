import { useSyncExternalStore } from 'react'
import { clocks } from '../data/clocks.ts'
import { exactTime, lengthOfTime } from './time-format.ts'

const HOUR_MS = 3_600_000
/** A deadline that is nearer than this stands out. */
const SOON_MS = 4 * HOUR_MS

/** The time that something has waited: `3 days`. */
export function Age({ since }: { readonly since: string }) {
  const waitedMs = usePlatformTime() - Date.parse(since)
  return (
    <time dateTime={since} className="figures" title={exactTime(since)}>
      {waitedMs < 60_000 ? 'just now' : lengthOfTime(waitedMs)}
    </time>
  )
}

/** The time left until a deadline: `5 hours left`. One within four hours stands out. */
export function Deadline({ at }: { readonly at: string | undefined }) {
  const now = usePlatformTime()
  if (at === undefined) return <span className="soft">–</span>
  const leftMs = Date.parse(at) - now
  const text = leftMs <= 0 ? 'Too late' : `${lengthOfTime(leftMs)} left`
  return (
    <time dateTime={at} className={leftMs < SOON_MS ? 'figures soon' : 'figures'} title={exactTime(at)}>
      {text}
    </time>
  )
}

function usePlatformTime(): number {
  return useSyncExternalStore(clocks.subscribe, () => clocks.now('platform'))
}
