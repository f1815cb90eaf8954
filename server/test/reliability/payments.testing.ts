import { toJson } from '../../src/base/json/json.ts'
import { newBankAccount, newCustomer, type Reply } from '../worlds/client.testing.ts'
import { accountOf, newEuroAccount, numberIn, numberOf } from '../worlds/production/production.testing.ts'
import type { Random } from './faults.testing.ts'
import type { RailWorld } from './rails.testing.ts'

const FUNDS = 5_000_000
const AMOUNT_MIN = 100
const AMOUNT_MAX = 60_000
const AWAY_MS = 20

/**
 * The bank's behavior for an external account, by its last digits; 105 stays accepted until a person moves
 * it.
 */
const SUFFIXES = ['101', '102', '103', '104', '105', '106', '107'] as const

type Currency = 'EUR' | 'USD'
const OTHER = { EUR: 'USD', USD: 'EUR' } as const satisfies Record<Currency, Currency>

interface Account {
  readonly id: string
  readonly customerId: string
  readonly currency: Currency
  /** The number that others pay in to. */
  readonly number: string
  /** External accounts of its customer, by currency. */
  readonly elsewhere: Readonly<Record<Currency, readonly string[]>>
}

/** Refusals that a valid request may get, because others were faster. */
const REFUSALS: ReadonlySet<string> = new Set([
  'INSUFFICIENT_BALANCE',
  'QUOTE_EXPIRED',
  'INVALID_STATE_TRANSITION',
  'QUOTE_ALREADY_EXECUTED',
])

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * A platform's backend with customers, and external payers: both retry calls until they get a response. Money
 * goes out, comes in, is pulled and converted, and much of it fails or is returned.
 */
export class Payments {
  readonly #world: RailWorld
  readonly accounts: readonly Account[]
  /** Transactions that were acknowledged. */
  readonly acknowledged = new Set<string>()
  /** The numbers that all payers of a currency pay in to. */
  readonly #pools = new Map<Currency, string>()
  /** The number of payments made, and its limit. */
  made = 0
  allowed = 0
  #asked = 0
  /** True once the test has failed: no call is retried any more. */
  isGivenUp = false

  static async open(world: RailWorld, customers: number, random: Random): Promise<Payments> {
    const accounts = await Promise.all(
      Array.from({ length: customers }, () => openAccounts(world, random.fork())),
    )
    const payments = new Payments(world, accounts.flat())
    for (const { number } of payments.accounts)
      await payments.#deposit({ account: number, amount: String(FUNDS) })
    return payments
  }

  private constructor(world: RailWorld, accounts: readonly Account[]) {
    this.#world = world
    this.accounts = accounts
  }

  /** `clients` clients make payments, up to the limit, until there are `total`. */
  async work(clients: number, total: number, random: Random): Promise<void> {
    const client = async (own: Random) => {
      while (this.made < total && !this.isGivenUp) {
        if (this.made >= this.allowed) {
          await pause(AWAY_MS)
          continue
        }
        this.made += 1
        await this.#payment(own)
      }
    }
    await Promise.all(Array.from({ length: clients }, () => client(random.fork())))
  }

  /** A person decides about deposits in suspense: assigns them or sends them back. */
  async decide(random: Random): Promise<void> {
    const { body } = await this.#answerTo('GET', '/deposits?status=SUSPENSE&limit=20')
    for (const { id, reason, amount } of body.data) {
      if (random.chance(0.3)) continue
      const own = this.accounts.filter(({ currency }) => currency === amount.currency.code)
      if (random.chance(0.5) || reason === 'RETURN_FAILED')
        await this.ask(`/deposits/${id}/assign`, { accountId: random.pick(own).id })
      else await this.ask(`/deposits/${id}/return`, {})
    }
  }

  /** Sends a request under its own key, sometimes twice in parallel, until it gets a response. */
  async ask(path: string, body: unknown): Promise<Reply> {
    const headers = { 'Idempotency-Key': `drill ${this.#asked++}` }
    const ask = () => this.#answerTo('POST', path, body, headers)
    const [reply, again] = await Promise.all(this.#asked % 10 === 0 ? [ask(), ask()] : [ask()])
    const { status, body: said } = reply!
    if (again && (again.status !== status || toJson(again.body) !== toJson(said)))
      throw new Error(`${path} was answered twice: ${toJson(said)} and ${toJson(again.body)}`)
    if (status >= 300 && !REFUSALS.has(said.code))
      throw new Error(`POST ${path} ${toJson(body)} → ${toJson(said)}`)
    if (status === 201) this.acknowledged.add(said.transactionId ?? said.id)
    return reply!
  }

  async #payment(random: Random): Promise<void> {
    const account = random.pick(this.accounts)
    await random.pick([
      () => this.#transferOut(account, random),
      () => this.#transferOut(account, random),
      () => this.#transferOut(account, random),
      () => this.#quote(account.id, random.pick(account.elsewhere[OTHER[account.currency]]), random),
      () => this.#quote(account.id, random.pick(account.elsewhere[OTHER[account.currency]]), random),
      () => this.#quote(account.id, random.pick(account.elsewhere[account.currency]), random),
      () => this.#transferIn(account, random),
      () => this.#quote(random.pick(account.elsewhere[OTHER[account.currency]]), account.id, random),
      () => this.#quote(random.pick(account.elsewhere.EUR), random.pick(account.elsewhere.USD), random),
      () => this.#depositTo(account, random),
      () => this.#depositTo(account, random),
      () => this.#payIn(account, random),
      () => this.#payIn(account, random),
    ])()
  }

  #transferOut({ id, currency, elsewhere }: Account, random: Random): Promise<Reply> {
    const destination = { accountId: random.pick(elsewhere[currency]) }
    return this.ask('/transfer-out', { source: { accountId: id }, destination, amount: amountOf(random) })
  }

  #transferIn({ id, currency, elsewhere }: Account, random: Random): Promise<Reply> {
    const source = { accountId: random.pick(elsewhere[currency]) }
    return this.ask('/transfer-in', { source, destination: { accountId: id }, amount: amountOf(random) })
  }

  #quote(from: string, to: string, random: Random): Promise<Reply> {
    return this.ask('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: from },
      destination: { destinationType: 'ACCOUNT', accountId: to },
      lockedCurrencySide: random.pick(['SENDING', 'RECEIVING']),
      lockedCurrencyAmount: amountOf(random),
      immediatelyExecute: true,
    })
  }

  /** Money for an account, or without a known payee; some of it is taken back immediately or later. */
  async #depositTo(account: Account, random: Random): Promise<void> {
    const pool = random.chance(0.2) ? this.#pools.get(account.currency) : undefined
    const deposit = await this.#deposit({
      account: pool ?? account.number,
      amount: String(amountOf(random)),
      ...(random.chance(0.1) ? { currency: OTHER[account.currency] } : {}),
    })
    if (!random.chance(0.15)) return
    await pause(random.below(1500))
    await this.#atBank(`/deposits/${encodeURIComponent(deposit.depositId)}/reverse`, {})
  }

  /** A quote that waits for its money: the right amount or another, once or twice. */
  async #payIn({ id, customerId, currency, elsewhere }: Account, random: Random): Promise<void> {
    const sending = random.pick(['EUR', 'USD'] as const)
    const destination = random.chance(0.5)
      ? { destinationType: 'ACCOUNT', accountId: id, currency }
      : { destinationType: 'ACCOUNT', accountId: random.pick(elsewhere[currency]), currency }
    const { body } = await this.ask('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: sending, customerId },
      destination,
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amountOf(random),
    })
    const { accountOrWalletInfo } = body.paymentInstructions[0]
    const pool = numberIn(accountOrWalletInfo)
    this.#pools.set(sending, pool)
    const remittanceInformation = `Invoice ${accountOrWalletInfo.reference}`
    const amount = String(random.chance(0.15) ? amountOf(random) : body.totalSendingAmount)
    const deposit = await this.#deposit({ account: pool, amount, remittanceInformation })
    if (random.chance(0.1)) await this.#deposit({ account: pool, amount, remittanceInformation })
    if (random.chance(0.1))
      await this.#atBank(`/deposits/${encodeURIComponent(deposit.depositId)}/reverse`, {})
  }

  /** An external payment in: exactly once, however often the bank's control API has to be called. */
  async #deposit(body: {
    readonly account: string
    readonly amount: string
    readonly [more: string]: string
  }) {
    const { status, body: said } = await this.#atBank('/deposits', {
      depositId: `drill-${this.#asked++}`,
      ...body,
    })
    if (status !== 200) throw new Error(toJson(said))
    return said as { readonly depositId: string }
  }

  async #atBank(path: string, body: object): Promise<Reply> {
    while (!this.isGivenUp) {
      try {
        const reply = await this.#world.callBank('POST', path, body)
        if (reply.status < 500) return reply
      } catch {
        // The bank is down.
      }
      await pause(AWAY_MS)
    }
    throw new Error('Given up')
  }

  async #answerTo(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    while (!this.isGivenUp) {
      try {
        const reply = await this.#world.client().send(method, path, body, headers)
        if (reply.status < 500) return reply
      } catch {
        // The server is down.
      }
      await pause(AWAY_MS)
    }
    throw new Error('Given up')
  }
}

function amountOf(random: Random): number {
  return AMOUNT_MIN + random.below(AMOUNT_MAX)
}

/** A customer with an account in each currency, and accounts elsewhere. */
async function openAccounts(world: RailWorld, random: Random): Promise<Account[]> {
  const client = world.client()
  const customer = await newCustomer(client, { currencies: ['EUR', 'USD'] })
  const first = random.below(SUFFIXES.length)
  const suffixes = ['000', ...[0, 2, 4].map((n) => SUFFIXES[(first + n) % SUFFIXES.length]!)]
  const elsewhere = {
    EUR: await Promise.all(suffixes.map((suffix) => newEuroAccount(client, customer.id, suffix))),
    USD: await Promise.all(suffixes.map((suffix) => newBankAccount(client, customer.id, suffix))),
  }
  return Promise.all(
    (['EUR', 'USD'] as const).map(async (currency) => {
      const account = await accountOf(client, customer.id, currency)
      return { id: account.id, customerId: customer.id, currency, number: numberOf(account), elsewhere }
    }),
  )
}
