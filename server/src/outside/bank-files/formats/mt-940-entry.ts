import type { MtLine } from '../../../base/formats/mt-940.ts'
import { readMtLine } from '../../../base/formats/mt-940.ts'
import { ISO_REASONS } from '../iso-reasons.ts'
import { type BankCharges, type BankMoney, isReturnCode, toReferences } from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'
import type { BankTransaction } from './camt-transaction.ts'
import { parseUnits, quoteForMessage } from './decimal-amounts.ts'
import type { MtField } from './mt-940-fields.ts'
import { type MtInformation, parseInformation } from './mt-940-information.ts'
import { findSwiftTypeMeaning, SWIFT_ISSUER } from './mt-940-type-codes.ts'
import { readPart, toUnreadPart, type UnreadPart } from './unread-part.ts'

/** Strings that banks write in place of a missing reference, or to refer to field 86. */
const NO_REFERENCE = /^(?:NON-?REF|NOREF|(?:[EKPM]REF)\+?|0*)$/i
/** References of 16 characters may have been truncated. */
const REFERENCE_CHARACTERS_MAX = 16
const UNKNOWN_PARTY = { name: null, account: null, bic: null }
/** German codes of batch bookings: a single amount for several payments. */
const BATCH_GVCS: ReadonlySet<string> = new Set('191 192 194 195'.split(' '))

/** An entry of a statement, and its only transaction if the bank gives any details. */
export interface MtEntry {
  readonly entry: BankEntry
  readonly transaction: BankTransaction | undefined
}

/**
 * Parses a field 61 and its fields 86, or returns why the entry waits for manual review. The unread part has
 * an amount if the amount itself is readable.
 */
export function parseEntry(
  field: MtField,
  information: readonly MtField[],
  currency: string,
  place: number,
): { readonly read: MtEntry } | { readonly unread: UnreadPart } {
  const line = readMtLine(field.lines)
  const money = line && readPart(() => parseSignedAmount(line, currency))
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
    const message = `line ${field.line}: field 61 ${reason}`
    return {
      unread: toUnreadPart(
        `line ${field.line}`,
        message,
        raw,
        amount === undefined ? undefined : { amount, currency },
      ),
    }
  }
  return {
    read: readEntry(line, parseInformation(information.map(({ lines }) => lines)), {
      amount,
      currency,
      place,
    }),
  }
}

/** Parses the amount, negative for outgoing money: a debit or a reversed credit. */
function parseSignedAmount({ mark, figure }: MtLine, currency: string): bigint {
  const size = parseUnits(figure, currency)
  return mark === 'D' || mark === 'RC' || mark === 'ED' ? -size : size
}

interface Booking {
  readonly amount: bigint
  readonly currency: string
  readonly place: number
}

function readEntry(line: MtLine, information: MtInformation, booked: Booking): MtEntry {
  const { gvc, primanota, textKey, posting, pieces, isCut, customerReference } = information
  const { valueOn = null, type, mark } = line
  const owner = NO_REFERENCE.test(line.owner) ? null : line.owner
  const isReversal = mark.startsWith('R')
  const isReturn = findSwiftTypeMeaning(type) === 'RETURN' || isReturnCode({ ...NO_CODES, gvc })
  // The payer chooses the references of an ordinary credit. In other entries, they identify our payments.
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
    charges: parseCharges(line),
    text: [posting, text, ...line.details].filter(Boolean).join(' ') || null,
    references: [],
  }
  if (owner === null && servicerReference === null && pieces.length === 0 && line.details.length === 0)
    return { entry, transaction: undefined }
  const entryReferences = { owner, servicerReference, file, isOurs, text }
  return { entry, transaction: toTransaction(entry, line, information, entryReferences) }
}

const NO_CODES = { transactionCode: null, proprietaryCode: null }

interface EntryReferences {
  readonly owner: string | null
  readonly servicerReference: string | null
  /** The message name of one of our files. */
  readonly file: string | null
  readonly isOurs: boolean
  readonly text: string
}

function toTransaction(
  entry: BankEntry,
  line: MtLine,
  { endToEndId, customerReference, mandateId, party, pieces }: MtInformation,
  { owner, servicerReference, file, isOurs, text }: EntryReferences,
): BankTransaction {
  const isCredit = entry.amount > 0n !== (entry.isReversal || entry.isReturn)
  return {
    place: 0,
    amount: entry.amount,
    currency: entry.currency,
    instructed: parseMoney(line, 'OCMT'),
    endToEndId: endToEndId ?? (isOurs ? owner : null),
    paymentInformationId: file,
    mandateId,
    servicerReference,
    debtor: isCredit ? party : UNKNOWN_PARTY,
    creditor: isCredit ? UNKNOWN_PARTY : party,
    remittanceInformation: [text, isOurs ? null : owner].filter(Boolean).join(' ') || null,
    isReturn: entry.isReturn,
    returnReason: entry.isReturn ? findReturnReason(text) : null,
    ...{ transactionCode: null, proprietaryCode: null, gvc: null, charges: null },
    ...{ messageId: null, instructionId: null, clearingReference: null, text: null },
    references: toReferences([
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

/** Finds the ISO 20022 code in the text of a return. */
function findReturnReason(text: string): BankTransaction['returnReason'] {
  const code = text.match(/\b[A-Z]{2}\d\d\b/g)?.find((one) => Object.hasOwn(ISO_REASONS, one))
  return { code: code ?? null, text: text || null }
}

/** Parses charges that the bank states in addition to the amount: `/CHGS/EUR5,00/`. */
function parseCharges(line: MtLine): BankCharges | null {
  const money = parseMoney(line, 'CHGS')
  return money && { amount: -money.amount, currency: money.currency, isIncluded: null }
}

/**
 * Parses an amount after the first line of field 61. Null also for an unreadable amount, because no booking
 * depends on it.
 */
function parseMoney({ details }: MtLine, codeWord: 'OCMT' | 'CHGS'): BankMoney | null {
  const [, currency = '', figure = ''] =
    new RegExp(`/${codeWord}/([A-Z]{3})(\\d{1,15}(?:,\\d*)?)`).exec(details.join('')) ?? []
  if (currency === '') return null
  const part = readPart(() => parseUnits(figure.replace(',', '.'), currency))
  return 'read' in part ? { amount: part.read, currency } : null
}
