import { parseUnits, quoteForMessage } from './decimal-amounts.ts'
import { formatRaw, readPart, toUnreadPart, type UnreadPart } from './unread-part.ts'
import { UnreadableFile, UnreadablePart } from './unreadable-file.ts'
import { type DocumentReader, findElement, type XmlElement, type XmlRecord } from './xml-records.ts'

/**
 * Reads Bacs reports about our payments and mandates as XML (`BACSDocument`): ARUCS, ARUDD, and the advices
 * AUDDIS and ADDACS.
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
    if (path === ADVICE) return [this.#read(element, parseAdvice)]
    if (path === FAULT)
      return [{ type: 'notice', isRejected: true, text: Object.values(element.attributes).join(' ') }]
    const report = path.startsWith('Data/ARUCS') ? 'ARUCS' : 'ARUDD'
    if (!path.endsWith(ACCOUNT_RECORD)) return [this.#readItem(report, element, within.at(-1))]
    const unnamedItems = element.children.filter(({ attributes }) => attributes.returnCode !== undefined)
    const read = unnamedItems.map((item) => this.#readItem(report, item, element))
    this.#checkTotals(element)
    return read
  }

  takeForeign({ element }: XmlRecord): readonly BacsRecord[] {
    return [this.#toUnread(element, `has an element of another namespace, ${element.name}`)]
  }

  end(): readonly BacsRecord[] {
    if (this.#hasReport) return []
    const reason = 'has no ARUCS, ARUDD, AUDDIS or ADDACS report'
    return [{ type: 'unread', ...toUnreadPart('document', reason, '') }]
  }

  #readItem(report: BacsReturn['report'], item: XmlElement, account: XmlElement | undefined): BacsRecord {
    this.#count += 1
    const record = this.#read(item, () => parseReturn(report, item, account))
    if (record.type === 'return') this.#sum += record.amount
    else if (record.type === 'unread') this.#sum += record.amount ?? 0n
    return record
  }

  /** Compares the totals, because a missing return would otherwise go unnoticed. */
  #checkTotals(record: XmlElement): void {
    const [count, sum] = [this.#count, this.#sum]
    this.#count = 0
    this.#sum = 0n
    const totals = findElement(record, 'Totals')?.attributes ?? {}
    const stated = { count: readAttribute(totals, 'numberOf'), sum: readAttribute(totals, 'valueOf') }
    if (stated.count !== '' && Number(stated.count) !== count)
      throw new UnreadableFile(`states totals of ${quoteForMessage(stated.count)} items, but has ${count}`)
    if (stated.sum === '') return
    const total = readPart(() => parseUnits(stated.sum, CURRENCY))
    if (!('read' in total) || total.read !== sum)
      throw new UnreadableFile(
        `states totals of ${quoteForMessage(stated.sum)}, but its items add up to ${sum} pence`,
      )
  }

  #read(element: XmlElement, read: (element: XmlElement) => BacsRecord): BacsRecord {
    const part = readPart(() => read(element))
    return 'read' in part ? part.read : this.#toUnread(element, part.reason)
  }

  #toUnread(element: XmlElement, reason: string): BacsRecord {
    const money = readPart(() => parseMoney(element))
    const amount = 'read' in money ? money.read : undefined
    return { type: 'unread', ...toUnreadPart(`part ${this.#parts}`, reason, formatRaw(element), amount) }
  }
}

function parseMoney({ attributes }: XmlElement) {
  const currency = readAttribute(attributes, 'currency') || CURRENCY
  return { amount: parseUnits(readAttribute(attributes, 'valueOf'), currency), currency }
}

function parseReturn(
  report: BacsReturn['report'],
  item: XmlElement,
  record: XmlElement | undefined,
): BacsReturn {
  const { attributes } = item
  const ours = parseAccount(findElement(record, 'OriginatingAccount'))
  if (!ours) throw new UnreadablePart('is outside of an account')
  return {
    type: 'return',
    report,
    direction: RETURNS[report],
    account: `${ours.sortCode}${ours.account}`,
    other: item.children.map(parseAccount).find((one) => one !== null) ?? null,
    reference: requireAttribute(attributes, 'ref'),
    ...parseMoney(item),
    processedOn: parseDate(attributes.originalProcessingDate),
    code: requireAttribute(attributes, 'returnCode'),
    text: attributes.returnDescription?.trim() ?? '',
  }
}

function parseAccount(element: XmlElement | undefined): BacsAccount | null {
  const { sortCode, number } = element?.attributes ?? {}
  return sortCode === undefined || number === undefined
    ? null
    : { sortCode: toDigits(sortCode), account: toDigits(number) }
}

function parseDate(text = ''): string | null {
  const day = text.trim()
  if (day === '') return null
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new UnreadablePart(`has the day ${quoteForMessage(day)}`)
  return day
}

/** The kinds of advices, by record type. */
const ADVICE_KINDS: Readonly<Record<string, BacsAdvice['report'] | 'validated' | 'rejected'>> = {
  A: 'ADDACS',
  N: 'AUDDIS',
  D: 'AUDDIS',
  V: 'validated',
  R: 'rejected',
}

function parseAdvice(element: XmlElement): BacsAdvice | BacsNotice {
  const { attributes } = element
  const type = requireAttribute(attributes, 'record-type')
  const kind = Object.hasOwn(ADVICE_KINDS, type) ? ADVICE_KINDS[type] : undefined
  if (kind === undefined) throw new UnreadablePart(`has the record type ${quoteForMessage(type)}`)
  if (kind === 'validated' || kind === 'rejected')
    return { type: 'notice', isRejected: kind === 'rejected', text: Object.values(attributes).join(' ') }
  const sortCode = toDigits(attributes['payer-new-sort-code'] ?? '')
  const accountNumber = toDigits(attributes['payer-new-account-number'] ?? '')
  return {
    type: 'advice',
    report: kind,
    serviceUserNumber: requireAttribute(attributes, 'user-number'),
    reference: requireAttribute(attributes, 'reference'),
    code: requireAttribute(attributes, 'reason-code'),
    debtor: {
      sortCode: toDigits(requireAttribute(attributes, 'payer-sort-code')),
      account: toDigits(requireAttribute(attributes, 'payer-account-number')),
    },
    changed: { ...(sortCode && { sortCode }), ...(accountNumber && { accountNumber }) },
  }
}

/**
 * Reads an attribute without surrounding spaces, or an empty string if it is missing. Some attributes have
 * the names of Object methods.
 */
function readAttribute(attributes: XmlElement['attributes'], name: string): string {
  return (Object.hasOwn(attributes, name) ? attributes[name] : undefined)?.trim() ?? ''
}

function requireAttribute(attributes: XmlElement['attributes'], name: string): string {
  const value = readAttribute(attributes, name)
  if (value === '') throw new UnreadablePart(`has no ${name}`)
  return value
}

/** Removes the spaces and hyphens of a sort code or account number. */
function toDigits(text: string): string {
  return text.replaceAll(/[\s-]/g, '')
}
