import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { PaymentOutcome, transaction_decide } from '@countersign/contract/operation/payment-decisions'
import type { Op } from '../../kernel/operation/app.ts'
import { type ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { resolveLineReports } from '../../money/rail-events/waiting-lines.ts'
import { findDocument } from '../../people/documents/documents.ts'
import { submitDocuments } from '../../people/documents/submission.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import {
  classifyLine,
  explainLines,
  findStatementLine,
  type StatementLine,
} from '../reconciliations/explain-lines.ts'

type DecisionBody = BodyOf<typeof transaction_decide>

/** The validated evidence of a decision. */
export interface CheckedEvidence {
  /** The statement lines that book the payment as decided. */
  readonly lines: readonly StatementLine[]
  /** They explain unexplained lines, resolve reports about them, and lock the document. */
  readonly writes: readonly Write[]
}

/** A payment and the decision that the evidence must support. */
interface Claimed {
  readonly transaction: TransactionWithCustomer
  readonly payment: RailPaymentRow
  readonly outcome: PaymentOutcome
  readonly charge: bigint
  readonly reason: string
}

const LINES_FIELD = 'evidence.statementEntryIds'
const DOCUMENT_FIELD = 'evidence.documentId'

/** Throws 400 `INVALID_INPUT` naming the faulty part of the evidence, 404 `DOCUMENT_NOT_FOUND`. */
export async function checkEvidence(
  op: Op,
  claimed: Claimed,
  evidence: DecisionBody['evidence'],
): Promise<CheckedEvidence> {
  const { note, statementEntryIds = [], documentId } = evidence
  if (note === undefined && statementEntryIds.length === 0 && documentId === undefined)
    throw createFieldError(
      'INVALID_INPUT',
      'evidence',
      'evidence must contain a note, a statement line or a document',
    )
  const lines = await findLines(op, claimed, statementEntryIds)
  if (lines.length > 0) checkSums(claimed, lines)
  return {
    lines,
    writes: [
      ...explainLines(op, lines, claimed.payment.payment_id),
      ...(await resolveLineReports(
        op,
        claimed.payment.rail,
        lines.map(({ entry }) => entry.rail_reference),
        claimed.reason,
      )),
      ...(documentId === undefined ? [] : await submitDocument(op, claimed, documentId)),
    ],
  }
}

/**
 * Finds the lines. Each must belong to the payment's rail and currency, and either book this payment or be
 * unexplained.
 */
async function findLines(op: Op, { payment }: Claimed, ids: readonly string[]): Promise<StatementLine[]> {
  const found = await Promise.all([...new Set(ids)].map((id) => findStatementLine(op, id)))
  return found.map((line) => {
    if (!line) throw createWrongLinesError('Statement line not found.')
    const { entry, day } = line
    if (day.rail !== payment.rail)
      throw createWrongLinesError(`The line ${entry.id} belongs to rail ${day.rail}, not ${payment.rail}.`)
    if (day.currency !== payment.currency)
      throw createWrongLinesError(`The line ${entry.id} is in ${day.currency}, not ${payment.currency}.`)
    if (entry.match_id !== null)
      throw createWrongLinesError(`The line ${entry.id} is part of ${entry.match_id}. Undo that match first.`)
    const isOfPayment = entry.item_id === payment.payment_id && entry.kind === classifyLine(entry)
    if (entry.reason !== 'UNEXPLAINED' && !isOfPayment)
      throw createWrongLinesError(`The line ${entry.id} books another record.`)
    return line
  })
}

/**
 * The outgoing lines must add up to exactly the amount that left, and the incoming lines to exactly the
 * amount that was returned. The outgoing line of a returned payment may be in another statement and missing
 * here.
 */
function checkSums({ payment, outcome, charge }: Claimed, lines: readonly StatementLine[]): void {
  if (outcome === 'FAILED')
    throw createWrongLinesError(
      'A failed payment never left, so no statement line can book it. Omit statementEntryIds.',
    )
  const sum = (isOutgoing: boolean) =>
    lines.reduce((total, { entry }) => (entry.amount < 0n === isOutgoing ? total + entry.amount : total), 0n)
  const [out, back] = [sum(true), sum(false)]
  const isDelivered = outcome === 'DELIVERED'
  const outExpected = isDelivered ? -(payment.amount + charge) : -payment.amount
  const backExpected = isDelivered ? 0n : payment.amount - charge
  const isOutRight = out === outExpected || (!isDelivered && out === 0n)
  if (isOutRight && back === backExpected) return
  throw createWrongLinesError(
    `These lines book ${out} out and ${back} back, but the decision requires ${outExpected} out and ${backExpected} back, ` +
      `in the smallest unit of ${payment.currency}`,
  )
}

function createWrongLinesError(message: string): ApiError {
  return createFieldError('INVALID_INPUT', LINES_FIELD, message)
}

/** Protects a document of the paying customer from changes. Guard: the document is unchanged. */
async function submitDocument(op: Op, { transaction }: Claimed, id: string): Promise<readonly Write[]> {
  const document = await findDocument(op, id, DOCUMENT_FIELD)
  if (document.customer_id !== transaction.customer_id)
    throw createFieldError(
      'INVALID_INPUT',
      DOCUMENT_FIELD,
      'This document does not belong to the paying customer.',
    )
  return submitDocuments(op, [document])
}
