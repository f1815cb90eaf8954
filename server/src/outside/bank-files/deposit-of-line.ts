import { present } from '@countersign/contract/core/objects'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import { extractReferences } from '../../money/deposits/match-reference.ts'
import type { DepositEvidence } from '../../money/evidence/evidence.ts'
import type { StatementHead } from './formats/camt.ts'
import { findDecimals } from './formats/decimal-amounts.ts'
import { type BankFilesRail, getAccountNumber } from './rail.ts'
import type { Line } from './statement-lines.ts'

const NAME_CHARACTERS_MAX = 255

/** A deposit as reported by a bank. */
export type BankDeposit = DepositEvidence['deposit']

/** Converts a line to a deposit, with every string in which the payer may have put a reference. */
export function toBankDeposit({ entry }: BankFilesRail, { kind }: StatementHead, line: Line): BankDeposit {
  const { amount, currency, only } = line
  const reference = line.entry.servicerReference
  return {
    depositId: line.name,
    depositAccountId: getAccountNumber(entry.format),
    amount: toMoney(amount, currency),
    receivedAt: toReceivedAt(line),
    from: kind === 'ADVICE' ? 'ADVICE' : 'STATEMENT',
    texts: listReferences(line),
    ...present({
      remittanceInformation: isAttributable(line)
        ? toShortText(only?.remittanceInformation ?? only?.text ?? line.entry.text)
        : undefined,
      sender: only && toSender(only),
      endToEndId: toShortText(only?.endToEndId),
      entryReference: toShortText(isPlaceholder(reference) ? null : reference),
    }),
  }
}

/** Every string in a line in which the payer may have put a reference. */
function listReferences(line: Line): NonNullable<BankDeposit['texts']> {
  if (!isAttributable(line)) return []
  const { entry, details } = line
  return [...details.flatMap(({ references }) => references), ...entry.references]
}

/**
 * True if the whole amount belongs to one payment. Details that do not add up to it may be several payments,
 * unless all of them state the same reference.
 */
function isAttributable({ details, only, isIncomplete }: Line): boolean {
  if (isIncomplete) return false
  if (only || details.length === 0) return true
  const statedReferences = details.map(({ references }) =>
    [...new Set(references.flatMap(({ text }) => extractReferences(text)))].sort().join(' '),
  )
  return new Set(statedReferences).size === 1 && statedReferences[0] !== ''
}

export function toReceivedAt({ entry: { bookedOn, valueOn } }: Pick<Line, 'entry'>): string {
  return `${bookedOn ?? valueOn ?? '1970-01-01'}T00:00:00.000Z`
}

/** True for a placeholder that banks write in place of a missing reference. */
export function isPlaceholder(reference: string | null): boolean {
  return reference === null || /^(?:0*|-+|NOREF|NONREF|NOTPROVIDED|N\/?A)$/i.test(reference)
}

function toSender({ debtor }: Line['details'][number]): BankDeposit['sender'] {
  const sender = present({
    name: toShortText(debtor.name),
    accountIdentifier: toShortText(debtor.account),
    bankIdentifier: toShortText(debtor.sortCode ?? debtor.bic),
  })
  return Object.keys(sender).length === 0 ? undefined : sender
}

export function toShortText(text: string | null | undefined): string | undefined {
  return toReadableLine(text ?? undefined, NAME_CHARACTERS_MAX)
}

export function toMoney(amount: bigint, currency: string): BankDeposit['amount'] {
  return { value: String(amount), currency, decimals: findDecimals(currency) ?? 0 }
}
