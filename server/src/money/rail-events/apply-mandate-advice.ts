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
 * Applies a report of the debtor's bank about a mandate. A report that does not match the mandate waits for a
 * person.
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

/** Proposes the details for the account of the mandate. The first collection is the payment that the report is about. */
async function amend(
  op: Op,
  rail: ExpectedRail,
  { id, proposed, code, message }: MandateEvidence,
  mandate: MandateRow,
): Promise<Advised> {
  const { external_account_id: accountId, debtor_account: identifier } = mandate
  const first = await findFirstCollection(op, mandate)
  const end = first && (await otherEnd(op, first))
  if (!end) return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  const outcome = await proposeChange(op, {
    ...{ accountId, identifier, transactionId: end.transactionId, proposed, code, message },
    ...{ rail: rail.name, railEventId: railEventId(rail.name, id) },
  })
  if (outcome === 'UNUSABLE') return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  return { writes: outcome === 'KNOWN' ? [] : outcome }
}

/** The bank can reinstate only mandates that it has ended. */
async function reinstate(op: Op, mandate: MandateRow): Promise<Advised> {
  if (statusOf(op, mandate) === 'ACTIVE') return { writes: [] }
  const reinstated = await reinstatedMandate(op, mandate)
  return reinstated ? { writes: [reinstated] } : { writes: [], reason: 'CONTRADICTION' }
}
