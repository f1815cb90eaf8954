import type { Op } from '../../kernel/operation/app.ts'
import { idOfKind } from '../../storage/engine/ids.ts'
import type { ReversalRow } from '../../storage/rows/bank-file.ts'
import { paymentReferencesIn, uuidOfInstruction } from './queue.ts'
import type { BankFilesRail } from './rail.ts'
import { fileIdsOf, type Line } from './statement-lines.ts'
import { selectNamedReversal } from './store.ts'

/** The part of a report by which a person's decision finds the payment and its reversal. */
export function aboutReversal({ id, payment_id }: Pick<ReversalRow, 'id' | 'payment_id'>) {
  return { id: payment_id, reversalId: id }
}

/** Structured ids in a record of a bank. Texts name no reversal, because payers write them. */
export interface BankIds {
  readonly endToEndIds: readonly (string | null)[]
  readonly instructionIds?: readonly (string | null)[]
  /** Fields in which banks put the trace number of an entry. It counts only with the amount, unsigned. */
  readonly traces?: readonly (string | null)[]
  readonly amount?: bigint
  /** True for money that comes in: its payer may have written the end-to-end id, so it counts only with the amount. */
  readonly isIncoming?: boolean
  /** Names of files of ours. */
  readonly files?: readonly string[]
}

/** The reversal that a line names by its reference, id or trace number, or by its file if the line is a sum. */
export function findReversalOfLine(
  op: Op,
  rail: BankFilesRail,
  line: Line,
): Promise<ReversalRow | undefined> {
  const { amount, entry, details, isWholeEntry } = line
  const endToEndIds = details.map((one) => one.endToEndId)
  const instructionIds = details.map((one) => one.instructionId)
  const ofBank = details.flatMap((one) => [one.clearingReference, one.servicerReference])
  return findNamedReversal(op, rail, {
    endToEndIds,
    instructionIds,
    traces: [
      ...[...endToEndIds, ...instructionIds, ...ofBank],
      ...(isWholeEntry ? [entry.servicerReference] : []),
    ],
    amount: amount < 0n ? -amount : amount,
    isIncoming: amount > 0n,
    files: isWholeEntry ? fileIdsOf(line) : [],
  })
}

const NAMES_MAX = 1_000

/** The reversal that one of these ids names. Only ACH has reversals. */
export async function findNamedReversal(
  op: Op,
  { name, entry: { format } }: BankFilesRail,
  { endToEndIds, instructionIds = [], traces = [], amount = 0n, isIncoming = false, files = [] }: BankIds,
): Promise<ReversalRow | undefined> {
  if (format.type !== 'ACH') return undefined
  const few = (names: readonly string[]) => [...new Set(names)].slice(0, NAMES_MAX)
  const uuids = few(instructionIds.flatMap((one) => uuidOfInstruction(one) ?? []))
  return selectNamedReversal(op, name, {
    references: few([...endToEndIds, ...instructionIds].flatMap((one) => paymentReferencesIn(one ?? ''))),
    ids: uuids.map((uuid) => idOfKind('RailPayment', uuid)),
    traces: few(traces.flatMap((one) => one?.match(/^\d{15}$/)?.[0] ?? [])),
    amount,
    isIncoming,
    files: few(files),
  })
}
