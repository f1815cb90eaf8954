import fs from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import type { Random } from '../../machine/random.ts'
import type { Deposit, Order } from '../connector.ts'
import type { FileBankBehavior } from './behavior.ts'
import { Books, type Part } from './books.ts'
import {
  bookPayments,
  buildStrangerEntry,
  type PaidIn,
  type Shapes,
  toIncomingEntry,
  toReturnEntry,
} from './entries.ts'
import { ExpectedReports } from './expected-reports.ts'
import { type FileFormat, formatAccountFile } from './format-account-file.ts'
import {
  buildIban,
  type Entry,
  formatStatusFile,
  type PaymentFile,
  readPayments,
  type Sheet,
} from './messages.ts'
import { type FileOrder, isRejectedBy, Orders } from './orders.ts'
import { buildRailEntry, FOLDERS, OWN_IBAN } from './rail-entry.ts'

const OTHER_IBAN = 'DE02120300000000202051'
const PAUSE_MS_MAX = 2_500
/** Each step of the bank adds up to this much time, so its day is short. */
const STEP_MS_MAX = 20_000
const STRANGERS_MAX = 4
const EXTRAS_MAX = 6
/** Higher than any requested payment, so that two payments of the same amount cannot be confused. */
const STRANGER_CENTS = 90_000n
const FIRST_PAGE = { number: 1, isLast: false }
const LAST_PAGE = { number: 2, isLast: true }

/** A file about our account that was written to the inbox. */
interface SentFile {
  readonly sheets: readonly Sheet[]
  readonly text: string
}

/**
 * A bank behind a folder. It reads the servers' files, books their payments, and reports its account in
 * files, with the quirks of real banks. It is not a program of the simulation, so it is never killed.
 */
export class FileBank {
  readonly books: Books
  readonly expectedReports = new ExpectedReports()
  readonly behavior: FileBankBehavior
  /** The format of the bank's statements. Advices are always camt.054. */
  readonly #format: FileFormat
  readonly #machine: Machine
  readonly #random: Random
  readonly #folder: string
  readonly #needsPayers: boolean
  readonly #orders: Orders
  readonly #payIns: { readonly depositId: string; readonly iban: string }[] = []
  readonly #references = new Set<string>()
  /** Parts of days that are on no statement yet. */
  #parts: Part[] = []
  /** The balances between which each day has been reported. */
  readonly #reported = new Map<string, { readonly opening: bigint; readonly closing: bigint }>()
  /** The status file that must be read before the statement with the entry. */
  readonly #requiredStatuses = new Map<Entry, string>()
  #pendingFiles: (() => void)[] = []
  readonly #sent: SentFile[] = []
  readonly #statuses: string[] = []
  #lastPart = ''
  #files = 0
  #strangers = 0
  #paidIn = 0
  #extras = 0
  #hasEnded = false

  constructor(machine: Machine, folder: string, behavior: FileBankBehavior, needsPayers: boolean) {
    this.#machine = machine
    this.#random = machine.random.fork()
    this.#orders = new Orders(this.#random)
    this.#folder = join(folder, 'bank')
    this.#needsPayers = needsPayers
    this.behavior = behavior
    // BAI2 does not identify the payer.
    this.#format = this.#random.pick(needsPayers ? ['CAMT', 'MT940'] : ['CAMT', 'BAI2', 'MT940'])
    this.books = new Books(this.#random, this.#format !== 'BAI2')
  }

  /** False for BAI2, which does not distinguish a collection from other incoming money. */
  get canCollect(): boolean {
    return this.#format !== 'BAI2'
  }

  /** The rail's entry in the rails file. */
  get entry(): object {
    return buildRailEntry(this.#folder, this.#format, this.behavior, this.canCollect)
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
    // No payment is made before the first deposits have arrived, so the first deposit must not have to wait
    // for manual review.
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

  /** True once the bank has collected money. Collections are credited only on a later day. */
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

  /** Returns the bank's remaining work, or undefined if it is finished. */
  findOpenWork(): string | undefined {
    const returns = this.#orders.unreturned.length
    const remaining = { parts: this.#parts.length, pendingFiles: this.#pendingFiles.length, returns }
    const inbox = fs.readdirSync(join(this.#folder, 'inbox'))
    const isOpen =
      this.books.hasEntries || Object.values(remaining).some((count) => count > 0) || inbox.length > 0
    return isOpen ? `The bank has ${JSON.stringify({ ...remaining, inbox })}` : undefined
  }

  readonly #step = (): void => {
    if (this.#hasEnded) return
    try {
      this.#collectFiles()
      this.#runDay()
    } catch (error) {
      this.#machine.fail(error)
    }
    this.#machine.clock.offsetMs += this.#random.integerBelow(STEP_MS_MAX)
    this.#machine.runAfter(this.#machine.randomDuration(PAUSE_MS_MAX), this.#step)
  }

  #runDay(): void {
    const random = this.#random
    if (this.#references.size > 0 && this.#strangers < STRANGERS_MAX && random.chance(0.15))
      this.#receiveFromStranger()
    for (const order of this.#orders.unreturned)
      if (order.returnsAtMs <= this.#nowMs && random.chance(0.5)) this.#returnPayment(order)
    if (this.books.hasEntries && random.chance(0.6))
      this.#parts.push(...this.books.cutParts(this.#createStatementId()))
    if (random.chance(0.3)) this.books.closeDay()
    this.#pendingFiles = this.#pendingFiles.filter((writeFile) =>
      random.chance(0.4) ? void writeFile() : true,
    )
    this.#reportPart()
    if (this.#sent.length > 0 && this.#extras < EXTRAS_MAX && random.chance(this.behavior.extras))
      this.#addExtraFile()
  }

  #addPayment(cents: bigint): PaidIn {
    this.#paidIn += 1
    const debtor = { name: 'Grace Hopper', iban: buildIban(String(9_000_000_000 + this.#paidIn * 1_000)) }
    return { cents, name: `P-${this.#paidIn}`, debtor }
  }

  #receiveFromStranger(): void {
    this.#strangers += 1
    const cents = STRANGER_CENTS + BigInt(this.#strangers)
    const entry = buildStrangerEntry(this.#shapes, this.#addPayment(cents), [...this.#references])
    if (entry.isUnreadable) this.expectedReports.unread.push(entry.cents)
    this.#receive(entry)
    if (entry.servicerReference === undefined && !entry.isUnreadable && this.#random.chance(0.3))
      this.#receive(entry)
  }

  #receive(entry: Entry): void {
    this.books.bookDeposit(entry)
    if (this.#scheduleAdvice(entry) && this.behavior.depositsFrom === 'ADVICES')
      this.expectedReports.recordAdvice(entry)
  }

  /**
   * Schedules a report of a single entry, before or after its statement. Returns false if the entry is not
   * reported individually.
   */
  #scheduleAdvice(entry: Entry): boolean {
    if (entry.isUnreadable || !this.#random.chance(this.behavior.advices)) return false
    const { date } = this.books
    // MT940 has no statements without balances.
    const canOmitBalances = this.behavior.depositsFrom === 'STATEMENTS' && this.#format !== 'MT940'
    const omitsBalances = canOmitBalances && this.#random.chance(0.3)
    const kind = omitsBalances ? 'STATEMENT' : 'ADVICE'
    const sheet = this.#buildSheet({ kind, date, entries: [entry] })
    this.#pendingFiles.push(() => this.#writeSheets([sheet]))
    return true
  }

  #collectFiles(): void {
    const outbox = join(this.#folder, 'outbox')
    for (const name of fs.readdirSync(outbox).sort()) {
      if (name.startsWith('.') || this.#random.chance(0.3)) continue
      const file = readPayments(fs.readFileSync(join(outbox, name), 'utf8'))
      fs.rmSync(join(outbox, name))
      this.#orders.take(file, this.#nowMs)
      this.#processPayments(file)
    }
  }

  #processPayments({ messageId, kind, payments }: PaymentFile): void {
    const random = this.#random
    const rejected = payments.filter(isRejectedBy)
    const accepted = payments.filter((payment) => !rejected.includes(payment))
    const { style, entries } = bookPayments(this.#shapes, messageId, accepted)
    const isReported = rejected.length > 0 || random.chance(0.5)
    const isFileRejected = accepted.length === 0 && random.chance(0.5)
    const status = {
      ...{ messageId, kind },
      fileStatus: isFileRejected
        ? 'RJCT'
        : rejected.length > 0
          ? 'PART'
          : random.pick(['ACCP', 'ACSP', 'ACSC']),
      payments: isFileRejected
        ? []
        : [
            ...rejected.map((payment) => ({ ...payment, status: 'RJCT', reason: 'AC01' })),
            ...accepted.map((payment) => ({ ...payment, status: random.pick(['ACSP', 'ACSC']) })),
          ],
    }
    const writeFile = () => this.#writeStatus(formatStatusFile(status, `STS-${this.#files}`))
    // The server must know which payments a sum contains before it can match the sum.
    const isNeeded = style === 'sum' && rejected.length > 0
    if (isNeeded) for (const entry of entries) this.#requiredStatuses.set(entry, writeFile())
    else if (isReported) this.#pendingFiles.push(writeFile)
    for (const entry of entries) {
      this.books.bookEntry(entry)
      if (style === 'single') this.#scheduleAdvice(entry)
    }
  }

  #returnPayment(order: FileOrder): void {
    order.status = 'RETURNED'
    const entry = toReturnEntry(this.#shapes, order)
    this.books.bookEntry(entry)
    this.#scheduleAdvice(entry)
  }

  /** Reports the next part of a day. The parts of each day are reported in order, the days in any order. */
  #reportPart(): void {
    if (this.#isInInbox(this.#lastPart)) return
    const candidates = this.#parts.filter((part) => this.#canReport(part))
    if (candidates.length === 0) return
    const part = this.#random.pick(candidates)
    this.#parts = this.#parts.filter((other) => other !== part)
    const before = this.#reported.get(part.date) ?? part
    this.#reported.set(part.date, {
      opening: part.closing === before.opening ? part.opening : before.opening,
      closing: part.opening === before.closing ? part.closing : before.closing,
    })
    this.expectedReports.recordStatement(part.entries)
    this.#lastPart = this.#writeSheets(this.#buildSheets(part))
  }

  #canReport({ date, opening, closing, entries }: Part): boolean {
    const reported = this.#reported.get(date)
    const isNext = !reported || reported.closing === opening || reported.opening === closing
    return isNext && entries.every((entry) => !this.#isInInbox(this.#requiredStatuses.get(entry) ?? ''))
  }

  #buildSheets({ date, opening, closing, entries, page }: Part): Sheet[] {
    if (page) {
      // Pages in MT940 have intermediate balances.
      const balance =
        this.#format === 'MT940' ? { opening, closing } : page.isLast ? { closing } : { opening }
      return [this.#buildSheet({ date, ...balance, entries, page, id: page.id })]
    }
    const id = this.#createStatementId()
    if (entries.length < 2 || this.#format === 'BAI2' || !this.#random.chance(0.2))
      return [this.#buildSheet({ id, date, opening, closing, entries })]
    const middle = 1 + this.#random.integerBelow(entries.length - 1)
    const [first, last] = [entries.slice(0, middle), entries.slice(middle)]
    const middleBalance = first.reduce((sum, { cents }) => sum + cents, opening)
    const [firstBalance, lastBalance] =
      this.#format === 'MT940' ? [{ closing: middleBalance }, { opening: middleBalance }] : [{}, {}]
    return [
      this.#buildSheet({ id, date, opening, ...firstBalance, entries: first, page: FIRST_PAGE }),
      this.#buildSheet({ id, date, ...lastBalance, closing, entries: last, page: LAST_PAGE }),
    ]
  }

  #buildSheet(fields: Pick<Sheet, 'date' | 'entries'> & Partial<Sheet>): Sheet {
    return { kind: 'STATEMENT', id: this.#createStatementId(), iban: OWN_IBAN, currency: 'EUR', ...fields }
  }

  #createStatementId(): string {
    return this.behavior.reusesIds ? 'AUSZUG' : `S-${this.#files}-${this.#random.integerBelow(1_000_000)}`
  }

  /** Writes a file that contains nothing new about the account. */
  #addExtraFile(): void {
    this.#extras += 1
    const { sheets, text } = this.#random.pick(this.#sent)
    const [message, id] = [`M-${this.#files}`, `R-${this.#files}`]
    // An unreadable entry could not be recognized in a statement with a different id.
    const isReadable = !sheets.some(({ entries }) => entries.some(({ isUnreadable }) => isUnreadable))
    const renamed = isReadable ? sheets.map((sheet) => ({ ...sheet, id })) : sheets
    this.#random.pick([
      () => this.#writeFile(text),
      () => this.#writeFile(this.#formatFile(sheets, message)),
      () => this.#writeFile(this.#formatFile(renamed, message)),
      () => this.#writeFile(this.#formatFile(renamed, message)),
      () => this.#writeFile(this.#formatFile([this.#buildOtherSheet('STATEMENT')], message)),
      () => this.#writeFile(this.#formatFile([this.#buildOtherSheet('ADVICE')], message)),
      () => this.#writeFile(this.#statuses.at(-1) ?? text),
      () => this.#writeRefusedFile('No statement today'),
      () => this.#writeRefusedFile(text.slice(0, -30)),
    ])()
  }

  /** A statement or advice about another account or currency, which mentions our references. */
  #buildOtherSheet(kind: Sheet['kind']): Sheet {
    const account = this.#random.pick([
      { iban: OTHER_IBAN, currency: 'EUR' },
      { iban: OWN_IBAN, currency: 'CHF' },
    ])
    this.expectedReports.otherAccounts.add(`${account.iban} ${account.currency}`)
    const cents = 7_700n + BigInt(this.#random.integerBelow(5))
    const detail = { amount: cents, text: `for ${this.#random.pick([...this.#references])}` }
    const entry: Entry = { cents, code: ['PMNT', 'RCDT', 'ESCT'], details: [detail] }
    const day = { kind, date: '2026-01-09', entries: [entry], ...account }
    return this.#buildSheet(kind === 'ADVICE' ? day : { ...day, opening: 0n, closing: cents })
  }

  #writeRefusedFile(text: string): void {
    this.expectedReports.refused += 1
    this.#writeFile(`${text}\n${this.#files}`)
  }

  /** Writes a statement or advice, and remembers it so that it can be sent again. Returns the file name. */
  #writeSheets(sheets: readonly Sheet[]): string {
    const isShared = sheets[0]?.kind === 'STATEMENT' && this.#references.size > 0 && this.#random.chance(0.1)
    const all = isShared ? [this.#buildOtherSheet('STATEMENT'), ...sheets] : sheets
    const text = this.#formatFile(all, `M-${this.#files}`)
    this.#sent.push({ sheets, text })
    return this.#writeFile(text)
  }

  /** Writes a status report, and remembers it so that it can be sent again. Returns the file name. */
  #writeStatus(text: string): string {
    this.#statuses.push(text)
    return this.#writeFile(text)
  }

  #formatFile(sheets: readonly Sheet[], name: string): string {
    return formatAccountFile(this.#format, sheets, name)
  }

  get #nowMs(): number {
    return this.#machine.nowMs + this.#machine.clock.offsetMs
  }

  /** The shapes of entries that the bank's format allows. */
  get #shapes(): Shapes {
    return { random: this.#random, isPlain: this.#format !== 'CAMT' }
  }

  #writeFile(text: string): string {
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
