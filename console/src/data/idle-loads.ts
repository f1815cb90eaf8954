type Load = () => Promise<unknown>

declare global {
  interface Navigator {
    /** Not in every browser. */
    readonly connection?: { readonly saveData?: boolean }
  }
}

/** The delay after the first view, and between two checks while the console is busy. */
const PAUSE_MS = 1_000

const waiting: Load[] = []

/**
 * Loads a script while the console is idle, so that it can be used even if the server is unavailable later.
 */
export function loadWhenIdle<Loads extends Load>(load: Loads): Loads {
  waiting.push(load)
  return load
}

/**
 * Loads the waiting scripts, one after the other, while the console makes no other requests. Does nothing for
 * a browser that saves data, and ends with the first failure: the browser may remember a script that failed
 * to load.
 */
export async function loadIdle(isBusy: () => boolean, signal: AbortSignal): Promise<void> {
  if (navigator.connection?.saveData) return
  await pause()
  while (!signal.aborted && waiting.length > 0) {
    await waitUntilIdle()
    if (isBusy()) await pause()
    else await waiting.shift()?.()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}

/** Not every browser reports when it is idle. */
function waitUntilIdle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(resolve) : setTimeout(resolve),
  )
}
