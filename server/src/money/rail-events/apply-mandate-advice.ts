import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { MandateEvidence } from '../evidence/evidence.ts'
import { type ExpectedRail, judge } from '../evidence/judge.ts'
import { proposeChange } from '../external-accounts/account-changes.ts'
import {
  endMandateByBank,
  findMandateByReference,
  getMandateStatus,
  reinstateMandate,
} from '../external-accounts/mandates.ts'
import { findFirstCollection } from '../rails/collections.ts'
import { deriveRailEventId } from '../rails/rail-ids.ts'
import { findCounterparty } from './apply-account-change.ts'

interface AppliedAdvice {
  readonly writes: readonly Write[]
  readonly reason?: RailEventReason
}

/**
 * Applies a message from the debtor's bank about a mandate. A message that does not match the mandate waits
 * for manual review.
 */
export async function applyMandateAdvice(
  op: Op,
  rail: ExpectedRail,
  evidence: MandateEvidence,
): Promise<AppliedAdvice> {
  const mandate = await findMandateByReference(op, evidence.subject)
  const verdict = judge(evidence, { rail, mandate })
  if (verdict.effect === 'hold' || !mandate)
    return { writes: [], reason: verdict.effect === 'hold' ? verdict.reason : 'UNKNOWN_MANDATE' }
  switch (evidence.effect) {
    case 'end':
      return { writes: mandate.canceled_at ? [] : endMandateByBank(op, mandate, evidence.message).writes }
    case 'amend':
      return amendMandate(op, rail, evidence, mandate)
    case 'reinstate':
      return reinstateOrHold(op, mandate)
    case 'ask':
      return { writes: [], reason: 'BANK_WAITS' }
  }
}

/**
 * Proposes corrected details for the mandate's account. Such messages are about the mandate's first
 * collection.
 */
async function amendMandate(
  op: Op,
  rail: ExpectedRail,
  { id, proposed, code, message }: MandateEvidence,
  mandate: MandateRow,
): Promise<AppliedAdvice> {
  const { external_account_id: accountId, debtor_account: identifier } = mandate
  const first = await findFirstCollection(op, mandate)
  const counterparty = first && (await findCounterparty(op, first))
  if (!counterparty) return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  const outcome = await proposeChange(op, {
    ...{ accountId, identifier, transactionId: counterparty.transactionId, proposed, code, message },
    ...{ rail: rail.name, railEventId: deriveRailEventId(rail.name, id) },
  })
  if (outcome === 'UNUSABLE') return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  return { writes: outcome === 'KNOWN' ? [] : outcome }
}

/** Reinstates a mandate if a bank had ended it. Any other mandate waits for manual review. */
async function reinstateOrHold(op: Op, mandate: MandateRow): Promise<AppliedAdvice> {
  if (getMandateStatus(op, mandate) === 'ACTIVE') return { writes: [] }
  const reinstated = await reinstateMandate(op, mandate)
  return reinstated ? { writes: reinstated } : { writes: [], reason: 'CONTRADICTION' }
}
