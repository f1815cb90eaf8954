import { timeLimit } from '../../../test/machine-speed.ts'

/** Polls until the value is as wanted. The server has no event for it that a test could wait for. */
export async function until<T>(
  look: () => Promise<T>,
  isThere: (found: T) => boolean,
  seconds = 40,
): Promise<T> {
  const endMs = performance.now() + timeLimit(seconds * 1000)
  for (;;) {
    const found = await look()
    if (isThere(found)) return found
    if (performance.now() > endMs) throw new Error(`Waited too long: ${JSON.stringify(found, jsonable)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function jsonable(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
