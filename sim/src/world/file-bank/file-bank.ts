import fs from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import type { Random } from '../../machine/random.ts'
import type { Deposit, Order } from '../connector.ts'
import { formatBai2File } from './bai2.ts'
import { Books, type Part } from './books.ts'
import { bookSent, type PaidIn, returnEntry, type Shapes, strangers, toIncomingEntry } from './entries.ts'
import type { FileHabits } from './habits.ts'
import {
  camtFile,
  type Entry,
  ibanOf,
  type PaymentFile,
  readPayments,
  type Sheet,
  statusFile,
} from './messages.ts'
import { formatMt940File } from './mt-940.ts'
import { type FileOrder, isRejectedBy, Orders } from './orders.ts'
import { Waits } from './waits.ts'

export const RAIL = 'house-bank'
const OWN_IBAN = 'DE89370400440532013000'
const OTHER_IBAN = 'DE02120300000000202051'
const FOLDERS = ['outbox', 'inbox', 'done', 'refused'] as const
const PAUSE_MS_MAX = 2_500
/** Each step of the bank adds up to this much time, so its day is short. */
const PASSES_MS_MAX = 20_000
const STRANGERS_MAX = 4
const EXTRAS_MAX = 6
/** Higher than any requested payment, so that two payments of the same amount cannot be confused. */
const STRANGE_CENTS = 90_000n

interface PayIn {
  readonly depositId: string
  readonly iban: string
}

/** A file in the inbox about our account. */
interface Sent {
  readonly sheets: readonly Sheet[]
  readonly text: string
}

/**
 * A bank behind a folder. It reads the servers' files, books them, and reports its account in files, with all
 * the faults of real banks. It is not a program of the simulation and is never killed.
 */
export class FileBank {
  readonly books: Books
  readonly waits = new Waits()
  readonly habits: FileHabits
  /** The format of its statements. Advices are always camt.054. */
  readonly #format: 'CAMT' | 'BAI2' | 'MT940'
  readonly #machine: Machine
  readonly #random: Random
  readonly #folder: string
  readonly #needsPayers: boolean
  readonly #orders: Orders
  readonly #payIns: PayIn[] = []
  readonly #references = new Set<string>()
  /** Parts of days that no statement has reported yet, and the number of reported parts by day. */
  #parts: Part[] = []
  readonly #reported = new Map<string, { readonly opening: bigint; readonly closing: bigint }>()
  /** The status file that must be read before a statement with the entry. */
  readonly #after = new Map<Entry, string>()
  #later: (() => void)[] = []
  readonly #sent: Sent[] = []
  readonly #statuses: string[] = []
  #lastPart = ''
  #files = 0
  #strangers = 0
  #paidIn = 0
  #extras = 0
  #hasEnded = false

  constructor(machine: Machine, folder: string, habits: FileHabits, needsPayers: boolean) {
    this.#machine = machine
    this.#random = machine.random.fork()
    this.#orders = new Orders(this.#random)
    this.#folder = join(folder, 'bank')
    this.#needsPayers = needsPayers
    this.habits = habits
    // BAI2 does not identify the payer.
    this.#format = this.#random.pick(needsPayers ? ['CAMT', 'MT940'] : ['CAMT', 'BAI2', 'MT940'])
    this.books = new Books(this.#random, this.#format !== 'BAI2')
  }

  /** BAI2 does not distinguish a collection from other incoming money. */
  get collects(): boolean {
    return this.#format !== 'BAI2'
  }

  /** The rail's entry in the rails file. */
  get entry(): object {
    const serves = ['OUT', ...(this.collects ? ['PULL'] : []), 'IN'].map((direction) => ({
      ...{ direction, accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
    }))
    const { depositsFrom } = this.habits
    return {
      ...{ name: RAIL, kind: 'bank-files', serves, depositsFrom, everyMinutes: 1, inboxEverySeconds: 1 },
      ...(this.#format === 'MT940' ? { statementFormat: 'MT940' } : {}),
      format: {
        ...{ type: 'SEPA', name: 'Simulated GmbH', iban: OWN_IBAN, bic: 'COBADEFFXXX' },
        ...(this.collects ? { debits: { creditorId: 'DE98ZZZ09999999999', deliveredAfterDays: 0 } } : {}),
      },
      place: { type: 'folder', path: this.#folder, ...Object.fromEntries(FOLDERS.map((one) => [one, one])) },
    }
  }

  start(): void {
    for (const name of FOLDERS) fs.mkdirSync(join(this.#folder, name), { recursive: true })
    this.#step()
  }

  end(): void {
    this.#hasEnded = true
  }

  /** Pays into the account with this reference. Returns the bank's id of the deposit. */
  payIn(reference: string, amount: number): string {
    // No payment is made before the first deposit has arrived, so the first deposit must not have to wait for
    // a person.
    const needsPayer = this.#needsPayers || !this.#references.has(reference)
    this.#references.add(reference)
    const paid = this.#addPayment(BigInt(amount))
    this.#payIns.push({ depositId: paid.name, iban: paid.debtor.iban })
    this.#receive(toIncomingEntry(this.#shapes, paid, reference, needsPayer))
    return paid.name
  }

  get orders(): Order[] {
    return this.#orders.named
  }

  /** True once it has collected money. Collections are credited only on a later day. */
  get hasCollected(): boolean {
    return this.#orders.all.some(({ direction }) => direction === 'PULL')
  }

  /** The incoming payments, each with the order that returned it, if any. */
  get deposits(): Deposit[] {
    const orders = this.#orders.all.filter(({ direction }) => direction === 'OUT')
    return this.#payIns.map(({ depositId, iban }) => {
      const returnedBy = orders.find((order) => order.iban === iban)?.instructionId
      return { deposit: { depositId }, ...(returnedBy === undefined ? {} : { returnedBy }) }
    })
  }

  /** Returns why the bank is not finished, or undefined if it is. */
  findOpenWork(): string | undefined {
    const returns = this.#orders.unreturned.length
    const left = { parts: this.#parts.length, later: this.#later.length, returns }
    const inbox = fs.readdirSync(join(this.#folder, 'inbox'))
    const isOpen = this.books.hasEntries || Object.values(left).some((count) => count > 0) || inbox.length > 0
    return isOpen ? `The bank has ${JSON.stringify({ ...left, inbox })}` : undefined
  }

  readonly #step = (): void => {
    if (this.#hasEnded) return
    try {
      this.#takeFiles()
      this.#move()
    } catch (error) {
      this.#machine.fail(error)
    }
    this.#machine.clock.offsetMs += this.#random.integerBelow(PASSES_MS_MAX)
    this.#machine.runAfter(this.#machine.someTime(PAUSE_MS_MAX), this.#step)
  }

  #move(): void {
    const random = this.#random
    if (this.#references.size > 0 && this.#strangers < STRANGERS_MAX && random.chance(0.15)) this.#stranger()
    for (const order of this.#orders.unreturned)
      if (order.returnsAtMs <= this.#nowMs && random.chance(0.5)) this.#giveBack(order)
    if (this.books.hasEntries && random.chance(0.6)) this.#parts.push(...this.books.cut(this.#statementId()))
    if (random.chance(0.3)) this.books.closeDay()
    this.#later = this.#later.filter((put) => (random.chance(0.4) ? void put() : true))
    this.#tellPart()
    if (this.#sent.length > 0 && this.#extras < EXTRAS_MAX && random.chance(this.habits.extras)) this.#extra()
  }

  #addPayment(cents: bigint): PaidIn {
    this.#paidIn += 1
    const debtor = { name: 'Grace Hopper', iban: ibanOf(String(9_000_000_000 + this.#paidIn * 1_000)) }
    return { cents, name: `P-${this.#paidIn}`, debtor }
  }

  #stranger(): void {
    this.#strangers += 1
    const cents = STRANGE_CENTS + BigInt(this.#strangers)
    const entry = strangers(this.#shapes, this.#addPayment(cents), [...this.#references])
    if (entry.isUnreadable) this.waits.unread.push(entry.cents)
    this.#receive(entry)
    if (entry.servicerReference === undefined && !entry.isUnreadable && this.#random.chance(0.3))
      this.#receive(entry)
  }

  #receive(entry: Entry): void {
    this.books.receive(entry)
    if (this.#advise(entry) && this.habits.depositsFrom === 'ADVICES') this.waits.advise(entry)
  }

  /**
   * Reports a single entry at some time before or after its statement. Returns false if it does not report
   * it.
   */
  #advise(entry: Entry): boolean {
    if (entry.isUnreadable || !this.#random.chance(this.habits.advices)) return false
    const { date } = this.books
    // MT940 has no statements without balances.
    const mayBeWithout = this.habits.depositsFrom === 'STATEMENTS' && this.#format !== 'MT940'
    const isWithoutBalances = mayBeWithout && this.#random.chance(0.3)
    const kind = isWithoutBalances ? 'STATEMENT' : 'ADVICE'
    const sheet = this.#sheet({ kind, date, entries: [entry] })
    this.#later.push(() => this.#putSheets([sheet]))
    return true
  }

  #takeFiles(): void {
    const outbox = join(this.#folder, 'outbox')
    for (const name of fs.readdirSync(outbox).sort()) {
      if (name.startsWith('.') || this.#random.chance(0.3)) continue
      const file = readPayments(fs.readFileSync(join(outbox, name), 'utf8'))
      fs.rmSync(join(outbox, name))
      this.#orders.take(file, this.#nowMs)
      this.#carryOut(file)
    }
  }

  #carryOut({ messageId, kind, payments }: PaymentFile): void {
    const random = this.#random
    const rejected = payments.filter(isRejectedBy)
    const carried = payments.filter((one) => !rejected.includes(one))
    const { style, entries } = bookSent(this.#shapes, messageId, carried)
    const isTold = rejected.length > 0 || random.chance(0.5)
    const isRejectedWhole = carried.length === 0 && random.chance(0.5)
    const status = {
      ...{ messageId, kind },
      ofFile: isRejectedWhole ? 'RJCT' : rejected.length > 0 ? 'PART' : random.pick(['ACCP', 'ACSP', 'ACSC']),
      payments: isRejectedWhole
        ? []
        : [
            ...rejected.map((one) => ({ ...one, status: 'RJCT', reason: 'AC01' })),
            ...carried.map((one) => ({ ...one, status: random.pick(['ACSP', 'ACSC']) })),
          ],
    }
    const put = () => this.#putStatus(statusFile(status, `STS-${this.#files}`))
    // The server must know the sum's payments before it can match the sum.
    const isNeeded = style === 'sum' && rejected.length > 0
    if (isNeeded) for (const entry of entries) this.#after.set(entry, put())
    else if (isTold) this.#later.push(put)
    for (const entry of entries) {
      this.books.book(entry)
      if (style === 'single') this.#advise(entry)
    }
  }

  #giveBack(order: FileOrder): void {
    order.status = 'RETURNED'
    const entry = returnEntry(this.#shapes, order)
    this.books.book(entry)
    this.#advise(entry)
  }

  /** Reports the next part of a day: each day's parts in order, but days in any order. */
  #tellPart(): void {
    if (this.#isInInbox(this.#lastPart)) return
    const next = this.#parts.filter((part) => this.#canTell(part))
    if (next.length === 0) return
    const part = this.#random.pick(next)
    this.#parts = this.#parts.filter((one) => one !== part)
    const before = this.#reported.get(part.date) ?? part
    this.#reported.set(part.date, {
      opening: part.closing === before.opening ? part.opening : before.opening,
      closing: part.opening === before.closing ? part.closing : before.closing,
    })
    this.waits.state(part.entries)
    this.#lastPart = this.#putSheets(this.#sheetsOf(part))
  }

  #canTell({ date, opening, closing, entries }: Part): boolean {
    const reported = this.#reported.get(date)
    const isNext = !reported || reported.closing === opening || reported.opening === closing
    return isNext && entries.every((entry) => !this.#isInInbox(this.#after.get(entry) ?? ''))
  }

  #sheetsOf({ date, opening, closing, entries, page }: Part): Sheet[] {
    if (page) {
      // Pages in MT940 have intermediate balances.
      const balance =
        this.#format === 'MT940' ? { opening, closing } : page.isLast ? { closing } : { opening }
      return [this.#sheet({ date, ...balance, entries, page, id: page.id })]
    }
    const id = this.#statementId()
    if (entries.length < 2 || this.#format === 'BAI2' || !this.#random.chance(0.2))
      return [this.#sheet({ id, date, opening, closing, entries })]
    const middle = 1 + this.#random.integerBelow(entries.length - 1)
    const [first, last] = [entries.slice(0, middle), entries.slice(middle)]
    const between = first.reduce((sum, { cents }) => sum + cents, opening)
    const [closes, opens] = this.#format === 'MT940' ? [{ closing: between }, { opening: between }] : [{}, {}]
    return [
      this.#sheet({ id, date, opening, ...closes, entries: first, page: { number: 1, isLast: false } }),
      this.#sheet({ id, date, ...opens, closing, entries: last, page: { number: 2, isLast: true } }),
    ]
  }

  #sheet(more: Pick<Sheet, 'date' | 'entries'> & Partial<Sheet>): Sheet {
    return { kind: 'STATEMENT', id: this.#statementId(), iban: OWN_IBAN, currency: 'EUR', ...more }
  }

  #statementId(): string {
    return this.habits.reusesIds ? 'AUSZUG' : `S-${this.#files}-${this.#random.integerBelow(1_000_000)}`
  }

  /** Adds a file that contains nothing new about the account. */
  #extra(): void {
    this.#extras += 1
    const { sheets, text } = this.#random.pick(this.#sent)
    const [message, id] = [`M-${this.#files}`, `R-${this.#files}`]
    // An unreadable entry has nothing by which it could be recognized in a statement with a different id.
    const isReadable = !sheets.some(({ entries }) => entries.some(({ isUnreadable }) => isUnreadable))
    const renamed = isReadable ? sheets.map((sheet) => ({ ...sheet, id })) : sheets
    this.#random.pick([
      () => this.#put(text),
      () => this.#put(this.#fileOf(sheets, message)),
      () => this.#put(this.#fileOf(renamed, message)),
      () => this.#put(this.#fileOf(renamed, message)),
      () => this.#put(this.#fileOf([this.#ofAnother('STATEMENT')], message)),
      () => this.#put(this.#fileOf([this.#ofAnother('ADVICE')], message)),
      () => this.#put(this.#statuses.at(-1) ?? text),
      () => this.#putRefusedFile('No statement today'),
      () => this.#putRefusedFile(text.slice(0, -30)),
    ])()
  }

  /** A statement or an advice about another account or currency that states our references. */
  #ofAnother(kind: Sheet['kind']): Sheet {
    const account = this.#random.pick([
      { iban: OTHER_IBAN, currency: 'EUR' },
      { iban: OWN_IBAN, currency: 'CHF' },
    ])
    this.waits.others.add(`${account.iban} ${account.currency}`)
    const cents = 7_700n + BigInt(this.#random.integerBelow(5))
    const detail = { amount: cents, text: `for ${this.#random.pick([...this.#references])}` }
    const entry: Entry = { cents, code: ['PMNT', 'RCDT', 'ESCT'], details: [detail] }
    const day = { kind, date: '2026-01-09', entries: [entry], ...account }
    return this.#sheet(kind === 'ADVICE' ? day : { ...day, opening: 0n, closing: cents })
  }

  #putRefusedFile(text: string): void {
    this.waits.refused += 1
    this.#put(`${text}\n${this.#files}`)
  }

  /** Writes a statement or an advice to the inbox, and keeps it for repeats. Returns the file name. */
  #putSheets(sheets: readonly Sheet[]): string {
    const isShared = sheets[0]?.kind === 'STATEMENT' && this.#references.size > 0 && this.#random.chance(0.1)
    const all = isShared ? [this.#ofAnother('STATEMENT'), ...sheets] : sheets
    const text = this.#fileOf(all, `M-${this.#files}`)
    this.#sent.push({ sheets, text })
    return this.#put(text)
  }

  /** Writes a status report to the inbox, and keeps it for repeats. */
  #putStatus(text: string): string {
    this.#statuses.push(text)
    return this.#put(text)
  }

  #fileOf(sheets: readonly Sheet[], name: string): string {
    if (sheets[0]?.kind !== 'STATEMENT' || this.#format === 'CAMT') return camtFile(sheets, name)
    return this.#format === 'BAI2' ? formatBai2File(sheets, name) : formatMt940File(sheets, name)
  }

  get #nowMs(): number {
    return this.#machine.nowMs + this.#machine.clock.offsetMs
  }

  /** The shapes of entries that the bank's format allows. */
  get #shapes(): Shapes {
    return { random: this.#random, isPlain: this.#format !== 'CAMT' }
  }

  #put(text: string): string {
    this.#files += 1
    const name = `${String(this.#files).padStart(4, '0')}.xml`
    const inbox = join(this.#folder, 'inbox')
    fs.writeFileSync(join(inbox, `.${name}.part`), text)
    fs.renameSync(join(inbox, `.${name}.part`), join(inbox, name))
    return name
  }

  #isInInbox(name: string): boolean {
    return name !== '' && fs.existsSync(join(this.#folder, 'inbox', name))
  }
}
