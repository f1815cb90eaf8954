import { randomUUID } from 'node:crypto'
import { pause } from '../cluster/program.mjs'

const PAYERS = 8
const FUNDS = 100_000_000n
const CALL_TIMEOUT_MS = 5000
const RETRY_MS = 100
/** Statuses to retry: the database is failing over, or the first attempt is still in progress. */
const RETRIED_STATUSES = new Set([409, 429, 500, 502, 503, 504])
/** The feed position before a platform's first event. */
const BEFORE_ALL = 'Event:00000000-0000-0000-0000-000000000000'

/** Payers that make one transfer after another, and retry each with its idempotency key until it succeeds. */
export class Load {
  /** The time of every acknowledgement, in order. @type {number[]} */
  successes = []
  /** The acknowledged transaction, by idempotency key. @type {Map<string, string>} */
  acknowledged = new Map()
  /** Responses that are never valid. @type {string[]} */
  wrong = []
  /** The number of failed attempts, by status or error. @type {Map<string, number>} */
  failures = new Map()
  /** @type {Map<string, string>} */
  #bodies = new Map()
  #isOver = false
  /** @type {Promise<unknown>} */
  #work = Promise.resolve()

  /** @param {import('@countersign/sdk').Countersign} countersign @param {{ base: string, authorization: string }} address */
  constructor(countersign, address) {
    this.countersign = countersign
    this.address = address
  }

  /** Failed attempts and invalid responses, for the report. */
  get summary() {
    return [...[...this.failures].map(([outcome, count]) => `${outcome}: ${count}`), ...this.wrong].join(', ')
  }

  /** Creates the payers and starts the load. */
  async start() {
    this.payers = await Promise.all(Array.from({ length: PAYERS }, (_, n) => makePayer(this.countersign, n)))
    this.#work = Promise.all(this.payers.map((payer) => this.#pay(payer)))
    return this
  }

  /** Resolves once every transfer that was started has been acknowledged. */
  async stop() {
    this.#isOver = true
    await this.#work
  }

  /** The first acknowledgement after a point in time. @param {number} ms */
  firstAfter(ms) {
    return this.successes.find((time) => time > ms)
  }

  /** The longest time without an acknowledgement in a period. @param {number} from @param {number} to */
  longestGap(from, to) {
    const before = this.successes.filter((time) => time <= from).at(-1) ?? from
    const inside = this.successes.filter((time) => time > from && time <= to)
    const times = [before, ...inside, ...(inside.length > 0 ? [] : [to])]
    return Math.max(...times.slice(1).map((time, n) => time - /** @type {number} */ (times[n])))
  }

  /** @param {{ accountId: string, bankAccountId: string }} payer */
  async #pay({ accountId, bankAccountId }) {
    const body = JSON.stringify({
      source: { accountId },
      destination: { accountId: bankAccountId },
      amount: 1,
    })
    while (!this.#isOver && this.wrong.length === 0) {
      const key = randomUUID()
      this.#bodies.set(key, body)
      while (!(await this.#transfer(key, body)) && this.wrong.length === 0) await pause(RETRY_MS)
    }
  }

  /**
   * Makes one attempt.
   * @param {string} key @param {string} body @returns {Promise<boolean>} true if it was acknowledged
   */
  async #transfer(key, body) {
    try {
      const response = await fetch(`${this.address.base}/transfer-out`, {
        method: 'POST',
        headers: {
          ...{ Authorization: this.address.authorization, 'Content-Type': 'application/json' },
          'Idempotency-Key': key,
        },
        body,
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      })
      const text = await response.text()
      if (response.ok) {
        this.acknowledged.set(key, JSON.parse(text).id)
        this.successes.push(performance.now())
        return true
      }
      this.#count(String(response.status))
      if (!RETRIED_STATUSES.has(response.status)) this.wrong.push(`${response.status} ${text}`)
    } catch (error) {
      const { name, cause } = /** @type {Error & { cause?: { code?: string } }} */ (error)
      this.#count(cause?.code ?? name)
    }
    return false
  }

  /** @param {string} outcome */
  #count(outcome) {
    this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1)
  }

  /**
   * Repeats the call of each idempotency key; the response must contain the same transaction.
   * @param {readonly string[]} keys
   */
  async repeat(keys) {
    for (const key of keys) {
      const first = this.acknowledged.get(key)
      await this.#transfer(key, /** @type {string} */ (this.#bodies.get(key)))
      if (this.acknowledged.get(key) !== first) this.wrong.push(`The key ${key} gave two transactions.`)
    }
  }
}

/** @param {import('@countersign/sdk').Countersign} countersign @param {number} n */
async function makePayer(countersign, n) {
  const customer = await countersign.customers.create({
    ...{
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
      email: `drill-${n}@example.com`,
      currencies: ['USD'],
    },
  })
  const { data } = await countersign.internalAccounts.list({ customerId: customer.id })
  const account = data.find(
    ({ type, balance }) => type === 'INTERNAL_FIAT' && balance.currency.code === 'USD',
  )
  if (!account)
    throw new Error(`The customer has no account for money: ${data.map(({ type }) => type).join(', ')}`)
  await countersign.sandbox.fund(account.id, { amount: FUNDS })
  const bank = await countersign.externalAccounts.create({
    customerId: customer.id,
    currency: 'USD',
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '000123456789', routingNumber: '021000021' },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  return { accountId: account.id, bankAccountId: bank.id }
}

/** Reads the event feed continuously, like a platform's backend. */
export class Follower {
  /** @type {string[]} */
  seen = []
  #stop = new AbortController()

  /** @param {import('@countersign/sdk').Countersign} countersign */
  constructor(countersign, after = BEFORE_ALL) {
    this.ended = this.#follow(countersign, after)
    this.ended.catch(() => {})
  }

  /** @param {import('@countersign/sdk').Countersign} countersign @param {string} after */
  async #follow(countersign, after) {
    for await (const { id } of countersign.followEvents({ after, signal: this.#stop.signal }))
      this.seen.push(id)
  }

  async stop() {
    this.#stop.abort()
    await this.ended
  }
}
