import type {
  ConnectorEvent,
  ConnectorStatement,
  StatementEntry,
} from '@countersign/contract/connectors/events'
import { expect } from 'vitest'
import type { RailPayment } from '../../../src/kernel/ports/rail.ts'
import { type ConfiguredRail, RailRegistry } from '../../../src/money/rails/registry.ts'
import type { Production } from './bank.testing.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The day so many days before today. */
export function dateBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

let banks = 0

/** A bank in this process that says what a test has it say, and nothing by itself. Its events are not signed. */
export class ModelBank {
  readonly name = `model-bank-${++banks}`
  readonly given = new Map<string, RailPayment>()
  readonly statements = new Map<string, ConnectorStatement>()
  readonly #entries = new Map<string, StatementEntry[]>()
  readonly #world: Production
  #closing: bigint
  #events = 0
  #names = 0

  constructor(world: Production, opening = 0n) {
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

  /** Closes a day. The balance may be wrong by `gap` where it begins, and by `wrong` where it ends. */
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
