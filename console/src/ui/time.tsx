import { useSyncExternalStore } from 'react'
import { type ClockName, clocks } from '../data/clocks.ts'
import { formatExactTime, formatShortTime } from './time-format.ts'

/** A time in the viewer's time zone. Recent times are relative, with the exact time on hover. */
export function Time(props: { readonly at: string | undefined; readonly clock?: ClockName }) {
  const { at, clock = 'platform' } = props
  const seenAt = useSyncExternalStore(clocks.subscribe, () => clocks.now(clock))
  if (at === undefined) return <span className="soft">–</span>
  return (
    <time dateTime={at} className="figures" title={formatExactTime(at)}>
      {formatShortTime(at, seenAt)}
    </time>
  )
}
