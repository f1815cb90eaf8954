type Load = () => Promise<unknown>

declare global {
  interface Navigator {
    /** Not available in every browser. */
    readonly connection?: { readonly saveData?: boolean }
  }
}

/** The delay after the first page has been shown, and between two checks while the console is busy. */
const PAUSE_MS = 1_000

const waiting: Load[] = []

/**
 * Registers a script to be loaded while the console is idle, so that it is available even if the server is
 * down later.
 */
export function loadWhenIdle<Loads extends Load>(load: Loads): Loads {
  waiting.push(load)
  return load
}

/**
 * Loads the registered scripts one by one while the console makes no other requests. Does nothing if the
 * browser is set to save data. Stops at the first failure, because a browser may cache the failure to load a
 * script.
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

/** Not every browser supports idle callbacks. */
function waitUntilIdle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(resolve) : setTimeout(resolve),
  )
}
