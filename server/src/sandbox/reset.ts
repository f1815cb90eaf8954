import type { sandbox_reset } from '@countersign/contract/sandbox/sandbox'
import type { Handler } from '../op/operation.ts'
import { succeedPlatform } from '../platforms/platforms.ts'

/**
 * Empties a platform: an empty one takes its place. Nothing is deleted, because the ledger keeps what it has; what is of
 * the old platform is out of everybody's reach, as another platform's is. A request that came in before ends there, and
 * its effects are gone with the rest.
 */
export const sandboxReset: Handler<typeof sandbox_reset> = async (op) => {
  const { row, writes } = await succeedPlatform(op)
  return { status: 200, body: { platformId: row.id, now: row.created_at.toISOString() }, writes }
}
