import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningBank, startBank } from '@countersign/connectors/example-bank/start'
import type {
  ConnectorEvent,
  ConnectorStatement,
  StatementEntry,
} from '@countersign/contract/connectors/events'
import type { HttpRailValue } from '@countersign/contract/connectors/rails-file'
import { expect } from 'vitest'
import { listen, stopListening } from '../../../../test/ports.testing.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { RailPayment } from '../../../src/kernel/ports/rail.ts'
import { type ConfiguredRail, RailRegistry } from '../../../src/money/rails/registry.ts'
import { type Client, type Reply, until } from '../client.testing.ts'
import { PERSON } from '../records/onboarding.testing.ts'
import { type Options, openServer, type Settings, type TestServer } from '../server.testing.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Returns the date `days` days before today. */
export function dateBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

let banks = 0

/** A bank in this process that sends events only when a test requests them. Its events are not signed. */
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
    const accept = async (payment: RailPayment) => {
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
      send: accept,
      pull: accept,
      pullable: async () => undefined,
      readEvent: (_, body) => JSON.parse(Buffer.from(body).toString()),
      statement: async (date) => this.statements.get(date),
    }
  }

  /** Books an entry on a day that is still open. */
  book(
    date: string,
    entry: Omit<StatementEntry, 'entryId' | 'bookedAt'> & { readonly entryId?: string },
  ): string {
    const entryId = entry.entryId ?? `${this.name}-${++this.#names}`
    const list = this.#entries.get(date) ?? []
    this.#entries.set(date, [...list, { ...entry, entryId, bookedAt: `${date}T12:00:00Z` }])
    return entryId
  }

  /** Closes a day. `gap` falsifies the opening balance, and `wrong` the closing balance. */
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

  /** Builds an event with a new id. */
  event<Type extends ConnectorEvent['type']>(
    type: Type,
    data: Extract<ConnectorEvent, { type: Type }>['data'] | object,
  ): object {
    const id = `${this.name}-event-${++this.#events}`
    return { id, type, occurredAt: new Date().toISOString(), data }
  }

  /** Reports a EUR deposit that matches no account. Returns its id. */
  async receives(amount: number): Promise<string> {
    await this.tell(this.event('deposit.received', this.deposit(amount)))
    const { data } = await until(
      async () => (await this.#world.client.get(`/deposits?rail=${this.name}`)).body,
      ({ data }) => data.length > 0,
    )
    return data[0].id
  }

  /** Builds the report of this bank's only deposit. */
  deposit(amount: number) {
    return {
      depositId: `${this.name}-one`,
      depositAccountId: 'of-nobody',
      amount: { value: String(amount), currency: 'EUR' },
      receivedAt: `${dateBefore(1)}T11:00:00Z`,
    }
  }

  /** Closes a day, by default yesterday, with a single entry of this amount for that deposit. */
  async books(amount: number, date = dateBefore(1)): Promise<void> {
    const { depositId } = this.deposit(amount)
    this.book(date, { kind: 'DEPOSIT', depositId, amount: String(amount) })
    await this.tell(this.event('statement', this.close(date)))
    await until(
      async () => (await this.#world.client.get(`/reconciliations?rail=${this.name}`)).body.data,
      (days) => days.length > 0 && days[0].status !== 'WAITING',
    )
  }

  /** Reports an event. */
  async tell(event: object): Promise<void> {
    const { client } = this.#world
    const url = new URL(`/rail-events/${this.name}`, client.baseUrl)
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(event),
      headers: { 'Content-Type': 'application/json' },
    })
    expect(response.status, await response.text()).toBe(200)
  }
}

/** Makes a new bank report a deposit and book it with a different amount, in EUR cents. Returns the deposit's id. */
export async function bookedDeposit(world: Production, amount: number, booked: number): Promise<string> {
  const bank = new ModelBank(world)
  const id = await bank.receives(amount)
  await bank.books(booked)
  return id
}

/** A production server with the example bank as its rail. All communication is over HTTP on this machine. */
export interface Production {
  readonly service: TestServer
  readonly client: Client
  readonly bank: RunningBank
  /** Reads from or controls the bank through its control API. */
  callBank(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<BankReply>
  /** Rewrites the rails file and makes the server reload it. */
  setRails(rails: readonly object[]): Promise<void>
  /** Creates an approved customer with accounts in these currencies. */
  newApproved(currencies?: readonly string[]): Promise<string>
  /** Waits until the bank has opened an owner's deposit account in a currency, and returns the internal account. */
  accountOf(customerId: string | undefined, currency: string): Promise<InternalAccount>
  /** Simulates an incoming payment to the account from outside. */
  paidIn(account: InternalAccount, amount: string, more?: object): Promise<void>
  readTransaction(id: string): Promise<Reply['body']>
  /** Waits until a transaction has this status, and returns it. */
  waitForStatus(id: string, status: string): Promise<Reply['body']>
  /** Lists the rail reports that wait for a person. */
  listWaitingReports(): Promise<Reply['body'][]>
  /** Lists the deposits in suspense. */
  listSuspendedDeposits(): Promise<Reply['body'][]>
  close(): Promise<void>
}

type BankReply = Reply['body']
export type InternalAccount = Reply['body']

export const BANK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const SECRET_NAME = 'EXAMPLE_BANK_SECRET'

/** The rails file entry of the example bank. */
export function exampleBank(url: string, more: Partial<HttpRailValue> = {}): object {
  const lines = (['OUT', 'PULL', 'IN'] as const).flatMap((direction) => [
    { direction, accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
    { direction, accountTypes: ['USD_ACCOUNT'], currencies: ['USD'] },
  ])
  return { kind: 'http', name: 'example-bank', url, secret: { env: SECRET_NAME }, serves: lines, ...more }
}

/** Opens the server and the bank. `more` changes the bank's entry in the rails file. */
export async function openProduction(
  more: Partial<HttpRailValue> = {},
  settings: Settings = {},
  options: Options = {},
): Promise<Production> {
  process.env[SECRET_NAME] = BANK_SECRET
  const folder = await mkdtemp(join(tmpdir(), 'countersign-production-'))
  const railsFile = join(folder, 'rails.json')
  const rates = await serveRates()
  await writeFile(railsFile, JSON.stringify({ rails: [] }))
  const service = await openServer(
    { COUNTERSIGN_MODE: 'production', RAILS_FILE: railsFile, RATES_URL: rates.url, ...settings },
    options,
  )
  const bank = await startBank({
    port: 0,
    folder: join(folder, 'bank'),
    secrets: BANK_SECRET,
    events: `${service.origin}/rail-events/example-bank`,
    behaviour: { settleDelayMs: 20, returnDelayMs: 100 },
  })
  const client = await service.newPlatform()
  const setRails = async (rails: readonly object[]) => {
    await writeFile(railsFile, JSON.stringify({ rails }))
    await service.reloadRails()
  }
  await setRails([exampleBank(bank.url, more)])
  const readTransaction = async (id: string) => (await client.get(`/transactions/${id}`)).body
  const production: Production = {
    service,
    client,
    bank,
    setRails,
    callBank: (method, path, body) => callBankApi(bank.url, method, path, body),
    newApproved: (currencies) => newApproved(service, client, currencies),
    accountOf: (customerId, currency) => accountOf(client, customerId, currency),
    paidIn: (account, amount, more) => paidIn(bank.url, account, amount, more),
    readTransaction,
    waitForStatus: (id, status) =>
      until(
        () => readTransaction(id),
        (transaction) => transaction.status === status,
      ),
    listWaitingReports: async () => (await client.get('/rail-events?status=WAITING&limit=100')).body.data,
    listSuspendedDeposits: async () => (await client.get('/deposits?status=SUSPENSE&limit=100')).body.data,
    async close() {
      await bank.close()
      await service.close()
      await rates.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return production
}

async function callBankApi(url: string, method: string, path: string, body?: object): Promise<BankReply> {
  const response = await fetch(`${url}/bank${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {}),
  })
  const responseBody = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(responseBody)}`)
  return responseBody
}

/** Starts a source of exchange rates for the test. */
export async function serveRates(
  usdPerEth = '3000',
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const rates = { EUR: '1.25', GBP: '1.5', BTC: '60000', USDC: '1', USDB: '1', ETH: usdPerEth }
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ base: 'USD', updatedAt: new Date().toISOString(), rates }))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => stopListening(server),
  }
}

async function newApproved(
  service: Production['service'],
  client: Client,
  currencies?: readonly string[],
): Promise<string> {
  const id = await newPending(client, currencies)
  await approve(service, client, id)
  return id
}

/** Creates a customer that has not been decided about. */
export async function newPending(
  client: Client,
  currencies: readonly string[] = ['EUR', 'USD'],
): Promise<string> {
  const customer = await client.post('/customers', { ...PERSON, currencies })
  if (customer.status !== 201) throw new Error(JSON.stringify(customer.body))
  return customer.body.id
}

/** Approves the customer, as a person does. */
export async function approve(service: Production['service'], client: Client, customerId: string) {
  const started = await client.post('/verifications', { customerId })
  const args = ['verification', 'decide', '--verification', started.body.id, '--decision', 'APPROVE']
  await runCommand(service.app, args, client.baseUrl)
}

/** Waits until the bank has opened an owner's deposit account in a currency, and returns the internal account. */
export async function accountOf(
  client: Client,
  customerId: string | undefined,
  currency: string,
): Promise<InternalAccount> {
  const path = customerId
    ? `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`
    : `/platform/internal-accounts?currency=${currency}`
  const accounts = await until(
    () => client.get(path),
    ({ body }) => body.data?.[0]?.fundingPaymentInstructions?.length > 0,
  )
  return accounts.body.data[0]
}

/** Reads the number of a deposit account, as the bank's control API writes it. */
export function numberOf({ fundingPaymentInstructions }: InternalAccount): string {
  return numberIn(fundingPaymentInstructions[0].accountOrWalletInfo)
}

/** Reads the account number in deposit details. */
export function numberIn({ iban, accountNumber }: Reply['body']): string {
  return iban ?? accountNumber
}

async function paidIn(
  url: string,
  account: InternalAccount,
  amount: string,
  more: object = {},
): Promise<void> {
  await callBankApi(url, 'POST', '/deposits', { account: numberOf(account), amount, ...more })
}
