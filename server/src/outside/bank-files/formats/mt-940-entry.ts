import type { MtLine } from '../../../base/formats/mt-940.ts'
import { readMtLine } from '../../../base/formats/mt-940.ts'
import { ISO_REASONS } from '../iso-reasons.ts'
import { type BankCharges, type BankMoney, isReturnCode, references } from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'
import type { BankTransaction } from './camt-transaction.ts'
import { quoteForMessage, smallestUnits } from './decimal-amounts.ts'
import type { MtField } from './mt-940-fields.ts'
import { informationOf, type MtInformation } from './mt-940-information.ts'
import { meaningOfSwiftType, SWIFT_ISSUER } from './mt-940-type-codes.ts'
import { readPart, type UnreadPart, unreadPart } from './unread-part.ts'

/** Strings that banks write in place of a missing reference, or to point to field 86. */
const NO_REFERENCE = /^(?:NON-?REF|NOREF|(?:[EKPM]REF)\+?|0*)$/i
/** References of 16 characters may have been truncated. */
const REFERENCE_CHARACTERS_MAX = 16
const NOBODY = { name: null, account: null, bic: null }
/** German codes of batch bookings: a single amount for several payments. */
const BATCH_GVCS: ReadonlySet<string> = new Set('191 192 194 195'.split(' '))

/** An entry of a statement, and its only transaction if the bank states anything about it. */
export interface MtEntry {
  readonly entry: BankEntry
  readonly transaction: BankTransaction | undefined
}

/**
 * Parses a field 61 and its fields 86, or returns why the entry has to wait. The amount of an unreadable
 * entry is known if only something else is wrong.
 */
export function entryOf(
  field: MtField,
  information: readonly MtField[],
  currency: string,
  place: number,
): { readonly read: MtEntry } | { readonly unread: UnreadPart } {
  const line = readMtLine(field.lines)
  const money = line && readPart(() => signedOf(line, currency))
  const amount = money && 'read' in money ? money.read : undefined
  const reason = !line
    ? `has the content ${quoteForMessage(field.lines[0] ?? '')}`
    : line.valueOn === undefined || line.bookedOn === undefined
      ? `has the dates ${quoteForMessage((field.lines[0] ?? '').slice(0, 10))}`
      : money && 'reason' in money
        ? money.reason
        : undefined
  if (!line || amount === undefined || reason !== undefined) {
    const raw = [field, ...information].map(({ tag, lines }) => `:${tag}:${lines.join('\n')}`).join('\n')
    const said = `line ${field.line}: field 61 ${reason}`
    return {
      unread: unreadPart(
        `line ${field.line}`,
        said,
        raw,
        amount === undefined ? undefined : { amount, currency },
      ),
    }
  }
  return {
    read: readEntry(line, informationOf(information.map(({ lines }) => lines)), { amount, currency, place }),
  }
}

/** Negative for outgoing money: a debit or a reversed credit. */
function signedOf({ mark, figure }: MtLine, currency: string): bigint {
  const size = smallestUnits(figure, currency)
  return mark === 'D' || mark === 'RC' || mark === 'ED' ? -size : size
}

interface Booked {
  readonly amount: bigint
  readonly currency: string
  readonly place: number
}

function readEntry(line: MtLine, information: MtInformation, booked: Booked): MtEntry {
  const { gvc, primanota, textKey, posting, pieces, isCut, customerReference } = information
  const { valueOn = null, type, mark } = line
  const owner = NO_REFERENCE.test(line.owner) ? null : line.owner
  const isReversal = mark.startsWith('R')
  const isReturn = meaningOfSwiftType(type) === 'RETURN' || isReturnCode({ ...NO_CODES, gvc })
  // In an ordinary credit, the payer chooses the references. Only in other entries do they identify one of
  // our payments.
  const isOurs = booked.amount < 0n || isReturn || isReversal
  const file = isOurs ? customerReference : null
  const text = pieces.join(isCut ? '' : ' ').trim()
  const code = gvc === null ? type : [type, gvc, primanota, textKey].filter(Boolean).join('+')
  const servicerReference = line.bank !== null && NO_REFERENCE.test(line.bank) ? null : line.bank
  const entry: BankEntry = {
    ...booked,
    status: mark.startsWith('E') ? 'PDNG' : 'BOOK',
    isReversal,
    isReturn,
    bookedOn: line.bookedOn ?? valueOn,
    valueOn,
    reference: owner,
    servicerReference:
      servicerReference && servicerReference.length < REFERENCE_CHARACTERS_MAX ? servicerReference : null,
    transactionCode: type,
    proprietaryCode: { code, issuer: SWIFT_ISSUER },
    gvc,
    batch: BATCH_GVCS.has(gvc ?? '') ? { messageId: null, paymentInformationId: file } : null,
    batchSize: null,
    charges: chargesOf(line),
    text: [posting, text, ...line.details].filter(Boolean).join(' ') || null,
    references: [],
  }
  if (owner === null && servicerReference === null && pieces.length === 0 && line.details.length === 0)
    return { entry, transaction: undefined }
  const said = { owner, servicerReference, file, isOurs, text }
  return { entry, transaction: transactionOf(entry, line, information, said) }
}

const NO_CODES = { transactionCode: null, proprietaryCode: null }

interface Said {
  readonly owner: string | null
  readonly servicerReference: string | null
  /** The name of a file of ours. */
  readonly file: string | null
  readonly isOurs: boolean
  readonly text: string
}

function transactionOf(
  entry: BankEntry,
  line: MtLine,
  { endToEndId, customerReference, mandateId, party, pieces }: MtInformation,
  { owner, servicerReference, file, isOurs, text }: Said,
): BankTransaction {
  const isCredit = entry.amount > 0n !== (entry.isReversal || entry.isReturn)
  return {
    place: 0,
    amount: entry.amount,
    currency: entry.currency,
    instructed: moneyIn(line, 'OCMT'),
    endToEndId: endToEndId ?? (isOurs ? owner : null),
    paymentInformationId: file,
    mandateId,
    servicerReference,
    debtor: isCredit ? party : NOBODY,
    creditor: isCredit ? NOBODY : party,
    remittanceInformation: [text, isOurs ? null : owner].filter(Boolean).join(' ') || null,
    isReturn: entry.isReturn,
    returnReason: entry.isReturn ? returnReasonOf(text) : null,
    ...{ transactionCode: null, proprietaryCode: null, gvc: null, charges: null },
    ...{ messageId: null, instructionId: null, clearingReference: null, text: null },
    references: references([
      ['EREF', endToEndId],
      ['OwnerReference', owner],
      ['CustomerReference', customerReference],
      ['BankReference', servicerReference],
      ...pieces.map((piece) => ['Text', piece.trim()] as const),
      // A line break may split a reference, with or without a space.
      ...(pieces.length > 1
        ? ([
            ['Text', pieces.join(' ')],
            ['Text', pieces.join('')],
          ] as const)
        : []),
      ...line.details.map((detail) => ['Details', detail] as const),
    ]),
  }
}

/** The ISO 20022 code in the text of a return. */
function returnReasonOf(text: string): BankTransaction['returnReason'] {
  const code = text.match(/\b[A-Z]{2}\d\d\b/g)?.find((one) => Object.hasOwn(ISO_REASONS, one))
  return { code: code ?? null, text: text || null }
}

/** Charges that the bank states in addition to the amount: `/CHGS/EUR5,00/`. */
function chargesOf(line: MtLine): BankCharges | null {
  const money = moneyIn(line, 'CHGS')
  return money && { amount: -money.amount, currency: money.currency, isIncluded: null }
}

/**
 * An amount in the lines that follow the first line of field 61. Null also if it cannot be read, because no
 * booking depends on it.
 */
function moneyIn({ details }: MtLine, word: 'OCMT' | 'CHGS'): BankMoney | null {
  const [, currency = '', figure = ''] =
    new RegExp(`/${word}/([A-Z]{3})(\\d{1,15}(?:,\\d*)?)`).exec(details.join('')) ?? []
  if (currency === '') return null
  const part = readPart(() => smallestUnits(figure.replace(',', '.'), currency))
  return 'read' in part ? { amount: part.read, currency } : null
}
