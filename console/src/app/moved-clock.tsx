import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { clockQuery } from '../data/clock-query.ts'
import { clocks } from '../data/clocks.ts'
import { SandboxButton } from '../pages/sandbox/sandbox-button.tsx'
import { useIsSandbox } from '../session/me.ts'
import { formatDuration } from '../ui/time-format.ts'

const MOVED_MS = 60_000

/** Returns how far the platform's clock is ahead of real time, or undefined if it is not. */
export function useMovedClock(): number | undefined {
  const { data, dataUpdatedAt } = useQuery({ ...clockQuery, enabled: useIsSandbox() })
  useEffect(() => {
    if (data) clocks.setPlatformTime(data.now, dataUpdatedAt)
  }, [data, dataUpdatedAt])
  const aheadMs = useSyncExternalStore(clocks.subscribe, clocks.aheadMs)
  return aheadMs >= MOVED_MS ? aheadMs : undefined
}

/** A banner that says the pages use a moved clock, with a link to the page that resets it. */
export function MovedClock({ aheadMs }: { readonly aheadMs: number }) {
  const text = `The clock is ${formatDuration(aheadMs)} ahead of real time, and times here follow it. Only a reset sets it back.`
  return (
    <div className="moved waits" role="status">
      <span className="clipped" title={text}>
        {text}
      </span>
      <SandboxButton label="Go to reset" tab="data" />
    </div>
  )
}
