import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { transaction_decide } from '@countersign/contract/operation/payment-decisions'
import type { Op } from '../../kernel/operation/app.ts'
import { fieldError } from '../../kernel/operation/operation.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findDocument } from '../../people/documents/documents.ts'
import { submitDocuments } from '../../people/documents/submission.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import { explainEntry, findStatementLine, type StatementLine } from '../reconciliations/explain-entry.ts'

type DecisionBody = BodyOf<typeof transaction_decide>

/** The checked evidence of a decision. */
export interface CheckedEvidence {
  /** The line of the statement that books the payment as decided. */
  readonly line: StatementLine | undefined
  /** Keep the evidence: an unexplained line is explained, and a document stays as it is. */
  readonly writes: readonly Write[]
}

/** A payment with what a decision about it says of the money. */
interface Claimed {
  readonly transaction: TransactionWithCustomer
  readonly payment: RailPaymentRow
  readonly outcome: DecisionBody['outcome']
  readonly charge: bigint
}

const LINE_FIELD = 'evidence.statementEntryId'
const DOCUMENT_FIELD = 'evidence.documentId'

/** Errors: 400 `INVALID_INPUT` that names the part of the evidence, 404 `DOCUMENT_NOT_FOUND`. */
export async function checkEvidence(
  op: Op,
  claimed: Claimed,
  evidence: DecisionBody['evidence'],
): Promise<CheckedEvidence> {
  const { note, statementEntryId, documentId } = evidence
  if (note === undefined && statementEntryId === undefined && documentId === undefined)
    throw fieldError(
      'INVALID_INPUT',
      'evidence',
      'evidence needs a note, a line of a statement or a document',
    )
  const line = statementEntryId === undefined ? undefined : await checkLine(op, claimed, statementEntryId)
  return {
    line,
    writes: [
      ...(line ? await explained(op, claimed, line) : []),
      ...(documentId === undefined ? [] : await kept(op, claimed, documentId)),
    ],
  }
}

/** A line of the payment's rail, in its currency, of exactly the amount that the decision books. */
async function checkLine(op: Op, claimed: Claimed, id: string): Promise<StatementLine> {
  const { payment, outcome, charge } = claimed
  if (outcome === 'FAILED')
    throw fieldError(
      'INVALID_INPUT',
      LINE_FIELD,
      'A payment that never left is on no statement: name no line',
    )
  const line = await findStatementLine(op, id)
  if (!line) throw fieldError('INVALID_INPUT', LINE_FIELD, 'No statement has this line')
  const { entry, rail, currency } = line
  if (rail !== payment.rail)
    throw fieldError('INVALID_INPUT', LINE_FIELD, `This line is of the rail ${rail}, not of ${payment.rail}`)
  if (currency !== payment.currency)
    throw fieldError('INVALID_INPUT', LINE_FIELD, `This line is in ${currency}, not in ${payment.currency}`)
  const isFree = entry.reason === 'UNEXPLAINED'
  if (!isFree && (entry.item_id !== payment.payment_id || entry.kind !== kindOf(outcome)))
    throw fieldError('INVALID_INPUT', LINE_FIELD, 'This line books something else')
  const booked = outcome === 'DELIVERED' ? -(payment.amount + charge) : payment.amount - charge
  if (entry.amount !== booked)
    throw fieldError(
      'INVALID_INPUT',
      LINE_FIELD,
      `This line books ${entry.amount}, and this decision ${booked}, in the smallest unit of ${currency}`,
    )
  return line
}

function kindOf(outcome: DecisionBody['outcome']) {
  return outcome === 'DELIVERED' ? 'PAYMENT' : 'PAYMENT_RETURN'
}

/** Explains a line that nothing had explained as the payment. Guard: nobody else has. */
async function explained(
  op: Op,
  { payment, outcome }: Claimed,
  { entry, rail }: StatementLine,
): Promise<readonly Write[]> {
  if (entry.reason !== 'UNEXPLAINED') return []
  const { rail_reference: entryId, amount } = entry
  return explainEntry(op, rail, [{ entryId, kind: kindOf(outcome), itemId: payment.payment_id, amount }])
}

/** Keeps a document of the paying customer as it is. Guard: it has not changed meanwhile. */
async function kept(op: Op, { transaction }: Claimed, id: string): Promise<readonly Write[]> {
  const document = await findDocument(op, id, DOCUMENT_FIELD)
  if (document.customer_id !== transaction.customer_id)
    throw fieldError('INVALID_INPUT', DOCUMENT_FIELD, 'This document is not of the customer who pays')
  return submitDocuments(op, [document])
}
