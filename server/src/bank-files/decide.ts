import type { Write } from '../db/commit/writes.ts'
import type { App, Op } from '../op/app.ts'
import { StaleRead } from '../op/operation.ts'
import { operate } from '../platforms/operate.ts'
import type { BankFilesRail } from './rail.ts'

const ATTEMPTS_MAX = 6

/** What the desk of a rail works with. */
export interface Desk {
  readonly app: App
  readonly rail: BankFilesRail
  readonly platformId: string
}

/** One operation of the desk, outside of any request. */
export async function opOf({ app, rail, platformId }: Desk): Promise<Op> {
  return operate(app, platformId, { kind: 'rail', rail: rail.name })
}

/** Reads, decides and commits, again where the reads were stale. Throws where that does not end. */
export async function decide(desk: Desk, by: (op: Op) => Promise<readonly Write[]>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const op = await opOf(desk)
    try {
      const writes = await by(op)
      if (writes.length === 0 || (await desk.app.commit(op, writes)).done) return
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error
    }
  }
  throw new Error('The records kept changing')
}
