import { expect } from 'vitest'
import { bai2File, type SampleBai2Transaction } from '../../../src/outside/bank-files/formats/bai2.testing.ts'
import {
  BATCH,
  camtFile,
  PAYMENT,
  type SampleEntry,
  write,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type BankFolder, SEPA_IBAN } from './file-bank.testing.ts'
import type { BankName, Month } from './month.testing.ts'

/** Banks that keep one account each and state it day by day, from tomorrow on: what was paid today is before every cut-off. */

const DAY_MS = 86_400_000

/** The days of an account, each with a statement. */
export class Days {
  #count = 0

  /** `YYYY-MM-DD` */
  next(): string {
    this.#count += 1
    return this.last
  }

  get last(): string {
    return new Date(Date.now() + this.#count * DAY_MS).toISOString().slice(0, 10)
  }
}

/** An amount as camt files write it. */
export function inUnits(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const inCents = (units: string) => BigInt(units.replace('.', ''))

/** A bank that sends camt.053. */
export class CamtBank {
  readonly currency = 'EUR'
  /** The balance of the account, in cents. */
  closing = 0n
  readonly folder: BankFolder
  readonly #iban: string
  readonly #days = new Days()
  #files = 0

  constructor(folder: BankFolder, iban: string) {
    this.folder = folder
    this.#iban = iban
  }

  get date(): string {
    return this.#days.last
  }

  /** States the next day with these entries. */
  async states(entries: readonly SampleEntry[]): Promise<void> {
    this.#days.next()
    const opening = this.closing
    for (const { amount, direction } of entries)
      this.closing += direction === 'CRDT' ? inCents(amount) : -inCents(amount)
    await this.put(entries, opening, this.closing)
  }

  /** Puts a statement of the last day, whatever that day had. */
  async put(entries: readonly SampleEntry[], opening: bigint, closing: bigint): Promise<void> {
    this.#files += 1
    const id = `${this.#iban.slice(-6)}-${this.#files}`
    const named = entries.map((entry, index) => ({ servicerReference: `${id}-${index}`, ...entry }))
    const text = camtFile({ id, balances: [inUnits(opening), inUnits(closing)], entries: named })
    await this.folder.put(
      `${id}.xml`,
      text.replaceAll(SEPA_IBAN, this.#iban).replaceAll('2026-03-02', this.date),
    )
  }
}

/** A bank that sends BAI2, and NACHA files if it reports deposits by them. */
export class UsBank {
  readonly currency = 'USD'
  /** The balance of the account, in cents. */
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

  /** States the next day with these transactions. */
  async states(transactions: readonly SampleBai2Transaction[]): Promise<void> {
    this.#days.next()
    const opening = this.closing
    for (const { code, amount } of transactions) this.closing += code >= '400' ? -amount : amount
    await this.#put({ account: this.#account, opening, closing: this.closing, transactions })
  }

  /** States an account that is not the one of the rail. */
  async statesOther(more: { readonly account?: string; readonly currency?: string }): Promise<void> {
    const transactions = [{ code: '165', amount: 900n, texts: ['FROM A PAYER'] }]
    await this.#put({ account: this.#account, opening: 0n, closing: 900n, transactions, ...more })
  }

  /** Reports deposits one by one in a NACHA file, for the day that is stated next. */
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

/** The payments in a file of ours to a European bank, by their amounts. */
export function sepaPaymentsIn(text: string) {
  const payments = [...text.matchAll(/<CdtTrfTxInf>.*?<\/CdtTrfTxInf>/g)].map(([one]) => ({
    instructionId: /<InstrId>(.*?)</.exec(one)?.[1] ?? '',
    endToEndId: /<EndToEndId>(.*?)</.exec(one)?.[1] ?? '',
    amount: /Ccy="EUR">(.*?)</.exec(one)?.[1] ?? '',
  }))
  return payments
}

/** A report that every payment of our file has been settled. */
export function settled(text: string): string {
  const message = /<MsgId>(.*?)</.exec(text)?.[1]
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>S-${message}</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${message}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>ACSC</GrpSts></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`
}

/** A difference between a bank and the books. */
export interface MonthDifference {
  readonly bank: BankName
  /** Lets the bank report it. Returns the ids that the commands of the guide name, in their order. */
  readonly happens: (month: Month) => Promise<readonly string[]>
  /** The bank carries out what the commands have ordered. */
  readonly after?: (month: Month) => Promise<void>
}

const debit = (amount: string, more: Partial<SampleEntry> = {}): SampleEntry => ({
  ...{ amount, direction: 'DBIT', ...more },
})

/** A deposit of this amount at the European bank that no account is named for. */
async function suspended(month: Month, amount: string): Promise<string> {
  await month.euro.states([month.credit(amount), month.credit('20.00', month.customer.eurReference)])
  const [deposit, ...more] = await month.suspense('euro-bank')
  expect(more).toEqual([])
  return deposit.id
}

/** A payment by the European bank, which has its file. */
async function paidByFile(month: Month, amount: number) {
  const id = await month.pays(amount)
  const [payment] = sepaPaymentsIn((await month.euro.folder.takeFile()).text)
  return { id, refs: { ...payment, creditor: 'Ada Lovelace' } }
}

/** An entry of a payment of ours with another amount. */
const booked = (
  direction: 'CRDT' | 'DBIT',
  amount: string,
  { refs }: Awaited<ReturnType<typeof paidByFile>>,
  more: Partial<SampleEntry> = {},
): SampleEntry => ({ amount, direction, transactions: [{ ...refs, amount }], ...more })

/** Instant payments of a batch, which the bank has called settled. */
async function settledBatch(month: Month, amounts: readonly number[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const amount of amounts) ids.push(await month.pays(amount, 'EUR', { paymentRail: 'SEPA_INSTANT' }))
  const { name, text } = await month.batch.folder.takeFile()
  expect(sepaPaymentsIn(text)).toHaveLength(amounts.length)
  await month.batch.folder.put(`status-${name}`, settled(text))
  for (const id of ids) await month.ends(id, 'COMPLETED')
  return ids
}

/** The id of the report of this type that waits. */
async function reported(month: Month, bank: BankName, type: string): Promise<string> {
  const found = (await month.reports(bank)).find((one) => one.type === type)
  expect(found, `a report ${type} of ${bank}`).toBeDefined()
  return found.id
}

/** The differences of a month, by the headings of the guide. */
export const MONTH_DIFFERENCES: Readonly<Record<string, MonthDifference>> = {
  'Deposit without a reference': {
    bank: 'euro-bank',
    happens: async (month) => [await suspended(month, '100.00'), month.customer.eur.id],
  },
  'One deposit for two customers': {
    bank: 'euro-bank',
    happens: async (month) => [await suspended(month, '100.00'), month.customer.eur.id, month.other.eur.id],
  },
  Overpayment: {
    bank: 'euro-bank',
    happens: async (month) => [await suspended(month, '130.00'), month.customer.eur.id],
    after: async (month) => {
      const [payment] = sepaPaymentsIn((await month.euro.folder.takeFile()).text)
      expect(payment).toMatchObject({ amount: '30.00' })
      await month.euro.states([debit('30.00', { transactions: [{ ...payment, amount: '30.00' }] })])
    },
  },
  'Debit that is not ours': {
    bank: 'euro-bank',
    happens: async (month) => {
      await month.euro.states([debit('49.00')])
      return month.about('euro-bank')
    },
  },
  'Storno with its original': {
    bank: 'euro-bank',
    happens: async (month) => {
      await month.euro.states([debit('73.00'), { ...debit('73.00'), direction: 'CRDT', isReversal: true }])
      return month.about('euro-bank')
    },
  },
  'Charge without a code': {
    bank: 'euro-bank',
    happens: async (month) => {
      await month.euro.states([debit('5.00')])
      return month.about('euro-bank')
    },
  },
  'Payment with a charge': {
    bank: 'euro-bank',
    happens: async (month) => {
      const payment = await paidByFile(month, 10_000)
      await month.euro.states([booked('DBIT', '103.00', payment)])
      const { id, body } = await month.reportOf('euro-bank', payment.id)
      return [payment.id, body.id, id]
    },
  },
  'Late return, without a reason and less a charge': {
    bank: 'euro-bank',
    happens: async (month) => {
      const payment = await paidByFile(month, 12_000)
      await month.euro.states([booked('DBIT', '120.00', payment)])
      await month.ends(payment.id, 'COMPLETED')
      await month.euro.states([booked('CRDT', '117.50', payment, { isReversal: true })])
      const { id, body } = await month.reportOf('euro-bank', payment.id)
      return [payment.id, body.id, id]
    },
  },
  'Batch booked as one sum': {
    bank: 'batch-bank',
    happens: async (month) => {
      const ids = await settledBatch(month, [10_000, 20_000])
      await month.batch.states([debit('300.00')])
      const [line = ''] = (await month.about('batch-bank')).filter((id) => id.startsWith('StatementEntry:'))
      return [line, ...ids]
    },
  },
  'Payment booked twice and reversed': {
    bank: 'batch-bank',
    happens: async (month) => {
      const id = await month.pays(4_000, 'EUR', { paymentRail: 'SEPA_INSTANT' })
      const [refs] = sepaPaymentsIn((await month.batch.folder.takeFile()).text)
      const once = debit('40.00', { transactions: [{ ...refs, amount: '40.00' }] })
      await month.batch.states([once, { ...once, servicerReference: 'AGAIN' }])
      await month.ends(id, 'COMPLETED')
      expect(await month.differences('batch-bank')).toMatchObject([{ reason: 'BOOKED_TWICE', about: id }])
      await month.batch.states([{ amount: '40.00', direction: 'CRDT', isReversal: true }])
      const [line = ''] = (await month.about('batch-bank')).filter((one) => one !== id)
      return [id, line]
    },
  },
  'Second statement of a day': {
    bank: 'batch-bank',
    happens: async (month) => {
      const { batch } = month
      await batch.states([])
      await batch.put([debit('1.00')], batch.closing, batch.closing - 100n)
      return [await reported(month, 'batch-bank', 'statement')]
    },
  },
  'Return that names no payment': {
    bank: 'dollar-bank',
    happens: async (month) => {
      const id = await month.pays(30_000, 'USD')
      const { text } = await month.dollar.folder.takeFile()
      const entry = text.split('\n').find((line) => line.startsWith('6')) ?? ''
      const customer = entry.slice(39, 54).trim()
      await month.dollar.states([{ code: '451', amount: 30_000n, customer, texts: ['PAYOUT'] }])
      await month.ends(id, 'COMPLETED')
      await month.dollar.states([{ code: '257', amount: 30_000n, texts: ['RETURNED ITEM'] }])
      return [id, ...(await month.about('dollar-bank'))]
    },
  },
  'Currency sold at the bank': {
    bank: 'dollar-bank',
    happens: async (month) => {
      await month.dollar.states([{ code: '495', amount: 50_000n, texts: ['FX DEAL 4711'] }])
      return month.about('dollar-bank')
    },
  },
  'Account in another currency': {
    bank: 'dollar-bank',
    happens: async (month) => {
      await month.dollar.statesOther({ currency: 'CAD' })
      return [await reported(month, 'dollar-bank', 'file.other-account')]
    },
  },
  'Account of somebody else': {
    bank: 'lockbox-bank',
    happens: async (month) => {
      await month.lockbox.states([])
      await month.lockbox.statesOther({ account: '99998888' })
      return [await reported(month, 'lockbox-bank', 'file.other-account')]
    },
  },
  'Deposits booked as one sum, less a charge': {
    bank: 'lockbox-bank',
    happens: async (month) => {
      const { usdReference: reference } = month.customer
      await month.lockbox.reports([
        { amount: 11_100n, reference },
        { amount: 22_200n, reference },
      ])
      await month.lockbox.states([{ code: '166', amount: 33_000n, texts: ['ACH SETTLEMENT'] }])
      const about = await month.about('lockbox-bank')
      return about.toSorted((one) => (one.startsWith('StatementEntry:') ? -1 : 1))
    },
  },
  'Deposit with another amount': {
    bank: 'wire-bank',
    happens: async (month) => {
      const { wire } = month
      const id = await wire.receives(10_000)
      wire.book(month.wireDays.next(), {
        kind: 'DEPOSIT',
        depositId: wire.deposit(10_000).depositId,
        amount: '9800',
      })
      await month.statesWires()
      return [id, id, month.customer.eur.id]
    },
  },
  'Payment that the bank never booked': {
    bank: 'wire-bank',
    happens: async (month) => {
      const id = await month.wires(60_000)
      await month.wire.tell(month.wire.event('payment.delivered', { id }))
      await month.ends(id, 'COMPLETED')
      month.wireDays.next()
      await month.statesWires()
      return [id]
    },
  },
  'Failed payment that the bank has booked': {
    bank: 'wire-bank',
    happens: async (month) => {
      const id = await month.wires(70_000)
      const failure = { code: 'QUOTE_EXECUTION_FAILED', message: 'Refused' }
      await month.wire.tell(month.wire.event('payment.failed', { id, failure }))
      await month.ends(id, 'FAILED')
      month.wire.book(month.wireDays.next(), { kind: 'PAYMENT', id, amount: '-70000' })
      await month.statesWires()
      return [id]
    },
  },
}
