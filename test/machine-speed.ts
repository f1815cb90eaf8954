import { createHash } from 'node:crypto'

/** The time that the work takes on an idle machine of the kind on which the time limits were chosen. */
const USUAL_MS = 100
const ROUNDS = 1300
const TEXT = JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ id: index, name: `row ${index}` })))

/** Set by vitest.config.ts for the processes of the tests. */
const VARIABLE = 'TEST_SLOWDOWN'

/**
 * The factor by which this machine is slower than usual now, at least 1, because of its processor or of other
 * programs. Measured once per run; takes 0.1 s when idle.
 */
export function measureSlowdown(): number {
  const started = performance.now()
  for (let round = 0; round < ROUNDS; round++)
    createHash('sha256')
      .update(JSON.stringify(JSON.parse(TEXT)))
      .digest()
  return Math.max(1, (performance.now() - started) / USUAL_MS)
}

/** The environment variable that hands the slowdown to the processes of the tests. */
export function slowdownEnv(slowdown: number): Readonly<Record<string, string>> {
  return { [VARIABLE]: slowdown.toFixed(2) }
}

/**
 * A time limit for this machine: `usualMs` on an idle one, longer on a slow or busy one. For limits that only end what
 * hangs; a test never waits for a time to pass.
 */
export function timeLimit(usualMs: number): number {
  return Math.ceil(usualMs * Number(process.env[VARIABLE] ?? 1))
}
