import { present } from '@countersign/contract/core/objects'
import { amountOf, availabilityOf, Bai2Fields, type Bai2Record } from './bai2-fields.ts'
import {
  BAI2_ISSUER,
  CLOSING_LEDGER,
  isTotal,
  meaningOfTypeCode,
  OPENING_LEDGER,
  TOTAL_CREDITS,
  TOTAL_DEBITS,
  typeCodeKind,
} from './bai2-type-codes.ts'
import type { BankBalance, StatementHead } from './camt.ts'
import { references } from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'
import type { BankTransaction } from './camt-transaction.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { type UnreadPart, unreadPart } from './unread-part.ts'
import { UnreadablePart } from './unreadable-file.ts'

/** The header of a group, which applies to all its accounts. */
export interface Bai2Group {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly currency: string
  readonly modifier: string
  /** Distinguishes the statements of different files. */
  readonly createdAt: string
}

/** An account record, before its transactions. */
export interface Bai2Account {
  readonly head: StatementHead
  readonly currency: string
  readonly balances: readonly BankBalance[]
  /** The sums of all transactions as stated by the bank. Undefined if the bank omits either. */
  readonly stated: { readonly credits: bigint; readonly debits: bigint } | undefined
  /** The sum of all amounts in the record. */
  readonly total: bigint
}

const ACCOUNT_CHARACTERS_MAX = 50

/** A modifier of 1 or 3 marks a day's interim data; 2 or 4 marks its final data. */
const INTERIM: ReadonlySet<string> = new Set(['1', '3'])

/** Parses a record 03. Throws UnreadablePart. */
export function accountOf(record: Bai2Record, group: Bai2Group): Bai2Account {
  const fields = new Bai2Fields(record)
  const account = fields.optional()
  const currency = fields.optional().toUpperCase() || group.currency
  if (account === '' || account.length > ACCOUNT_CHARACTERS_MAX)
    throw new UnreadablePart(`has the account number ${quoteForMessage(account)}`)
  if (!/^[A-Z]{3}$/.test(currency)) throw new UnreadablePart(`has the currency ${quoteForMessage(currency)}`)
  const amounts = summariesOf(fields)
  const find = (code: string) => amounts.findLast((one) => one.code === code)?.amount
  const [opening, closing] = [find(OPENING_LEDGER), find(CLOSING_LEDGER)]
  const [credits, debits] = [find(TOTAL_CREDITS), find(TOTAL_DEBITS)]
  const balance = (type: string, amount: bigint | undefined): BankBalance[] =>
    amount === undefined ? [] : [{ type, amount, currency, date: group.date }]
  return {
    head: {
      kind: isFinal(group, closing) ? 'STATEMENT' : 'REPORT',
      id: `${account} ${group.date}`,
      account,
      currency,
      createdAt: group.createdAt,
      ...{ number: null, page: null, period: null, copyDuplicate: null },
    },
    currency,
    balances: [...balance('OPBD', opening), ...balance('CLBD', closing)],
    stated: credits === undefined || debits === undefined ? undefined : { credits, debits },
    total: amounts.reduce((sum, { amount }) => sum + amount, 0n),
  }
}

/** Without a modifier, only a completed day has a closing ledger balance. */
function isFinal({ modifier }: Bai2Group, closing: bigint | undefined): boolean {
  return modifier === '' ? closing !== undefined : !INTERIM.has(modifier)
}

/** The balances and totals of an account record. Summaries without an amount are skipped. */
function summariesOf(fields: Bai2Fields): { readonly code: string; readonly amount: bigint }[] {
  const found: { code: string; amount: bigint }[] = []
  for (let code = fields.nextField(); code !== undefined; code = fields.nextField()) {
    const written = fields.optional()
    // The item count adds nothing to the records.
    fields.optional()
    const { fault } = availabilityOf(fields)
    if (fault !== undefined) throw new UnreadablePart(fault)
    if (code === '' && written === '') continue
    if (!/^\d{3}$/.test(code)) throw new UnreadablePart(`has the type code ${quoteForMessage(code)}`)
    if (written === '') continue
    const amount = amountOf(written)
    if (amount === undefined)
      throw new UnreadablePart(`has the amount ${quoteForMessage(written)} with the code ${code}`)
    found.push({ code, amount })
  }
  return found
}

/**
 * A record 16: its amount as written, and its entry or the reason why the entry waits. It has neither if it
 * moves no money.
 */
export interface Bai2Transaction {
  readonly size: bigint
  readonly entry?: BankEntry
  readonly transaction?: BankTransaction
  readonly unread?: UnreadPart
}

/**
 * Parses a record 16. Throws UnreadablePart if its amount cannot be read, because then no total can be
 * verified.
 */
export function transactionOf(
  record: Bai2Record,
  { currency }: Bai2Account,
  { date }: Bai2Group,
  place: number,
): Bai2Transaction {
  const fields = new Bai2Fields(record)
  const code = fields.optional()
  const written = fields.optional()
  const size = written === '' ? 0n : amountOf(written)
  if (size === undefined || /^[+-]/.test(written))
    throw new UnreadablePart(`has the amount ${quoteForMessage(written)}`)
  if (size === 0n) return { size }
  const kind = typeCodeKind(code)
  const { valueOn, fault } = availabilityOf(fields)
  const isDirected = kind === 'CREDIT' || kind === 'DEBIT'
  const amount = kind === 'DEBIT' ? -size : size
  const reason = isDirected
    ? isTotal(code)
      ? `is a total (${code})`
      : fault
    : `has the type code ${quoteForMessage(code)}`
  if (reason !== undefined) {
    const raw = record.lines.map((line) => `${line.code},${line.text}`).join('\n')
    const money = isDirected && !isTotal(code) ? { amount, currency } : undefined
    return { size, unread: unreadPart(`line ${record.line}`, `line ${record.line}: ${reason}`, raw, money) }
  }
  const descriptions = { bank: fields.optional(), customer: fields.optional(), texts: fields.rest() }
  const entry = entryOf({ code, amount, currency, date, valueOn, place }, descriptions)
  return { size, entry, ...present({ transaction: detailOf(entry, code, descriptions) }) }
}

interface EntryTexts {
  /** The bank's and the customer's references. */
  readonly bank: string
  readonly customer: string
  readonly texts: readonly string[]
}

interface Booked {
  readonly code: string
  readonly amount: bigint
  readonly currency: string
  readonly date: string
  readonly valueOn: string | null
  readonly place: number
}

function entryOf({ code, date, ...booked }: Booked, { bank, customer, texts }: EntryTexts): BankEntry {
  const meaning = meaningOfTypeCode(code)
  return {
    ...booked,
    status: 'BOOK',
    isReversal: false,
    isReturn: meaning === 'RETURN',
    bookedOn: date,
    reference: customer || null,
    servicerReference: bank || null,
    transactionCode: code,
    proprietaryCode: { code, issuer: BAI2_ISSUER },
    gvc: null,
    batch: meaning === 'SUM' ? { messageId: customer || null, paymentInformationId: null } : null,
    batchSize: null,
    charges: null,
    text: texts.join(' ') || null,
    references: [],
  }
}

const NOBODY = { name: null, account: null, bic: null }

/** The references and the text of an entry. Undefined if it has neither. */
function detailOf(
  entry: BankEntry,
  code: string,
  { bank, customer, texts }: EntryTexts,
): BankTransaction | undefined {
  if (bank === '' && customer === '' && texts.length === 0) return undefined
  const isReturn = meaningOfTypeCode(code) === 'RETURN'
  // In an ordinary credit, the payer chooses the reference. Only in other records does it identify one of our
  // payments.
  const isOurs = isReturn || entry.amount < 0n
  const text = texts.join(' ')
  return {
    place: 0,
    amount: entry.amount,
    currency: entry.currency,
    endToEndId: (isOurs && customer) || null,
    servicerReference: bank || null,
    remittanceInformation: [text, isOurs ? '' : customer].filter(Boolean).join(' ') || null,
    isReturn,
    returnReason: isReturn ? returnReasonOf(text) : null,
    debtor: NOBODY,
    creditor: NOBODY,
    transactionCode: null,
    proprietaryCode: null,
    gvc: null,
    ...{ instructed: null, charges: null, messageId: null, paymentInformationId: null, instructionId: null },
    ...{ mandateId: null, clearingReference: null, text: null },
    references: references([
      ['CustomerReference', customer],
      ['BankReference', bank],
      ...texts.map((one) => ['Text', one] as const),
      // A line break may split a reference, with or without a space.
      ...(texts.length > 1
        ? ([
            ['Text', text],
            ['Text', texts.join('')],
          ] as const)
        : []),
    ]),
  }
}

/** The ACH return reason in the text of a returned item. */
function returnReasonOf(text: string): BankTransaction['returnReason'] {
  const [code] = /\bR\d\d\b/.exec(text) ?? []
  return code === undefined ? null : { code, text }
}
