/** Work that a process does again and again, beside requests and jobs. */
export interface Background {
  /** Ends it, after the run under way. */
  stop(): Promise<void>
}

/**
 * Does work every so many milliseconds, one run at a time; the first one at once where it `beginsNow`. `onFailure` hears of a run that
 * fails; the next one comes all the same.
 */
export function inBackground(
  intervalMs: number,
  run: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
  beginsNow = false,
): Background {
  let underWay: Promise<unknown> | undefined
  const go = () => {
    underWay ??= run()
      .catch(onFailure)
      .finally(() => {
        underWay = undefined
      })
  }
  const timer = setInterval(go, intervalMs)
  timer.unref()
  if (beginsNow) go()
  return {
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}
