import { bai2File, type SampleBai2Transaction } from '../../../src/outside/bank-files/formats/bai2.testing.ts'
import {
  BATCH,
  BankBalance,
  camtFile,
  formatCents,
  PAYMENT,
  type SampleEntry,
  write,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type BankFolder, SEPA_IBAN } from './file-bank.testing.ts'

/**
 * These banks have one account each and send a statement for every day, starting tomorrow, because payments made today
 * are before every cut-off.
 */

const DAY_MS = 86_400_000

/** The days of an account. Each has a statement. */
export class Days {
  // Read once: a midnight between two statements would leave out a day.
  readonly #startMs = Date.now()
  #count = 0

  /** `YYYY-MM-DD` */
  next(): string {
    this.#count += 1
    return this.last
  }

  get last(): string {
    return new Date(this.#startMs + this.#count * DAY_MS).toISOString().slice(0, 10)
  }
}

/** A bank that sends camt.053 statements. */
export class CamtBank {
  readonly currency = 'EUR'
  readonly folder: BankFolder
  readonly #iban: string
  readonly #balance = new BankBalance()
  readonly #days = new Days()
  #files = 0

  constructor(folder: BankFolder, iban: string) {
    this.folder = folder
    this.#iban = iban
  }

  /** The account's balance in cents. */
  get closing(): bigint {
    return this.#balance.cents
  }

  get date(): string {
    return this.#days.last
  }

  /** Sends a statement of the next day with these entries. */
  async states(entries: readonly SampleEntry[]): Promise<void> {
    this.#days.next()
    const opening = this.closing
    this.#balance.book(entries)
    await this.put(entries, opening, this.closing)
  }

  /** Sends a statement of the last day, regardless of what that day contained. */
  async put(entries: readonly SampleEntry[], opening: bigint, closing: bigint): Promise<void> {
    this.#files += 1
    const id = `${this.#iban.slice(-6)}-${this.#files}`
    const entriesWithIds = entries.map((entry, index) => ({ servicerReference: `${id}-${index}`, ...entry }))
    const text = camtFile({
      id,
      balances: [formatCents(opening), formatCents(closing)],
      entries: entriesWithIds,
    })
    await this.folder.put(
      `${id}.xml`,
      text.replaceAll(SEPA_IBAN, this.#iban).replaceAll('2026-03-02', this.date),
    )
  }
}

/** A bank that sends BAI2 statements, and NACHA files if it uses them to report deposits. */
export class UsBank {
  readonly currency = 'USD'
  /** The account's balance in cents. */
  closing = 0n
  readonly folder: BankFolder
  readonly #account: string
  readonly #days = new Days()
  #files = 0

  constructor(folder: BankFolder, account: string) {
    this.folder = folder
    this.#account = account
  }

  get date(): string {
    return this.#days.last
  }

  /** Sends a statement of the next day with these transactions. */
  async states(transactions: readonly SampleBai2Transaction[]): Promise<void> {
    this.#days.next()
    const opening = this.closing
    for (const { code, amount } of transactions) this.closing += code >= '400' ? -amount : amount
    await this.#put({ account: this.#account, opening, closing: this.closing, transactions })
  }

  /** Sends a statement of an account other than the rail's. */
  async statesOther(more: { readonly account?: string; readonly currency?: string }): Promise<void> {
    const transactions = [{ code: '165', amount: 900n, texts: ['FROM A PAYER'] }]
    await this.#put({ account: this.#account, opening: 0n, closing: 900n, transactions, ...more })
  }

  /** Reports deposits one by one in a NACHA file, for the next day with a statement. */
  async reports(deposits: readonly { readonly amount: bigint; readonly reference: string }[]): Promise<void> {
    const effectiveDate = new Date(Date.parse(this.date) + DAY_MS).toISOString().slice(0, 10)
    const payments = deposits.map(({ amount, reference }, index) => ({
      ...{ ...PAYMENT, account: this.#account, traceSequence: index + 1, amount },
      remittanceInformation: `FOR ${reference}`,
    }))
    await this.folder.put(
      `entries-${++this.#files}.ach`,
      await write([{ ...BATCH, effectiveDate, payments }]),
    )
  }

  async #put({
    opening,
    closing,
    ...account
  }: {
    readonly account: string
    readonly currency?: string
    readonly opening: bigint
    readonly closing: bigint
    readonly transactions: readonly SampleBai2Transaction[]
  }): Promise<void> {
    this.#files += 1
    const summaries = [['010', opening] as const, ['015', closing] as const]
    const group = {
      date: this.date.slice(2).replaceAll('-', ''),
      currency: account.currency ?? 'USD',
      accounts: [{ ...account, summaries }],
    }
    const text = bai2File([group], { fileId: String(this.#files) })
    await this.folder.put(`bai2-${this.#account}-${this.#files}.txt`, text)
  }
}
