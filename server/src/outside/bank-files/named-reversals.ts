import type { Op } from '../../kernel/operation/app.ts'
import { idOfKind } from '../../storage/engine/ids.ts'
import type { ReversalRow } from '../../storage/rows/bank-file.ts'
import { messageNamesIn } from './file-names.ts'
import { paymentReferencesIn, uuidOfInstruction } from './queue.ts'
import type { BankFilesRail } from './rail.ts'
import type { Line } from './statement-lines.ts'
import { selectNamedReversal } from './store.ts'

/** The part of a report by which a person's decision finds the payment and its reversal. */
export function aboutReversal({ id, payment_id }: Pick<ReversalRow, 'id' | 'payment_id'>) {
  return { id: payment_id, reversalId: id }
}

/** The reversal that a line of the account names, in whatever field: such a line waits for a person. */
export function findReversalOfLine(
  op: Op,
  rail: BankFilesRail,
  { amount, entry, details }: Pick<Line, 'amount' | 'entry' | 'details'>,
): Promise<ReversalRow | undefined> {
  const { batch, reference, servicerReference, text } = entry
  const texts = [
    ...[batch?.messageId, batch?.paymentInformationId, reference, servicerReference, text],
    ...details.flatMap((one) => [
      ...[one.messageId, one.paymentInformationId, one.instructionId, one.endToEndId],
      ...[one.clearingReference, one.servicerReference, one.remittanceInformation, one.text],
      ...one.references.map((said) => said.text),
    ]),
  ]
  return findReversalIn(op, rail, texts, amount < 0n ? -amount : amount)
}

const NAMES_MAX = 50
const TRACE = /\b\d{15}\b/g
const INSTRUCTION = /\b[0-9a-f]{32}\b/gi
const ROUTING_CHARACTERS = 8

/**
 * The reversal that is named in one of these strings: by its reference or id, by the name of its file, or by its trace number with its
 * amount. Other customers of the bank have the same trace numbers.
 */
export async function findReversalIn(
  op: Op,
  { name, entry: { format } }: BankFilesRail,
  texts: readonly (string | null | undefined)[],
  amount = 0n,
): Promise<ReversalRow | undefined> {
  if (format.type !== 'ACH') return undefined
  const said = texts.filter((text) => typeof text === 'string')
  const find = (in_: (text: string) => readonly string[]) =>
    [...new Set(said.flatMap(in_))].slice(0, NAMES_MAX)
  const traces = find((text) => text.match(TRACE) ?? []).filter((one) =>
    one.startsWith(format.originatingBank),
  )
  const uuids = find((text) => text.match(INSTRUCTION) ?? []).flatMap((one) => uuidOfInstruction(one) ?? [])
  const names = {
    references: find(paymentReferencesIn),
    ids: uuids.map((uuid) => idOfKind('RailPayment', uuid)),
    traces: traces.map((one) => BigInt(one.slice(ROUTING_CHARACTERS))),
    files: find((text) => [text, ...messageNamesIn(text)]),
    amount,
  }
  return selectNamedReversal(op, name, names)
}
