/**
 * One query at a time, so that none pile up on an unresponsive database; callers meanwhile share its result.
 */
export function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
