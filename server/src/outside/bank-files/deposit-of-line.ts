import { present } from '@countersign/contract/core/objects'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import { referencesIn } from '../../money/deposits/match-reference.ts'
import type { DepositEvidence } from '../../money/evidence/evidence.ts'
import type { StatementHead } from './formats/camt.ts'
import { decimalsOf } from './formats/decimal-amounts.ts'
import { accountOf, type BankFilesRail } from './rail.ts'
import type { Line } from './statement-lines.ts'

const NAME_CHARACTERS_MAX = 255

/** A deposit as reported by a bank. */
export type DepositOfBank = DepositEvidence['deposit']

/** The deposit of a line, including every string in which the payer may have put a reference. */
export function depositOfLine({ entry }: BankFilesRail, { kind }: StatementHead, line: Line): DepositOfBank {
  const { amount, currency, only } = line
  const reference = line.entry.servicerReference
  return {
    depositId: line.name,
    depositAccountId: accountOf(entry.format),
    amount: moneyOf(amount, currency),
    receivedAt: toReceivedAt(line),
    from: kind === 'ADVICE' ? 'ADVICE' : 'STATEMENT',
    texts: textsOf(line),
    ...present({
      remittanceInformation: isAttributable(line)
        ? textOf(only?.remittanceInformation ?? only?.text ?? line.entry.text)
        : undefined,
      sender: only && senderOf(only),
      endToEndId: textOf(only?.endToEndId),
      entryReference: textOf(isGeneric(reference) ? null : reference),
    }),
  }
}

/** Every string in a line in which the payer may have put a reference. */
function textsOf(line: Line): NonNullable<DepositOfBank['texts']> {
  if (!isAttributable(line)) return []
  const { entry, details } = line
  return [...details.flatMap(({ references }) => references), ...entry.references]
}

/**
 * True if the whole amount belongs to one payment. Details that do not add up to it may be several payments,
 * unless they all agree.
 */
function isAttributable({ details, only, isIncomplete }: Line): boolean {
  if (isIncomplete) return false
  if (only || details.length === 0) return true
  const stated = details.map(({ references }) =>
    [...new Set(references.flatMap(({ text }) => referencesIn(text)))].sort().join(' '),
  )
  return new Set(stated).size === 1 && stated[0] !== ''
}

export function toReceivedAt({ entry: { bookedOn, valueOn } }: Pick<Line, 'entry'>): string {
  return `${bookedOn ?? valueOn ?? '1970-01-01'}T00:00:00.000Z`
}

/** True for the placeholder that banks use for a missing reference. */
export function isGeneric(reference: string | null): boolean {
  return reference === null || /^(?:0*|-+|NOREF|NONREF|NOTPROVIDED|N\/?A)$/i.test(reference)
}

function senderOf({ debtor }: Line['details'][number]): DepositOfBank['sender'] {
  const sender = present({
    name: textOf(debtor.name),
    accountIdentifier: textOf(debtor.account),
    bankIdentifier: textOf(debtor.sortCode ?? debtor.bic),
  })
  return Object.keys(sender).length === 0 ? undefined : sender
}

export function textOf(text: string | null | undefined): string | undefined {
  return toReadableLine(text ?? undefined, NAME_CHARACTERS_MAX)
}

export function moneyOf(amount: bigint, currency: string): DepositOfBank['amount'] {
  return { value: String(amount), currency, decimals: decimalsOf(currency) ?? 0 }
}
