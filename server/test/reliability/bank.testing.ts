import { expect } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import type { Database } from '../../src/storage/engine/port.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  type Reply,
  signIn,
} from '../worlds/client.testing.ts'
import { expectSettledBooks, expectSoundBalances } from './books.testing.ts'
import { isFull, type Random } from './faults.testing.ts'

const CUSTOMERS = 5
const FUNDS = 1_000_000
/** Fees between two currencies are about 10 cents. */
const QUOTED_AMOUNT_MIN = 50
const AMOUNT_MAX = 60_000

/** Outcomes of payments to external accounts, by suffix; 789 selects none, and the payment arrives. */
const SUFFIXES = ['002', '003', '004', '005', '006', '007'] as const

interface BankAccount {
  readonly id: string
  readonly customerId: string
  readonly currency: 'USD' | 'EUR'
  /** External accounts of its customer and currency. */
  readonly elsewhere: readonly string[]
}

interface Wallet {
  readonly id: string
  readonly customerId: string
  readonly usd: readonly string[]
  stamp(payload: string): string
}

/** A request with its key, and its response once there is one. */
export interface Ask {
  readonly path: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  answer?: { readonly status: number; readonly body: unknown }
}

/** Refusals that a valid request may get, because another one was faster. */
const REFUSALS: ReadonlySet<string> = new Set(['INSUFFICIENT_BALANCE', 'QUOTE_EXPIRED'])

/**
 * Ten accounts of five customers, in two currencies, and clients that move money among them, in and out: by
 * transfers and by quotes, some of which fail. With `survives`, a client without a response, or with a 500,
 * retries with the same key until it knows the result; otherwise such a response fails the test.
 */
export class Bank {
  readonly accounts: readonly BankAccount[]
  readonly wallets: readonly Wallet[]
  readonly platformId: string
  readonly #client: () => Client
  /** True if clients retry after lost responses. */
  readonly survives: boolean
  /** Every request under a key, in the order of the first attempt. */
  readonly asks: Ask[] = []
  /** Transactions that were acknowledged. */
  readonly acknowledged = new Set<string>()
  readonly customers = new Set<string>()
  /** The number of conclusive responses, and of missing ones and 500s. */
  answers = 0
  unknown = 0

  /** `client` returns the server for each attempt. `wallets` is the number of customers with signed-in wallets. */
  static async open(
    client: () => Client,
    random: Random,
    { survives = false, signedIn = 0 } = {},
  ): Promise<Bank> {
    const opener = client()
    const platformId = (await opener.get('/config')).body.id as string
    const accounts: BankAccount[] = []
    const wallets: Wallet[] = []
    for (let n = 0; n < CUSTOMERS; n++) {
      const customer = await newCustomer(opener)
      const [usd, eur] = await Promise.all(
        [newBankAccount, newEuroAccount].map((open) =>
          Promise.all(['789', random.pick(SUFFIXES)].map((suffix) => open(opener, customer.id, suffix))),
        ),
      )
      for (const [id, currency, elsewhere] of [
        [customer.usd, 'USD', usd!],
        [customer.eur, 'EUR', eur!],
      ] as const) {
        await fund(opener, id, FUNDS)
        accounts.push({ id, customerId: customer.id, currency, elsewhere })
      }
      if (n < signedIn) {
        await fund(opener, customer.wallet, 1000 * FUNDS)
        const { stamp } = await signIn(opener, customer.wallet)
        wallets.push({ id: customer.wallet, customerId: customer.id, usd: usd!, stamp })
      }
    }
    return new Bank(client, platformId, accounts, wallets, survives)
  }

  private constructor(
    client: () => Client,
    platformId: string,
    accounts: readonly BankAccount[],
    wallets: readonly Wallet[],
    survives: boolean,
  ) {
    this.#client = client
    this.platformId = platformId
    this.accounts = accounts
    this.wallets = wallets
    for (const { customerId } of accounts) this.customers.add(customerId)
    this.survives = survives
  }

  /** `clients` clients move money until `isOver`. Each completes its last call. */
  async work(clients: number, random: Random, isOver: () => boolean): Promise<void> {
    const client = async (own: Random) => {
      while (!isOver()) await this.#operation(own)
    }
    await Promise.all(Array.from({ length: clients }, () => client(random.fork())))
  }

  async #operation(random: Random): Promise<void> {
    const operations = [
      () => this.#transferOut(random),
      () => this.#transferOut(random),
      () => this.#transferIn(random),
      () => this.#payHere(random),
      () => this.#payHere(random),
      () => this.#payHere(random),
      () => this.#payElsewhere(random),
      () => this.#payInTwoSteps(random),
      () => this.#payIn(random),
      () => this.#payByPull(random),
      ...(this.wallets.length > 0 ? [() => this.#payFromWallet(random), () => this.#newCustomer()] : []),
    ]
    const ask = await random.pick(operations)()
    // A client without a conclusive response retries, immediately or later.
    if (ask && random.chance(0.2)) await this.askAgain(ask)
    if (random.chance(0.05)) await this.askAgain(random.pick(this.asks))
  }

  async #transferOut(random: Random): Promise<Ask> {
    const account = random.pick(this.accounts)
    return this.#ask('/transfer-out', {
      source: { accountId: account.id },
      destination: { accountId: random.pick(account.elsewhere) },
      // Sometimes the whole balance.
      ...(random.chance(0.02) ? {} : { amount: amountOf(random) }),
    })
  }

  async #transferIn(random: Random): Promise<Ask> {
    const account = random.pick(this.accounts)
    return this.#ask('/transfer-in', {
      source: { accountId: random.pick(account.elsewhere) },
      destination: { accountId: account.id },
      amount: amountOf(random),
    })
  }

  async #payHere(random: Random): Promise<Ask> {
    const source = random.pick(this.accounts)
    const destination = random.pick(this.accounts.filter(({ id }) => id !== source.id))
    return this.#quote(random, source.id, destination.id, { immediatelyExecute: true })
  }

  async #payElsewhere(random: Random): Promise<Ask> {
    const { id, elsewhere } = random.pick(this.accounts)
    return this.#quote(random, id, random.pick(elsewhere), { immediatelyExecute: true })
  }

  async #payInTwoSteps(random: Random): Promise<Ask | undefined> {
    const source = random.pick(this.accounts)
    const destination = random.pick(this.accounts.filter(({ id }) => id !== source.id))
    const quote = await this.#quote(random, source.id, destination.id)
    const { id } = quote.answer!.body as { id?: string }
    return random.chance(0.8) && id ? this.#ask(`/quotes/${id}/execute`, undefined) : quote
  }

  async #payIn(random: Random): Promise<Ask | undefined> {
    const { id: accountId, currency, customerId } = random.pick(this.accounts)
    const quote = await this.#ask('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: random.pick(['USD', 'EUR']), customerId },
      destination: { destinationType: 'ACCOUNT', accountId, currency },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: quotedAmountOf(random),
    })
    const { id, sendingCurrency } = quote.answer!.body as { id: string; sendingCurrency: { code: string } }
    return this.#ask('/sandbox/send', {
      quoteId: id,
      currencyCode: sendingCurrency.code,
      // Sometimes a wrong amount.
      ...(random.chance(0.1) ? { currencyAmount: amountOf(random) } : {}),
    })
  }

  /** From an external account to an internal one, or to another external one of the same customer. */
  async #payByPull(random: Random): Promise<Ask> {
    const { customerId, elsewhere } = random.pick(this.accounts)
    const source = random.pick(elsewhere)
    const own = this.accounts.filter((account) => account.customerId === customerId)
    const destinations = [
      ...own.flatMap((account) => account.elsewhere),
      ...this.accounts.map(({ id }) => id),
    ]
    const destination = random.pick(destinations.filter((id) => id !== source))
    return this.#quote(random, source, destination, { immediatelyExecute: true })
  }

  async #payFromWallet(random: Random): Promise<Ask> {
    const wallet = random.pick(this.wallets)
    const quote = await this.#quote(random, wallet.id, random.pick(wallet.usd), {}, 10_000)
    const { id, paymentInstructions } = quote.answer!.body as Reply['body']
    const payload = paymentInstructions[0].accountOrWalletInfo.payloadToSign as string
    return this.#ask(`/quotes/${id}/execute`, undefined, { 'Svc-Wallet-Signature': wallet.stamp(payload) })
  }

  async #newCustomer(): Promise<Ask> {
    const n = this.asks.length
    const body = { customerType: 'INDIVIDUAL', fullName: `Customer ${n}`, email: `bank${n}@example.com` }
    const ask = await this.#ask('/customers', body)
    this.customers.add((ask.answer!.body as { id: string }).id)
    return ask
  }

  #quote(
    random: Random,
    sourceId: string,
    destinationId: string,
    more: object = {},
    factor = 1,
  ): Promise<Ask> {
    return this.#ask('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: sourceId },
      destination: { destinationType: 'ACCOUNT', accountId: destinationId },
      lockedCurrencySide: factor === 1 ? random.pick(['SENDING', 'RECEIVING']) : 'SENDING',
      lockedCurrencyAmount: quotedAmountOf(random) * factor,
      ...more,
    })
  }

  async #ask(path: string, body: unknown, more: Record<string, string> = {}): Promise<Ask> {
    const ask: Ask = { path, body, headers: { 'Idempotency-Key': `bank ${this.asks.length}`, ...more } }
    this.asks.push(ask)
    // Sometimes twice at the same time.
    const twice = this.asks.length % 10 === 0
    await Promise.all(twice ? [this.askAgain(ask), this.askAgain(ask)] : [this.askAgain(ask)])
    return ask
  }

  /** Sends a request, possibly again. The first response is final. */
  async askAgain(ask: Ask): Promise<void> {
    const wasAnswered = ask.answer !== undefined
    const { status, body, headers } = await this.#answerTo(ask)
    if (wasAnswered) expect(headers.get('Idempotency-Replayed'), toJson(ask)).toBe('true')
    const first = ask.answer
    if (first) {
      expect(toJson([status, body]), `${toJson(ask)} was answered otherwise before`).toBe(
        toJson([first.status, first.body]),
      )
      return
    }
    if (status >= 300 && !(status === 400 && REFUSALS.has(body.code)))
      throw new Error(`${toJson(ask)} → ${status} ${toJson(body)}`)
    ask.answer = { status, body }
    if (status === 201 && ask.path !== '/customers') this.acknowledged.add(body.transactionId ?? body.id)
  }

  async #answerTo({ path, body, headers }: Ask): Promise<Reply> {
    for (;;) {
      try {
        const reply = await this.#client().post(path, body, { ...headers })
        if (reply.status < 500 || !this.survives) {
          this.answers += 1
          return reply
        }
      } catch (error) {
        if (!this.survives) throw error
        // The server is down. Waits for a turn of the event loop, so that the clients do not starve
        // everything else.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      this.unknown += 1
    }
  }
}

function amountOf(random: Random): number {
  return 1 + random.below(AMOUNT_MAX)
}

/** Of which fees leave something. */
function quotedAmountOf(random: Random): number {
  return QUOTED_AMOUNT_MIN + amountOf(random)
}

async function newEuroAccount(client: Client, customerId: string, suffix: string): Promise<string> {
  const reply = await client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      // Check digits apply to an account without a magic suffix.
      iban: suffix === '789' ? 'DE89370400440532013000' : `DE89370400440532013${suffix}`,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'GB' },
    },
  })
  if (reply.status !== 201) throw new Error(toJson(reply.body))
  return reply.body.id
}

const READ_MS = 100
const CLOCK_MS = isFull ? 2000 : 400
/** Longer than the slowest payment, its return, and the expiry of a quote. */
const SETTLED_SECONDS = 20 * 60

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Checks all balances repeatedly until the end, and moves the clock, so that slow payments settle. */
export async function watch(
  db: Database,
  bank: Bank,
  client: () => Client,
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  const reader = async () => {
    do {
      await pause(READ_MS)
      await expectSoundBalances(db, bank.platformId)
    } while (!isOver())
  }
  const clock = async () => {
    while (!isOver()) {
      await pause(CLOCK_MS)
      await advance(client, 1 + random.below(120), bank.survives)
    }
  }
  await Promise.all([reader(), clock()])
}

/**
 * Waits until nothing is in progress, and checks that the books have exactly the acknowledged transactions.
 */
export async function expectEachOnce(db: Database, bank: Bank, client: Client): Promise<void> {
  await client.advance(SETTLED_SECONDS)
  const transactions = await expectSettledBooks(db, bank.platformId)
  expect([...transactions.keys()].sort()).toEqual([...bank.acknowledged].sort())
}

/** Calls without a key, because a call after a lost response may simply move the clock again. */
async function advance(client: () => Client, seconds: number, survives: boolean): Promise<void> {
  try {
    const { status, body } = await client().post('/sandbox/clock/advance', { seconds })
    if (status !== 200 && !survives) throw new Error(toJson(body))
  } catch (error) {
    if (!survives) throw error
  }
}
