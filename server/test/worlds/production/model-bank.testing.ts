import type {
  ConnectorEvent,
  ConnectorStatement,
  StatementEntry,
} from '@countersign/contract/connectors/events'
import { expect } from 'vitest'
import type { RailPayment } from '../../../src/kernel/ports/rail.ts'
import { type ConfiguredRail, RailRegistry } from '../../../src/money/rails/registry.ts'
import { until } from '../until.testing.ts'
import type { Production } from './bank.testing.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The day `days` days before today. */
export function dateBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

let banks = 0

/** A bank in this process that sends only events that a test requests. Its events are not signed. */
export class ModelBank {
  readonly name: string
  readonly given = new Map<string, RailPayment>()
  readonly statements = new Map<string, ConnectorStatement>()
  readonly #entries = new Map<string, StatementEntry[]>()
  readonly #world: Production
  #closing: bigint
  #events = 0
  #names = 0

  constructor(world: Production, opening = 0n, name = `model-bank-${++banks}`) {
    this.name = name
    this.#world = world
    this.#closing = opening
    const { rails } = world.service.app
    if (!(rails instanceof RailRegistry)) throw new Error('The rails of production are a registry')
    rails.replace([this.rail()])
  }

  rail(): ConfiguredRail {
    const { name } = this
    const take = async (payment: RailPayment) => {
      this.given.set(payment.id, payment)
      return { subject: payment.id, outcome: 'accepted' } as const
    }
    return {
      name,
      entry: {
        kind: 'http',
        name,
        url: 'http://127.0.0.1:1',
        secret: { env: 'NONE' },
        serves: [{ direction: 'OUT', accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] }],
      },
      isRetired: false,
      lateDeposits: 'RETURN',
      currenciesIn: [],
      opensAt: (now) => now,
      send: take,
      pull: take,
      pullable: async () => undefined,
      readEvent: (_, body) => JSON.parse(Buffer.from(body).toString()),
      statement: async (date) => this.statements.get(date),
    }
  }

  /** Books an entry of a day that is not closed. */
  book(
    date: string,
    entry: Omit<StatementEntry, 'entryId' | 'bookedAt'> & { readonly entryId?: string },
  ): string {
    const entryId = entry.entryId ?? `${this.name}-${++this.#names}`
    const list = this.#entries.get(date) ?? []
    this.#entries.set(date, [...list, { ...entry, entryId, bookedAt: `${date}T12:00:00Z` }])
    return entryId
  }

  /** Closes a day. The opening balance may be wrong by `gap`, and the closing balance by `wrong`. */
  close(date: string, { gap = 0n, wrong = 0n } = {}): ConnectorStatement {
    const entries = this.#entries.get(date) ?? []
    const opening = this.#closing + gap
    this.#closing = entries.reduce((sum, { amount }) => sum + BigInt(amount), opening) + wrong
    const statement = {
      statementId: `${this.name} ${date}`,
      date,
      currency: 'EUR',
      openingBalance: String(opening),
      closingBalance: String(this.#closing),
      entries,
    }
    this.statements.set(date, statement)
    return statement
  }

  /** An event with a new id. */
  event<Type extends ConnectorEvent['type']>(
    type: Type,
    data: Extract<ConnectorEvent, { type: Type }>['data'] | object,
  ): object {
    const id = `${this.name}-event-${++this.#events}`
    return { id, type, occurredAt: new Date().toISOString(), data }
  }

  /** Reports a deposit of EUR that fits no account. Returns its id. */
  async receives(amount: number): Promise<string> {
    await this.tell(this.event('deposit.received', this.deposit(amount)))
    const { data } = await until(
      async () => (await this.#world.client.get(`/deposits?rail=${this.name}`)).body,
      ({ data }) => data.length > 0,
    )
    return data[0].id
  }

  /** The report of this bank's only deposit. */
  deposit(amount: number) {
    return {
      depositId: `${this.name}-one`,
      depositAccountId: 'of-nobody',
      amount: { value: String(amount), currency: 'EUR' },
      receivedAt: `${dateBefore(1)}T11:00:00Z`,
    }
  }

  /** Closes yesterday with this amount as the only entry, for that deposit. */
  async books(amount: number): Promise<void> {
    const { depositId } = this.deposit(amount)
    this.book(dateBefore(1), { kind: 'DEPOSIT', depositId, amount: String(amount) })
    await this.tell(this.event('statement', this.close(dateBefore(1))))
    await until(
      async () => (await this.#world.client.get(`/reconciliations?rail=${this.name}`)).body.data,
      (days) => days.length > 0 && days[0].status !== 'WAITING',
    )
  }

  /** Reports an event. */
  async tell(event: object): Promise<void> {
    const { client } = this.#world
    const url = new URL(`/rail-events/${this.name}`, client.baseUrl)
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(event),
      headers: { 'Content-Type': 'application/json' },
    })
    expect(answer.status, await answer.text()).toBe(200)
  }
}

/** The id of a deposit by a report of a new bank, whose statement books it with another amount. EUR, in the smallest unit. */
export async function bookedDeposit(world: Production, amount: number, booked: number): Promise<string> {
  const bank = new ModelBank(world)
  const id = await bank.receives(amount)
  await bank.books(booked)
  return id
}
