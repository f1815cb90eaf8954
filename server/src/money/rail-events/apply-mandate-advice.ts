import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { MandateEvidence } from '../evidence/evidence.ts'
import { type ExpectedRail, judge } from '../evidence/judge.ts'
import { proposeChange } from '../external-accounts/account-changes.ts'
import {
  endedMandate,
  findMandateByReference,
  reinstatedMandate,
  statusOf,
} from '../external-accounts/mandates.ts'
import { findFirstCollection } from '../rails/collections.ts'
import { railEventId } from '../rails/rail-ids.ts'
import { otherEnd } from './apply-account-change.ts'

interface Advised {
  readonly writes: readonly Write[]
  readonly reason?: RailEventReason
}

/**
 * Applies a message from the debtor's bank about a mandate. A message that does not match the mandate waits
 * for a person.
 */
export async function applyMandateAdvice(
  op: Op,
  rail: ExpectedRail,
  evidence: MandateEvidence,
): Promise<Advised> {
  const mandate = await findMandateByReference(op, evidence.subject)
  const verdict = judge(evidence, { rail, mandate })
  if (verdict.effect === 'hold' || !mandate)
    return { writes: [], reason: verdict.effect === 'hold' ? verdict.reason : 'UNKNOWN_MANDATE' }
  switch (evidence.effect) {
    case 'end':
      return { writes: mandate.canceled_at ? [] : endedMandate(op, mandate, evidence.message).writes }
    case 'amend':
      return amend(op, rail, evidence, mandate)
    case 'reinstate':
      return reinstate(op, mandate)
    case 'ask':
      return { writes: [], reason: 'BANK_WAITS' }
  }
}

/**
 * Proposes corrected details for the mandate's account. Such messages are about the mandate's first
 * collection.
 */
async function amend(
  op: Op,
  rail: ExpectedRail,
  { id, proposed, code, message }: MandateEvidence,
  mandate: MandateRow,
): Promise<Advised> {
  const { external_account_id: accountId, debtor_account: identifier } = mandate
  const first = await findFirstCollection(op, mandate)
  const counterparty = first && (await otherEnd(op, first))
  if (!counterparty) return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  const outcome = await proposeChange(op, {
    ...{ accountId, identifier, transactionId: counterparty.transactionId, proposed, code, message },
    ...{ rail: rail.name, railEventId: railEventId(rail.name, id) },
  })
  if (outcome === 'UNUSABLE') return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  return { writes: outcome === 'KNOWN' ? [] : outcome }
}

/** A bank can reinstate only a mandate that a bank has ended. */
async function reinstate(op: Op, mandate: MandateRow): Promise<Advised> {
  if (statusOf(op, mandate) === 'ACTIVE') return { writes: [] }
  const reinstated = await reinstatedMandate(op, mandate)
  return reinstated ? { writes: reinstated } : { writes: [], reason: 'CONTRADICTION' }
}
