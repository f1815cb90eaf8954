import { useSyncExternalStore } from 'react'
import { clocks } from '../data/clocks.ts'
import { formatDuration, formatExactTime } from './time-format.ts'

const HOUR_MS = 3_600_000
/** Deadlines nearer than this are highlighted. */
const SOON_MS = 4 * HOUR_MS

/** The time that something has been waiting: `3 days`. */
export function Age({ since }: { readonly since: string }) {
  const waitedMs = usePlatformTime() - Date.parse(since)
  return (
    <time dateTime={since} className="figures" title={formatExactTime(since)}>
      {waitedMs < 60_000 ? 'just now' : formatDuration(waitedMs)}
    </time>
  )
}

/** The time left until a deadline: `5 hours left`. Highlighted if less than four hours are left. */
export function Deadline({ at }: { readonly at: string | undefined }) {
  const now = usePlatformTime()
  if (at === undefined) return <span className="soft">–</span>
  const leftMs = Date.parse(at) - now
  const text = leftMs <= 0 ? 'Too late' : `${formatDuration(leftMs)} left`
  return (
    <time dateTime={at} className={leftMs < SOON_MS ? 'figures soon' : 'figures'} title={formatExactTime(at)}>
      {text}
    </time>
  )
}

function usePlatformTime(): number {
  return useSyncExternalStore(clocks.subscribe, () => clocks.now('platform'))
}
