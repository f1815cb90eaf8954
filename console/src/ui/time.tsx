import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { exactTime, shortTime } from './time-format.ts'

const TICK_MS = 30_000

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all times of the page, which runs while there are any. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const one of listeners) one()
    }, TICK_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A time in the viewer's zone, relative where it is recent, with the exact one on hover. */
export function Time({ at }: { readonly at: string | undefined }) {
  const seenAt = useSyncExternalStore(subscribe, () => now)
  if (at === undefined) return <span className="soft">–</span>
  return (
    <Tooltip label={exactTime(at)}>
      <time dateTime={at} className="figures">
        {shortTime(at, seenAt)}
      </time>
    </Tooltip>
  )
}
