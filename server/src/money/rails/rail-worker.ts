import type { App, Op } from '../../kernel/operation/app.ts'
import { StaleRead } from '../../kernel/operation/operation.ts'
import { operate } from '../../people/platforms/operate.ts'
import type { Write } from '../../storage/commit/writes.ts'

const ATTEMPTS_MAX = 6

/** The context of a rail's background work. */
export interface RailWorker {
  readonly app: App
  readonly rail: { readonly name: string }
  readonly platformId: string
}

export async function createRailOp({ app, rail, platformId }: RailWorker): Promise<Op> {
  return operate(app, platformId, { kind: 'rail', rail: rail.name })
}

/**
 * Builds and commits writes, and retries after stale reads. Throws if the records change during every
 * attempt.
 */
export async function decide(
  worker: RailWorker,
  buildWrites: (op: Op) => Promise<readonly Write[]>,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const op = await createRailOp(worker)
    try {
      const writes = await buildWrites(op)
      if (writes.length === 0 || (await worker.app.commit(op, writes)).done) return
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error
    }
  }
  throw new Error(`The records changed during all ${ATTEMPTS_MAX} attempts`)
}
