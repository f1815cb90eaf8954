import { createHash } from 'node:crypto'

/** The duration of the measured work on an idle machine of the kind for which the time limits were chosen. */
const BASELINE_MS = 100
const ROUNDS = 1300
const TEXT = JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ id: index, name: `row ${index}` })))

/** Set by vitest.config.ts for the test processes. */
const VARIABLE = 'TEST_SLOWDOWN'

/**
 * The factor by which this machine is currently slower than usual, at least 1. Depends on its processor and
 * on other programs. Measured once per run, which takes 0.1 s on an idle machine.
 */
export function measureSlowdown(): number {
  const started = performance.now()
  for (let round = 0; round < ROUNDS; round++)
    createHash('sha256')
      .update(JSON.stringify(JSON.parse(TEXT)))
      .digest()
  return Math.max(1, (performance.now() - started) / BASELINE_MS)
}

/** The environment variable that passes the slowdown to the test processes. */
export function slowdownEnv(slowdown: number): Readonly<Record<string, string>> {
  return { [VARIABLE]: slowdown.toFixed(2) }
}

/**
 * A time limit scaled to this machine. `usualMs` is the limit on an idle one. Only for limits that stop hung
 * work; tests never wait for time to pass.
 */
export function timeLimit(usualMs: number): number {
  return Math.ceil(usualMs * Number(process.env[VARIABLE] ?? 1))
}
