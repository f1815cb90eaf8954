import { createInterface } from 'node:readline'
import type { Part } from './part.ts'
import { type Kind, SIDES } from './payment-sides.ts'
import type { TpcB } from './pgbench.ts'

/** The part of a turn that is pgbench's. */
export const PGBENCH = 'pgbench'

/** A line of input: the part to measure, and how long. */
export interface Turn {
  readonly part: string
  readonly seconds: number
}

/** The first line of output. Each further one is the `Part` or the `TpcB` of a turn. */
export interface Ready {
  readonly parts: readonly string[]
}

/**
 * Measures parts when it is told to, until the input ends: the bench of one build, which another bench runs beside its own
 * (`beside.ts`), in turn with it.
 */
export async function serveTurns(kind: Kind, hasPgbench: boolean): Promise<void> {
  await SIDES[kind](hasPgbench, async (side) => {
    say({ parts: side.parts })
    for await (const line of createInterface({ input: process.stdin })) {
      const { part, seconds } = JSON.parse(line) as Turn
      say(part === PGBENCH ? await side.pgbench(seconds) : await side.measure(part, seconds))
    }
  })
}

function say(answer: Ready | Part | TpcB): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
