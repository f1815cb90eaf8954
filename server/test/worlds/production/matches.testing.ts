import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { type Reply, until } from '../client.testing.ts'
import { newEuroAccount } from '../records/external-accounts.testing.ts'
import { dateBefore, type ModelBank, type Production } from './production.testing.ts'

/**
 * A platform in production whose customer pays through model banks and whose days are reconciled. All amounts
 * are in EUR.
 */
export class MatchingWorld {
  readonly world: Production
  readonly #source: string
  readonly #destination: string
  #keys = 0
  /** Read once, so that a midnight does not divide a test's bookings between two days. */
  readonly today = dateBefore(0)

  private constructor(world: Production, source: string, destination: string) {
    this.world = world
    this.#source = source
    this.#destination = destination
  }

  static async open(world: Production): Promise<MatchingWorld> {
    const customerId = await world.newApproved()
    const account = await world.accountOf(customerId, 'EUR')
    await world.paidIn(account, '1000000')
    const path = `/customers/internal-accounts?customerId=${customerId}&currency=EUR`
    await until(
      () => world.client.get(path),
      ({ body }) => Number(body.data[0].balance.amount) > 0,
    )
    return new MatchingWorld(world, account.id, await newEuroAccount(world.client, customerId, '000'))
  }

  /** Makes a payment that a bank accepts without reporting its outcome. */
  async gives(bank: ModelBank, amount: number): Promise<Reply['body']> {
    const { status, body } = await this.world.client.post('/transfer-out', {
      source: { accountId: this.#source },
      destination: { accountId: this.#destination },
      amount,
    })
    expect(status, toJson(body)).toBe(201)
    await until(
      async () => bank.given.has(body.id),
      (isGiven) => isGiven,
    )
    return body
  }

  /** Makes a payment that a bank reports as delivered, so that it is in the ledger. */
  async pays(bank: ModelBank, amount: number): Promise<string> {
    const { id } = await this.gives(bank, amount)
    await bank.tell(bank.event('payment.delivered', { id }))
    await until(
      async () => (await this.world.client.get(`/transactions/${id}`)).body.status,
      (status) => status === 'COMPLETED',
    )
    return id
  }

  /** Closes today with these lines, which name no payment. Returns a function that finds a line's id by its amount. */
  async states(bank: ModelBank, lines: readonly (readonly [amount: number, text?: string])[]) {
    for (const [amount, text] of lines)
      bank.book(this.today, { kind: 'OTHER', amount: String(amount), ...(text ? { text } : {}) })
    await this.closes(bank)
    const { differences } = await this.day(bank)
    return (amount: number): string => {
      const line = differences.find(
        (difference: Reply['body']) => isLine(difference) && difference.amount === amount,
      )
      if (!line) throw new Error(`No line of ${amount} among ${toJson(differences)}`)
      return line.about
    }
  }

  /** Closes today. */
  async closes(bank: ModelBank): Promise<void> {
    await bank.tell(bank.event('statement', bank.close(this.today)))
  }

  /** Reconciles today, as the operator does, and returns the day with its differences. */
  async day(bank: ModelBank): Promise<Reply['body']> {
    const { client, service } = this.world
    const args = ['reconciliation', 'run', '--rail', bank.name, '--date', this.today]
    await runCommand(service.app, args, '')
    const { data } = (await client.get(`/reconciliations?rail=${bank.name}`)).body
    return (await client.get(`/reconciliations/${data[0].id}`)).body
  }

  /** Matches a bank's lines and payments, with a new idempotency key. */
  match(bank: ModelBank, body: object, caller: Caller = this.world.client): Promise<Reply> {
    return caller.post('/reconciliation-matches', bodyOf(bank, body), this.key())
  }

  undo(id: string, caller: Caller = this.world.client): Promise<Reply> {
    return caller.post(`/reconciliation-matches/${id}/undo`, { reason: 'A mistake' }, this.key())
  }

  key(): Record<string, string> {
    return { 'Idempotency-Key': `match-${++this.#keys}` }
  }

  /** Lists the ids of the lines that name a payment. */
  async linesOf(id: string): Promise<string[]> {
    const { rows } = await this.world.service.app.db.query<{ id: string }>(
      'SELECT id FROM rail_statement_entries WHERE item_id = $1',
      [id.slice(id.indexOf(':') + 1)],
    )
    return rows.map((row) => row.id)
  }

  /** Reads the balances of the platform's EUR ledger accounts, by name. */
  async books(): Promise<Record<string, bigint>> {
    const { rows } = await this.world.service.app.db.query<{ name: string; posted: bigint }>(
      `SELECT name, posted FROM ledger_accounts WHERE currency = 'EUR' AND name IS NOT NULL`,
    )
    return Object.fromEntries(rows.map(({ name, posted }) => [name, posted]))
  }
}

export const REASON = 'They belong together'

/** Builds the request body of a match. */
export const bodyOf = ({ name }: ModelBank, body: object) => ({
  rail: name,
  currency: 'EUR',
  reason: REASON,
  ...body,
})

type Caller = { post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> }

export const isLine = ({ about }: Reply['body']) => String(about).startsWith('StatementEntry:')

/** Builds a difference in the form of a request. */
export const difference = (amount: number, account = 'costs') => ({
  difference: { amount, account },
})

/** Asserts that the response is 201, and returns the match. */
export async function matched(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, body } = await reply
  expect(status, toJson(body)).toBe(201)
  return body
}
