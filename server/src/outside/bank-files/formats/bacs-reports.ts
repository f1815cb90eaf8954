import { quoteForMessage, smallestUnits } from './decimal-amounts.ts'
import { rawOf, readPart, type UnreadPart, unreadPart } from './unread-part.ts'
import { UnreadableFile, UnreadablePart } from './unreadable-file.ts'
import { type DocumentReader, findBelow, type XmlElement, type XmlRecord } from './xml-records.ts'

/**
 * Reads Bacs reports about our payments and mandates: ARUCS, ARUDD, and AUDDIS and ADDACS advices, as XML
 * (`BACSDocument`).
 */

const RETURNS = { ARUCS: 'OUT', ARUDD: 'PULL' } as const
const ACCOUNT_RECORD = 'Advice/OriginatingAccountRecords/OriginatingAccountRecord'
const ADVICES = 'Data/MessagingAdvices'
const HEADER = `${ADVICES}/MessagingHeader`
const ADVICE = `${ADVICES}/MessagingAdvice`
const FAULT = `${ADVICES}/MessagingError`
const CURRENCY = 'GBP'

export interface BacsAccount {
  readonly sortCode: string
  readonly account: string
}

/** An unapplied credit or an unpaid direct debit. */
export interface BacsReturn {
  readonly type: 'return'
  readonly report: keyof typeof RETURNS
  readonly direction: 'OUT' | 'PULL'
  /** Our account number, digits only. */
  readonly account: string
  /** The counterparty's account, if it is stated. */
  readonly other: BacsAccount | null
  readonly reference: string
  /** In pence. */
  readonly amount: bigint
  readonly currency: string
  /** The day on which Bacs processed the payment, `YYYY-MM-DD`. */
  readonly processedOn: string | null
  readonly code: string
  readonly text: string
}

/**
 * A message from the debtor's bank about a mandate: unsolicited (ADDACS), or about one of our instructions
 * (AUDDIS).
 */
export interface BacsAdvice {
  readonly type: 'advice'
  readonly report: 'ADDACS' | 'AUDDIS'
  readonly serviceUserNumber: string
  readonly reference: string
  readonly code: string
  /** The debtor's account as the bank knows it. */
  readonly debtor: BacsAccount
  readonly changed: { readonly sortCode?: string; readonly accountNumber?: string }
}

/** A notice that a file of instructions was validated or rejected. */
export interface BacsNotice {
  readonly type: 'notice'
  readonly isRejected: boolean
  readonly text: string
}

export type BacsRecord =
  | BacsReturn
  | BacsAdvice
  | BacsNotice
  /** Marks the start of a report, which may be empty. */
  | { readonly type: 'head' }
  | ({ readonly type: 'unread' } & UnreadPart)

/**
 * Reads a report record by record, in constant memory. Items are recognized by their attributes. Throws
 * UnreadableFile if an account's totals differ from its items.
 */
export class BacsReader implements DocumentReader<BacsRecord> {
  readonly records: ReadonlySet<string> = new Set([
    ...Object.keys(RETURNS).flatMap((name) => {
      const account = `Data/${name}/${ACCOUNT_RECORD}`
      return [`Data/${name}/Header`, account, `${account}/ReturnedDebitItem`, `${account}/ReturnedCreditItem`]
    }),
    ...[HEADER, ADVICE, FAULT],
  ])
  #parts = 0
  #hasReport = false
  #count = 0
  #sum = 0n

  take({ path, element, within }: XmlRecord): readonly BacsRecord[] {
    this.#parts += 1
    this.#hasReport = true
    if (path === HEADER || path.endsWith('/Header')) return [{ type: 'head' }]
    if (path === ADVICE) return [this.#read(element, adviceOf)]
    if (path === FAULT)
      return [{ type: 'notice', isRejected: true, text: Object.values(element.attributes).join(' ') }]
    const report = path.startsWith('Data/ARUCS') ? 'ARUCS' : 'ARUDD'
    if (!path.endsWith(ACCOUNT_RECORD)) return [this.#readItem(report, element, within.at(-1))]
    const others = element.children.filter(({ attributes }) => attributes.returnCode !== undefined)
    const read = others.map((other) => this.#readItem(report, other, element))
    this.#checkTotals(element)
    return read
  }

  takeForeign({ element }: XmlRecord): readonly BacsRecord[] {
    return [this.#unread(element, `has an element of another namespace, ${element.name}`)]
  }

  end(): readonly BacsRecord[] {
    if (this.#hasReport) return []
    const reason = 'has no report of ARUCS, ARUDD, AUDDIS or ADDACS'
    return [{ type: 'unread', ...unreadPart('document', reason, '') }]
  }

  #readItem(report: BacsReturn['report'], item: XmlElement, account: XmlElement | undefined): BacsRecord {
    this.#count += 1
    const record = this.#read(item, () => returnOf(report, item, account))
    if (record.type === 'return') this.#sum += record.amount
    else if (record.type === 'unread') this.#sum += record.amount ?? 0n
    return record
  }

  /** Without this check, a return could be missed. */
  #checkTotals(record: XmlElement): void {
    const [count, sum] = [this.#count, this.#sum]
    this.#count = 0
    this.#sum = 0n
    const totals = findBelow(record, 'Totals')?.attributes ?? {}
    const stated = { count: given(totals, 'numberOf'), sum: given(totals, 'valueOf') }
    if (stated.count !== '' && Number(stated.count) !== count)
      throw new UnreadableFile(`has totals of ${quoteForMessage(stated.count)} items, but ${count} of them`)
    if (stated.sum === '') return
    const total = readPart(() => smallestUnits(stated.sum, CURRENCY))
    if (!('read' in total) || total.read !== sum)
      throw new UnreadableFile(`has totals of ${quoteForMessage(stated.sum)}, but items of ${sum} pence`)
  }

  #read(element: XmlElement, read: (element: XmlElement) => BacsRecord): BacsRecord {
    const part = readPart(() => read(element))
    return 'read' in part ? part.read : this.#unread(element, part.reason)
  }

  #unread(element: XmlElement, reason: string): BacsRecord {
    const money = readPart(() => moneyOf(element))
    const amount = 'read' in money ? money.read : undefined
    return { type: 'unread', ...unreadPart(`part ${this.#parts}`, reason, rawOf(element), amount) }
  }
}

function moneyOf({ attributes }: XmlElement) {
  const currency = given(attributes, 'currency') || CURRENCY
  return { amount: smallestUnits(given(attributes, 'valueOf'), currency), currency }
}

function returnOf(
  report: BacsReturn['report'],
  item: XmlElement,
  record: XmlElement | undefined,
): BacsReturn {
  const { attributes } = item
  const ours = accountIn(findBelow(record, 'OriginatingAccount'))
  if (!ours) throw new UnreadablePart('stands outside of an account')
  return {
    type: 'return',
    report,
    direction: RETURNS[report],
    account: `${ours.sortCode}${ours.account}`,
    other: item.children.map(accountIn).find((one) => one !== null) ?? null,
    reference: required(attributes, 'ref'),
    ...moneyOf(item),
    processedOn: dateIn(attributes.originalProcessingDate),
    code: required(attributes, 'returnCode'),
    text: attributes.returnDescription?.trim() ?? '',
  }
}

function accountIn(element: XmlElement | undefined): BacsAccount | null {
  const { sortCode, number } = element?.attributes ?? {}
  return sortCode === undefined || number === undefined
    ? null
    : { sortCode: digitsOf(sortCode), account: digitsOf(number) }
}

function dateIn(text = ''): string | null {
  const day = text.trim()
  if (day === '') return null
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new UnreadablePart(`has the day ${quoteForMessage(day)}`)
  return day
}

/** The kinds of records in a report of messages. */
const ADVICE_KINDS: Readonly<Record<string, BacsAdvice['report'] | 'validated' | 'rejected'>> = {
  A: 'ADDACS',
  N: 'AUDDIS',
  D: 'AUDDIS',
  V: 'validated',
  R: 'rejected',
}

function adviceOf(element: XmlElement): BacsAdvice | BacsNotice {
  const { attributes } = element
  const type = required(attributes, 'record-type')
  const kind = Object.hasOwn(ADVICE_KINDS, type) ? ADVICE_KINDS[type] : undefined
  if (kind === undefined) throw new UnreadablePart(`has the record type ${quoteForMessage(type)}`)
  if (kind === 'validated' || kind === 'rejected')
    return { type: 'notice', isRejected: kind === 'rejected', text: Object.values(attributes).join(' ') }
  const sortCode = digitsOf(attributes['payer-new-sort-code'] ?? '')
  const accountNumber = digitsOf(attributes['payer-new-account-number'] ?? '')
  return {
    type: 'advice',
    report: kind,
    serviceUserNumber: required(attributes, 'user-number'),
    reference: required(attributes, 'reference'),
    code: required(attributes, 'reason-code'),
    debtor: {
      sortCode: digitsOf(required(attributes, 'payer-sort-code')),
      account: digitsOf(required(attributes, 'payer-account-number')),
    },
    changed: { ...(sortCode && { sortCode }), ...(accountNumber && { accountNumber }) },
  }
}

/**
 * An attribute without surrounding spaces, or an empty string if it is missing. Some attributes are named
 * like methods of Object.
 */
function given(attributes: XmlElement['attributes'], name: string): string {
  return (Object.hasOwn(attributes, name) ? attributes[name] : undefined)?.trim() ?? ''
}

function required(attributes: XmlElement['attributes'], name: string): string {
  const value = given(attributes, name)
  if (value === '') throw new UnreadablePart(`has no ${name}`)
  return value
}

/** The digits of a sort code or account number, without spaces and hyphens. */
function digitsOf(text: string): string {
  return text.replaceAll(/[\s-]/g, '')
}
