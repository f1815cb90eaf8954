import { setTimeout as pause } from 'node:timers/promises'
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
import { newEuroAccount } from '../worlds/records/external-accounts.testing.ts'
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
  /** The customer's external accounts in this currency. */
  readonly externalIds: readonly string[]
}

interface Wallet {
  readonly id: string
  readonly customerId: string
  readonly usd: readonly string[]
  stamp(payload: string): string
}

/** A request with its idempotency key, and its first conclusive response if there is one. */
interface BankRequest {
  readonly path: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  response?: { readonly status: number; readonly body: unknown }
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
  readonly requests: BankRequest[] = []
  /** Acknowledged transactions. */
  readonly acknowledged = new Set<string>()
  readonly customers = new Set<string>()
  /** The number of conclusive responses. */
  responseCount = 0
  /** The number of missing responses and 500s. */
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
      for (const [id, currency, externalIds] of [
        [customer.usd, 'USD', usd!],
        [customer.eur, 'EUR', eur!],
      ] as const) {
        await fund(opener, id, FUNDS)
        accounts.push({ id, customerId: customer.id, currency, externalIds })
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

  /** Lets clients move money in parallel until `isOver`. Each completes its last call. */
  async moveMoney(clients: number, random: Random, isOver: () => boolean): Promise<void> {
    const runClient = async (clientRandom: Random) => {
      while (!isOver()) await this.#runOperation(clientRandom)
    }
    await Promise.all(Array.from({ length: clients }, () => runClient(random.fork())))
  }

  async #runOperation(random: Random): Promise<void> {
    const operations = [
      () => this.#transferOut(random),
      () => this.#transferOut(random),
      () => this.#transferIn(random),
      () => this.#payInternally(random),
      () => this.#payInternally(random),
      () => this.#payInternally(random),
      () => this.#payExternally(random),
      () => this.#payInTwoSteps(random),
      () => this.#payIn(random),
      () => this.#payByPull(random),
      ...(this.wallets.length > 0 ? [() => this.#payFromWallet(random), () => this.#newCustomer()] : []),
    ]
    const request = await random.pick(operations)()
    // A client without a conclusive response retries, immediately or later.
    if (request && random.chance(0.2)) await this.sendAgain(request)
    if (random.chance(0.05)) await this.sendAgain(random.pick(this.requests))
  }

  async #transferOut(random: Random): Promise<BankRequest> {
    const account = random.pick(this.accounts)
    return this.#send('/transfer-out', {
      source: { accountId: account.id },
      destination: { accountId: random.pick(account.externalIds) },
      // Sometimes the whole balance.
      ...(random.chance(0.02) ? {} : { amount: pickAmount(random) }),
    })
  }

  async #transferIn(random: Random): Promise<BankRequest> {
    const account = random.pick(this.accounts)
    return this.#send('/transfer-in', {
      source: { accountId: random.pick(account.externalIds) },
      destination: { accountId: account.id },
      amount: pickAmount(random),
    })
  }

  async #payInternally(random: Random): Promise<BankRequest> {
    const source = random.pick(this.accounts)
    const destination = random.pick(this.accounts.filter(({ id }) => id !== source.id))
    return this.#quote(random, source.id, destination.id, { immediatelyExecute: true })
  }

  async #payExternally(random: Random): Promise<BankRequest> {
    const { id, externalIds } = random.pick(this.accounts)
    return this.#quote(random, id, random.pick(externalIds), { immediatelyExecute: true })
  }

  async #payInTwoSteps(random: Random): Promise<BankRequest | undefined> {
    const source = random.pick(this.accounts)
    const destination = random.pick(this.accounts.filter(({ id }) => id !== source.id))
    const quote = await this.#quote(random, source.id, destination.id)
    const { id } = quote.response!.body as { id?: string }
    return random.chance(0.8) && id ? this.#send(`/quotes/${id}/execute`, undefined) : quote
  }

  async #payIn(random: Random): Promise<BankRequest | undefined> {
    const { id: accountId, currency, customerId } = random.pick(this.accounts)
    const quote = await this.#send('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: random.pick(['USD', 'EUR']), customerId },
      destination: { destinationType: 'ACCOUNT', accountId, currency },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: pickQuotedAmount(random),
    })
    const { id, sendingCurrency } = quote.response!.body as { id: string; sendingCurrency: { code: string } }
    return this.#send('/sandbox/send', {
      quoteId: id,
      currencyCode: sendingCurrency.code,
      // Sometimes a wrong amount.
      ...(random.chance(0.1) ? { currencyAmount: pickAmount(random) } : {}),
    })
  }

  /** Pays from an external account to an internal one, or to another external account of the same customer. */
  async #payByPull(random: Random): Promise<BankRequest> {
    const { customerId, externalIds } = random.pick(this.accounts)
    const source = random.pick(externalIds)
    const customerAccounts = this.accounts.filter((account) => account.customerId === customerId)
    const destinations = [
      ...customerAccounts.flatMap((account) => account.externalIds),
      ...this.accounts.map(({ id }) => id),
    ]
    const destination = random.pick(destinations.filter((id) => id !== source))
    return this.#quote(random, source, destination, { immediatelyExecute: true })
  }

  async #payFromWallet(random: Random): Promise<BankRequest> {
    const wallet = random.pick(this.wallets)
    const quote = await this.#quote(random, wallet.id, random.pick(wallet.usd), {}, 10_000)
    const { id, paymentInstructions } = quote.response!.body as Reply['body']
    const payload = paymentInstructions[0].accountOrWalletInfo.payloadToSign as string
    return this.#send(`/quotes/${id}/execute`, undefined, { 'Svc-Wallet-Signature': wallet.stamp(payload) })
  }

  async #newCustomer(): Promise<BankRequest> {
    const n = this.requests.length
    const body = { customerType: 'INDIVIDUAL', fullName: `Customer ${n}`, email: `bank${n}@example.com` }
    const request = await this.#send('/customers', body)
    this.customers.add((request.response!.body as { id: string }).id)
    return request
  }

  #quote(
    random: Random,
    sourceId: string,
    destinationId: string,
    more: object = {},
    factor = 1,
  ): Promise<BankRequest> {
    return this.#send('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: sourceId },
      destination: { destinationType: 'ACCOUNT', accountId: destinationId },
      lockedCurrencySide: factor === 1 ? random.pick(['SENDING', 'RECEIVING']) : 'SENDING',
      lockedCurrencyAmount: pickQuotedAmount(random) * factor,
      ...more,
    })
  }

  async #send(path: string, body: unknown, more: Record<string, string> = {}): Promise<BankRequest> {
    const request: BankRequest = {
      path,
      body,
      headers: { 'Idempotency-Key': `bank ${this.requests.length}`, ...more },
    }
    this.requests.push(request)
    // Sends every tenth request twice in parallel.
    const twice = this.requests.length % 10 === 0
    await Promise.all(twice ? [this.sendAgain(request), this.sendAgain(request)] : [this.sendAgain(request)])
    return request
  }

  /** Sends a request, possibly again. The first response is final. */
  async sendAgain(request: BankRequest): Promise<void> {
    const isRepeated = request.response !== undefined
    const { status, body, headers } = await this.#sendUntilConclusive(request)
    if (isRepeated) expect(headers.get('Idempotency-Replayed'), toJson(request)).toBe('true')
    const first = request.response
    if (first) {
      expect(toJson([status, body]), `${toJson(request)} was answered otherwise before`).toBe(
        toJson([first.status, first.body]),
      )
      return
    }
    if (status >= 300 && !(status === 400 && REFUSALS.has(body.code)))
      throw new Error(`${toJson(request)} → ${status} ${toJson(body)}`)
    request.response = { status, body }
    if (status === 201 && request.path !== '/customers') this.acknowledged.add(body.transactionId ?? body.id)
  }

  async #sendUntilConclusive({ path, body, headers }: BankRequest): Promise<Reply> {
    for (;;) {
      try {
        const reply = await this.#client().post(path, body, { ...headers })
        if (reply.status < 500 || !this.survives) {
          this.responseCount += 1
          return reply
        }
      } catch (error) {
        if (!this.survives) throw error
        // The server is down. The pause keeps the retrying clients from starving everything else.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      this.unknown += 1
    }
  }
}

function pickAmount(random: Random): number {
  return 1 + random.below(AMOUNT_MAX)
}

/** Returns an amount that is larger than the fees. */
function pickQuotedAmount(random: Random): number {
  return QUOTED_AMOUNT_MIN + pickAmount(random)
}

const READ_MS = 100
const CLOCK_MS = isFull ? 2000 : 400
/** Longer than the slowest payment, its return and the expiry of a quote take. */
const SETTLED_SECONDS = 20 * 60

/** Checks all balances repeatedly until the end, and moves the clock, so that slow payments settle. */
export async function watchBooks(
  db: Database,
  bank: Bank,
  client: () => Client,
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  const checkRepeatedly = async () => {
    do {
      await pause(READ_MS)
      await expectSoundBalances(db, bank.platformId)
    } while (!isOver())
  }
  const moveClock = async () => {
    while (!isOver()) {
      await pause(CLOCK_MS)
      await advance(client, 1 + random.below(120), bank.survives)
    }
  }
  await Promise.all([checkRepeatedly(), moveClock()])
}

/** Completes everything in progress, and checks that the books have exactly the acknowledged transactions. */
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
