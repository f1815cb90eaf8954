import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { Op } from '../../kernel/operation/app.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import type { AccountEvidence } from '../evidence/evidence.ts'
import { type ExpectedRail, judge } from '../evidence/judge.ts'
import { proposeChange } from '../external-accounts/account-changes.ts'
import { findQuote } from '../quotes/quotes.ts'
import { deriveRailEventId } from '../rails/rail-ids.ts'

/**
 * Proposes the corrected details that a rail reports for the other party's account in a payment. A report
 * that contradicts the record of the payment, or that cannot be proposed, waits for manual review.
 */
export async function applyAccountChange(
  op: Op,
  rail: ExpectedRail,
  evidence: AccountEvidence,
  payment: RailPaymentRow | undefined,
): Promise<{ readonly writes: readonly Write[]; readonly reason?: RailEventReason }> {
  const counterparty = payment && (await findCounterparty(op, payment))
  const verdict = judge(evidence, { rail, payment, identifier: counterparty?.identifier })
  if (verdict.effect === 'hold') return { writes: [], reason: verdict.reason }
  const { accountId, identifier } = counterparty ?? {}
  if (!counterparty || !identifier || !accountId?.startsWith('ExternalAccount:'))
    return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  const { proposed, code, message } = evidence
  const outcome = await proposeChange(op, {
    ...{ accountId, identifier, transactionId: counterparty.transactionId },
    ...{ rail: rail.name, railEventId: deriveRailEventId(rail.name, evidence.id), proposed, code, message },
  })
  if (outcome === 'UNUSABLE') return { writes: [], reason: 'CHANGE_OF_ACCOUNT' }
  return { writes: outcome === 'KNOWN' ? [] : outcome }
}

/**
 * The account that a payment was sent to, or that a pull came from. Undefined for returned deposits, whose
 * senders have no account record.
 */
export async function findCounterparty(op: Op, { payment_id: id, direction }: RailPaymentRow) {
  if (id.startsWith('Deposit:')) return undefined
  const isRefund = id.startsWith('Quote:')
  const transactionId = isRefund ? (await findQuote(op, id)).transaction_id : id
  const transaction = await findTransaction(op, transactionId)
  const side = isRefund || direction === 'PULL' ? 'source' : 'destination'
  return {
    transactionId,
    accountId: transaction[`${side}_account_id`],
    identifier: transaction[`${side}_identifier`],
  }
}
