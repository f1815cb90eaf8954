import { present } from '@countersign/contract/core/objects'
import { Bai2Fields, type Bai2Record, parseAmount, parseAvailability } from './bai2-fields.ts'
import {
  BAI2_ISSUER,
  CLOSING_LEDGER,
  classifyTypeCode,
  findTypeCodeMeaning,
  isTotal,
  OPENING_LEDGER,
  TOTAL_CREDITS,
  TOTAL_DEBITS,
} from './bai2-type-codes.ts'
import type { BankBalance, StatementHead } from './camt.ts'
import { toReferences } from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'
import type { BankTransaction } from './camt-transaction.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { toUnreadPart, type UnreadPart } from './unread-part.ts'
import { UnreadablePart } from './unreadable-file.ts'

/** The header of a group, which applies to all its accounts. */
export interface Bai2Group {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly currency: string
  readonly modifier: string
  /** Distinguishes the statements in different files. */
  readonly createdAt: string
}

/** An account record, before its transactions. */
export interface Bai2Account {
  readonly head: StatementHead
  readonly currency: string
  readonly balances: readonly BankBalance[]
  /** The sums of all transactions as stated by the bank. Undefined if the bank omits one of them. */
  readonly stated: { readonly credits: bigint; readonly debits: bigint } | undefined
  /** The sum of all amounts in the record. */
  readonly total: bigint
}

const ACCOUNT_CHARACTERS_MAX = 50

/** A modifier of 1 or 3 marks a day's interim data; 2 or 4 marks its final data. */
const INTERIM: ReadonlySet<string> = new Set(['1', '3'])

/** Parses a record 03. Throws UnreadablePart. */
export function parseAccount(record: Bai2Record, group: Bai2Group): Bai2Account {
  const fields = new Bai2Fields(record)
  const account = fields.optional()
  const currency = fields.optional().toUpperCase() || group.currency
  if (account === '' || account.length > ACCOUNT_CHARACTERS_MAX)
    throw new UnreadablePart(`has the account number ${quoteForMessage(account)}`)
  if (!/^[A-Z]{3}$/.test(currency)) throw new UnreadablePart(`has the currency ${quoteForMessage(currency)}`)
  const amounts = parseSummaries(fields)
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

/** Without a modifier, a closing ledger balance marks a completed day. */
function isFinal({ modifier }: Bai2Group, closing: bigint | undefined): boolean {
  return modifier === '' ? closing !== undefined : !INTERIM.has(modifier)
}

/** Parses the balances and totals of an account record. Skips summaries without an amount. */
function parseSummaries(fields: Bai2Fields): { readonly code: string; readonly amount: bigint }[] {
  const found: { code: string; amount: bigint }[] = []
  for (let code = fields.nextField(); code !== undefined; code = fields.nextField()) {
    const written = fields.optional()
    // Skip the item count.
    fields.optional()
    const { fault } = parseAvailability(fields)
    if (fault !== undefined) throw new UnreadablePart(fault)
    if (code === '' && written === '') continue
    if (!/^\d{3}$/.test(code)) throw new UnreadablePart(`has the type code ${quoteForMessage(code)}`)
    if (written === '') continue
    const amount = parseAmount(written)
    if (amount === undefined)
      throw new UnreadablePart(`has the amount ${quoteForMessage(written)} with the code ${code}`)
    found.push({ code, amount })
  }
  return found
}

/**
 * A record 16: its amount as written, and its entry or the reason why the entry waits. Neither if it moves no
 * money.
 */
export interface Bai2Transaction {
  readonly size: bigint
  readonly entry?: BankEntry
  readonly transaction?: BankTransaction
  readonly unread?: UnreadPart
}

/**
 * Parses a record 16. Throws UnreadablePart if its amount cannot be read, because then the totals cannot be
 * verified.
 */
export function parseTransaction(
  record: Bai2Record,
  { currency }: Bai2Account,
  { date }: Bai2Group,
  place: number,
): Bai2Transaction {
  const fields = new Bai2Fields(record)
  const code = fields.optional()
  const written = fields.optional()
  const size = written === '' ? 0n : parseAmount(written)
  if (size === undefined || /^[+-]/.test(written))
    throw new UnreadablePart(`has the amount ${quoteForMessage(written)}`)
  if (size === 0n) return { size }
  const kind = classifyTypeCode(code)
  const { valueOn, fault } = parseAvailability(fields)
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
    return { size, unread: toUnreadPart(`line ${record.line}`, `line ${record.line}: ${reason}`, raw, money) }
  }
  const descriptions = {
    bank: fields.optional(),
    customer: fields.optional(),
    texts: fields.remainingLines(),
  }
  const entry = toEntry({ code, amount, currency, date, valueOn, place }, descriptions)
  return { size, entry, ...present({ transaction: toTransaction(entry, code, descriptions) }) }
}

interface EntryTexts {
  /** The bank's reference. */
  readonly bank: string
  /** The customer's reference. */
  readonly customer: string
  readonly texts: readonly string[]
}

interface Booking {
  readonly code: string
  readonly amount: bigint
  readonly currency: string
  readonly date: string
  readonly valueOn: string | null
  readonly place: number
}

function toEntry({ code, date, ...booked }: Booking, { bank, customer, texts }: EntryTexts): BankEntry {
  const meaning = findTypeCodeMeaning(code)
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

const UNKNOWN_PARTY = { name: null, account: null, bic: null }

/** Builds the transaction from the references and text of an entry. Undefined if it has neither. */
function toTransaction(
  entry: BankEntry,
  code: string,
  { bank, customer, texts }: EntryTexts,
): BankTransaction | undefined {
  if (bank === '' && customer === '' && texts.length === 0) return undefined
  const isReturn = findTypeCodeMeaning(code) === 'RETURN'
  // The payer chooses the reference of an ordinary credit. In other records, it identifies one of our
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
    returnReason: isReturn ? findReturnReason(text) : null,
    debtor: UNKNOWN_PARTY,
    creditor: UNKNOWN_PARTY,
    transactionCode: null,
    proprietaryCode: null,
    gvc: null,
    ...{ instructed: null, charges: null, messageId: null, paymentInformationId: null, instructionId: null },
    ...{ mandateId: null, clearingReference: null, text: null },
    references: toReferences([
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

/** Finds the ACH return reason in the text of a returned item. */
function findReturnReason(text: string): BankTransaction['returnReason'] {
  const [code] = /\bR\d\d\b/.exec(text) ?? []
  return code === undefined ? null : { code, text }
}
