import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { applyEvidence } from './apply-evidence.ts'
import { toRecordedEvent } from './evidence-of-event.ts'
import { recordOnce } from './rail-events.ts'

/** Applies a claim. A claim that cannot take effect is recorded once, and waits for manual review. */
export async function applyOrHold(op: Op, rail: string, evidence: Evidence): Promise<readonly Write[]> {
  const applied = await applyEvidence(op, rail, evidence)
  const { writes, reason } = applied
  if (reason === undefined) return writes
  const held = await recordOnce(op, rail, toRecordedEvent(evidence), reason, applied)
  if (held.length > 0) op.log.warn({ rail, claim: evidence.id, reason }, 'rail report held for manual review')
  return [...writes, ...held]
}
