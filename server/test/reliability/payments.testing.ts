import { setTimeout as pause } from 'node:timers/promises'
import { toJson } from '../../src/base/json/json.ts'
import { newBankAccount, newCustomer, type Reply } from '../worlds/client.testing.ts'
import { accountOf, numberIn, numberOf } from '../worlds/production/production.testing.ts'
import { newEuroAccount } from '../worlds/records/external-accounts.testing.ts'
import type { Random } from './faults.testing.ts'
import type { RailWorld } from './rails.testing.ts'

const FUNDS = 5_000_000
const AMOUNT_MIN = 100
const AMOUNT_MAX = 60_000
const RETRY_MS = 20

/** The last digits of an account select the bank's behavior. With 105, a payment stays accepted until a person moves it. */
const SUFFIXES = ['101', '102', '103', '104', '105', '106', '107'] as const

type Currency = 'EUR' | 'USD'
const OTHER_CURRENCY = { EUR: 'USD', USD: 'EUR' } as const satisfies Record<Currency, Currency>

interface Account {
  readonly id: string
  readonly customerId: string
  readonly currency: Currency
  /** The account number that others pay to. */
  readonly number: string
  /** The customer's external accounts, by currency. */
  readonly externalIds: Readonly<Record<Currency, readonly string[]>>
}

/** Refusals that a valid request may get, because others were faster. */
const REFUSALS: ReadonlySet<string> = new Set([
  'INSUFFICIENT_BALANCE',
  'QUOTE_EXPIRED',
  'INVALID_STATE_TRANSITION',
  'QUOTE_ALREADY_EXECUTED',
])

/**
 * A platform's backend and external payers, which retry calls until they get a response. Money goes out, comes in,
 * is pulled and converted, and many payments fail or are returned.
 */
export class Payments {
  readonly #world: RailWorld
  readonly accounts: readonly Account[]
  /** Acknowledged transactions. */
  readonly acknowledged = new Set<string>()
  /** The shared account number of each currency. */
  readonly #pools = new Map<Currency, string>()
  /** The number of payments made. */
  made = 0
  /** The limit of `made`. */
  allowed = 0
  #requests = 0
  /** True once the test has failed, so no call is retried. */
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

  /** Lets clients make payments in parallel, up to the limit, until there are `total`. */
  async makePayments(clients: number, total: number, random: Random): Promise<void> {
    const runClient = async (clientRandom: Random) => {
      while (this.made < total && !this.isGivenUp) {
        if (this.made >= this.allowed) {
          await pause(RETRY_MS)
          continue
        }
        this.made += 1
        await this.#makePayment(clientRandom)
      }
    }
    await Promise.all(Array.from({ length: clients }, () => runClient(random.fork())))
  }

  /** Decides about deposits in suspense as a person does: assigns them or sends them back. */
  async decideDeposits(random: Random): Promise<void> {
    const { body } = await this.#callServer('GET', '/deposits?status=SUSPENSE&limit=20')
    for (const { id, reason, amount } of body.data) {
      if (random.chance(0.3)) continue
      const candidates = this.accounts.filter(({ currency }) => currency === amount.currency.code)
      if (random.chance(0.5) || reason === 'RETURN_FAILED')
        await this.post(`/deposits/${id}/assign`, { accountId: random.pick(candidates).id })
      else await this.post(`/deposits/${id}/return`, {})
    }
  }

  /** Sends a request under its own key, sometimes twice in parallel, until it gets a response. */
  async post(path: string, body: unknown): Promise<Reply> {
    const headers = { 'Idempotency-Key': `drill ${this.#requests++}` }
    const send = () => this.#callServer('POST', path, body, headers)
    const [reply, again] = await Promise.all(this.#requests % 10 === 0 ? [send(), send()] : [send()])
    const { status, body: responseBody } = reply!
    if (again && (again.status !== status || toJson(again.body) !== toJson(responseBody)))
      throw new Error(`${path} was answered twice: ${toJson(responseBody)} and ${toJson(again.body)}`)
    if (status >= 300 && !REFUSALS.has(responseBody.code))
      throw new Error(`POST ${path} ${toJson(body)} → ${toJson(responseBody)}`)
    if (status === 201) this.acknowledged.add(responseBody.transactionId ?? responseBody.id)
    return reply!
  }

  async #makePayment(random: Random): Promise<void> {
    const account = random.pick(this.accounts)
    await random.pick([
      () => this.#transferOut(account, random),
      () => this.#transferOut(account, random),
      () => this.#transferOut(account, random),
      () =>
        this.#quote(account.id, random.pick(account.externalIds[OTHER_CURRENCY[account.currency]]), random),
      () =>
        this.#quote(account.id, random.pick(account.externalIds[OTHER_CURRENCY[account.currency]]), random),
      () => this.#quote(account.id, random.pick(account.externalIds[account.currency]), random),
      () => this.#transferIn(account, random),
      () =>
        this.#quote(random.pick(account.externalIds[OTHER_CURRENCY[account.currency]]), account.id, random),
      () => this.#quote(random.pick(account.externalIds.EUR), random.pick(account.externalIds.USD), random),
      () => this.#depositTo(account, random),
      () => this.#depositTo(account, random),
      () => this.#payIn(account, random),
      () => this.#payIn(account, random),
    ])()
  }

  #transferOut({ id, currency, externalIds }: Account, random: Random): Promise<Reply> {
    const destination = { accountId: random.pick(externalIds[currency]) }
    return this.post('/transfer-out', {
      source: { accountId: id },
      destination,
      amount: pickAmount(random),
    })
  }

  #transferIn({ id, currency, externalIds }: Account, random: Random): Promise<Reply> {
    const source = { accountId: random.pick(externalIds[currency]) }
    return this.post('/transfer-in', { source, destination: { accountId: id }, amount: pickAmount(random) })
  }

  #quote(from: string, to: string, random: Random): Promise<Reply> {
    return this.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: from },
      destination: { destinationType: 'ACCOUNT', accountId: to },
      lockedCurrencySide: random.pick(['SENDING', 'RECEIVING']),
      lockedCurrencyAmount: pickAmount(random),
      immediatelyExecute: true,
    })
  }

  /** Deposits money to an account, or without a known payee. Some of it is taken back, immediately or later. */
  async #depositTo(account: Account, random: Random): Promise<void> {
    const pool = random.chance(0.2) ? this.#pools.get(account.currency) : undefined
    const deposit = await this.#deposit({
      account: pool ?? account.number,
      amount: String(pickAmount(random)),
      ...(random.chance(0.1) ? { currency: OTHER_CURRENCY[account.currency] } : {}),
    })
    if (!random.chance(0.15)) return
    await pause(random.below(1500))
    await this.#callBank(`/deposits/${encodeURIComponent(deposit.depositId)}/reverse`, {})
  }

  /** Creates a quote, and pays it in: with the right amount or another, once or twice. */
  async #payIn({ id, customerId, currency, externalIds }: Account, random: Random): Promise<void> {
    const sending = random.pick(['EUR', 'USD'] as const)
    const destination = random.chance(0.5)
      ? { destinationType: 'ACCOUNT', accountId: id, currency }
      : { destinationType: 'ACCOUNT', accountId: random.pick(externalIds[currency]), currency }
    const { body } = await this.post('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: sending, customerId },
      destination,
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: pickAmount(random),
    })
    const { accountOrWalletInfo } = body.paymentInstructions[0]
    const pool = numberIn(accountOrWalletInfo)
    this.#pools.set(sending, pool)
    const remittanceInformation = `Invoice ${accountOrWalletInfo.reference}`
    const amount = String(random.chance(0.15) ? pickAmount(random) : body.totalSendingAmount)
    const deposit = await this.#deposit({ account: pool, amount, remittanceInformation })
    if (random.chance(0.1)) await this.#deposit({ account: pool, amount, remittanceInformation })
    if (random.chance(0.1))
      await this.#callBank(`/deposits/${encodeURIComponent(deposit.depositId)}/reverse`, {})
  }

  /** Makes an incoming payment exactly once, however often the bank's control API has to be called. */
  async #deposit(body: {
    readonly account: string
    readonly amount: string
    readonly [more: string]: string
  }) {
    const { status, body: responseBody } = await this.#callBank('/deposits', {
      depositId: `drill-${this.#requests++}`,
      ...body,
    })
    if (status !== 200) throw new Error(toJson(responseBody))
    return responseBody as { readonly depositId: string }
  }

  async #callBank(path: string, body: object): Promise<Reply> {
    while (!this.isGivenUp) {
      try {
        const reply = await this.#world.callBank('POST', path, body)
        if (reply.status < 500) return reply
      } catch {
        // The bank is down.
      }
      await pause(RETRY_MS)
    }
    throw new Error('Given up')
  }

  async #callServer(
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
      await pause(RETRY_MS)
    }
    throw new Error('Given up')
  }
}

function pickAmount(random: Random): number {
  return AMOUNT_MIN + random.below(AMOUNT_MAX)
}

/** Creates a customer with an account in each currency, and external accounts. */
async function openAccounts(world: RailWorld, random: Random): Promise<Account[]> {
  const client = world.client()
  const customer = await newCustomer(client, { currencies: ['EUR', 'USD'] })
  const first = random.below(SUFFIXES.length)
  const suffixes = ['000', ...[0, 2, 4].map((n) => SUFFIXES[(first + n) % SUFFIXES.length]!)]
  const externalIds = {
    EUR: await Promise.all(suffixes.map((suffix) => newEuroAccount(client, customer.id, suffix))),
    USD: await Promise.all(suffixes.map((suffix) => newBankAccount(client, customer.id, suffix))),
  }
  return Promise.all(
    (['EUR', 'USD'] as const).map(async (currency) => {
      const account = await accountOf(client, customer.id, currency)
      return { id: account.id, customerId: customer.id, currency, number: numberOf(account), externalIds }
    }),
  )
}
