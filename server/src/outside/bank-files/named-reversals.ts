import type { Op } from '../../kernel/operation/app.ts'
import { buildId } from '../../storage/engine/ids.ts'
import type { ReversalRow } from '../../storage/rows/bank-file.ts'
import { findPaymentReferences, parseInstructionId } from './queue.ts'
import type { BankFilesRail } from './rail.ts'
import { type Line, listFileIds } from './statement-lines.ts'
import { selectNamedReversal } from './store.ts'

/** The fields of a report that link an operator's decision to the payment and its reversal. */
export function toReversalIds({ id, payment_id }: Pick<ReversalRow, 'id' | 'payment_id'>) {
  return { id: payment_id, reversalId: id }
}

/** Structured ids in a bank's record. Free text never identifies a reversal, because payers write it. */
export interface BankIds {
  readonly endToEndIds: readonly (string | null)[]
  readonly instructionIds?: readonly (string | null)[]
  /**
   * Fields that may contain the trace number of an entry. It counts only together with the unsigned amount.
   */
  readonly traces?: readonly (string | null)[]
  readonly amount?: bigint
  /**
   * True for incoming money. The payer may have written the end-to-end id, so it counts only with the amount.
   */
  readonly isIncoming?: boolean
  /** Message names of our files. */
  readonly files?: readonly string[]
}

/**
 * Finds the reversal that a line names by reference, id or trace number, or by our file if the line is a sum.
 */
export function findReversalOfLine(
  op: Op,
  rail: BankFilesRail,
  line: Line,
): Promise<ReversalRow | undefined> {
  const { amount, entry, details, isWholeEntry } = line
  const endToEndIds = details.map((one) => one.endToEndId)
  const instructionIds = details.map((one) => one.instructionId)
  const bankReferences = details.flatMap((one) => [one.clearingReference, one.servicerReference])
  return findNamedReversal(op, rail, {
    endToEndIds,
    instructionIds,
    traces: [
      ...[...endToEndIds, ...instructionIds, ...bankReferences],
      ...(isWholeEntry ? [entry.servicerReference] : []),
    ],
    amount: amount < 0n ? -amount : amount,
    isIncoming: amount > 0n,
    files: isWholeEntry ? listFileIds(line) : [],
  })
}

const NAMES_MAX = 1_000

/** Finds the reversal that one of these ids names. Only ACH has reversals. */
export async function findNamedReversal(
  op: Op,
  { name, entry: { format } }: BankFilesRail,
  { endToEndIds, instructionIds = [], traces = [], amount = 0n, isIncoming = false, files = [] }: BankIds,
): Promise<ReversalRow | undefined> {
  if (format.type !== 'ACH') return undefined
  const toUnique = (names: readonly string[]) => [...new Set(names)].slice(0, NAMES_MAX)
  const uuids = toUnique(instructionIds.flatMap((one) => parseInstructionId(one) ?? []))
  return selectNamedReversal(op, name, {
    references: toUnique(
      [...endToEndIds, ...instructionIds].flatMap((one) => findPaymentReferences(one ?? '')),
    ),
    ids: uuids.map((uuid) => buildId('RailPayment', uuid)),
    traces: toUnique(traces.flatMap((one) => one?.match(/^\d{15}$/)?.[0] ?? [])),
    amount,
    isIncoming,
    files: toUnique(files),
  })
}
