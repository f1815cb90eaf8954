/**
 * Runs one query at a time and shares its result with callers that arrive meanwhile, so that queries do not
 * pile up on an unresponsive database.
 */
export function oneAtATime<T>(query: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= query().finally(() => {
      running = undefined
    })
    return running
  }
}
