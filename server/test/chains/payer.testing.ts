import { randomBytes } from 'node:crypto'
import { runCommand } from '../../src/admin/admin.ts'
import type { ChainPaymentRow, ChainTransactionRow } from '../../src/db/schema/chain-tables.ts'
import { toChecksumAddress } from '../../src/formats/addresses.ts'
import type { Hex } from '../../src/formats/hex.ts'
import { arrivalLegs, post } from '../../src/ledger/ledger.ts'
import { operate } from '../../src/platforms/operate.ts'
import type { Client, Reply } from '../client.testing.ts'
import type { OnChain } from '../on-chain.testing.ts'
import { until } from '../production.testing.ts'
import { PERSON } from '../verifications.testing.ts'

/** Pays out over HTTP, from accounts whose money is in the books. */
export class Payer {
  readonly #on: OnChain
  readonly #customerId: string
  /** By whether they are of the customer. */
  readonly #accounts: ReadonlyMap<boolean, string>

  private constructor(on: OnChain, customerId: string, accounts: ReadonlyMap<boolean, string>) {
    this.#on = on
    this.#customerId = customerId
    this.#accounts = accounts
  }

  static async open(on: OnChain, amount = 100_000_000_000n): Promise<Payer> {
    const { client, service } = on
    const customer = await client.post('/customers', { ...PERSON, currencies: ['USDC'] })
    if (customer.status !== 201) throw new Error(JSON.stringify(customer.body))
    const { id } = customer.body
    const started = await client.post('/verifications', { customerId: id })
    if (started.status >= 300) throw new Error(JSON.stringify(started.body))
    const decision = ['--verification', started.body.id, '--decision', 'APPROVE']
    await runCommand(service.app, ['verification', 'decide', ...decision], client.baseUrl)
    const accounts = new Map<boolean, string>()
    for (const [isCustomer, path] of [
      [false, '/platform/internal-accounts?currency=USDC'],
      [true, `/customers/internal-accounts?customerId=${id}&currency=USDC`],
    ] as const) {
      const [account] = (await client.get(path)).body.data
      accounts.set(isCustomer, account.id)
      await fund(on, account.id, amount)
    }
    return new Payer(on, id, accounts)
  }

  /** An address that nobody has used. */
  newPayee(): Hex {
    return toChecksumAddress(randomBytes(20).toString('hex')) as Hex
  }

  account(isCustomer = false): string {
    return this.#accounts.get(isCustomer)!
  }

  /** Asks for an external account of an address. */
  addPayee(address: string, isCustomer = false): Promise<Reply> {
    return this.#client.post('/customers/external-accounts', {
      ...(isCustomer ? { customerId: this.#customerId } : {}),
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address },
    })
  }

  /** Begins a transfer out, and returns its id. */
  async pay(address: string, amount: bigint, isCustomer = false): Promise<string> {
    const payee = await this.addPayee(address, isCustomer)
    if (payee.status !== 201) throw new Error(JSON.stringify(payee.body))
    const transfer = await this.transfer(payee.body.id, amount, isCustomer)
    if (transfer.status !== 201) throw new Error(JSON.stringify(transfer.body))
    return transfer.body.id
  }

  transfer(payeeId: string, amount: bigint, isCustomer = false): Promise<Reply> {
    return this.#client.post('/transfer-out', {
      source: { accountId: this.account(isCustomer) },
      destination: { accountId: payeeId },
      amount,
    })
  }

  async stateOf(transfer: string): Promise<Reply['body']> {
    return (await this.#client.get(`/transactions/${transfer}`)).body
  }

  /** The transfer once it has ended. */
  ended(transfer: string): Promise<Reply['body']> {
    return until(
      () => this.stateOf(transfer),
      ({ status }) => status !== 'PENDING' && status !== 'PROCESSING',
    )
  }

  async paymentOf(transfer: string): Promise<ChainPaymentRow | undefined> {
    return this.#read
      .selectFrom('chain_payments')
      .where('payment_id', '=', transfer)
      .selectAll()
      .executeTakeFirst()
  }

  /** The payment once it is as wanted. */
  payment(transfer: string, isWanted: (row: ChainPaymentRow) => boolean): Promise<ChainPaymentRow> {
    return until(
      () => this.paymentOf(transfer),
      (row) => row !== undefined && isWanted(row),
    ) as Promise<ChainPaymentRow>
  }

  /** Transactions of payments, in the order of their making. */
  async transactionsOf(transfer: string): Promise<ChainTransactionRow[]> {
    const payment = await this.paymentOf(transfer)
    if (!payment) return []
    return this.#read
      .selectFrom('chain_transactions')
      .where('payment_id', '=', payment.id)
      .orderBy('created_at')
      .selectAll()
      .execute()
  }

  /** The latest transactions of payments once a node has them all, in a block or waiting for one. */
  sent(transfers: readonly string[]): Promise<ChainTransactionRow[]> {
    return until(
      async () => {
        const rows = await Promise.all(transfers.map(async (one) => (await this.transactionsOf(one)).at(-1)))
        const there = await Promise.all(rows.map((row) => row && this.isThere(row.attempts.at(-1)!.hash)))
        return there.every(Boolean) ? (rows as ChainTransactionRow[]) : []
      },
      (rows) => rows.length === transfers.length,
    )
  }

  /** Whether the node knows a transaction. */
  async isThere(hash: Hex): Promise<boolean> {
    return (await this.#on.chain.rpc('eth_getTransactionByHash', [hash])) !== null
  }

  get #client(): Client {
    return this.#on.client
  }

  get #read() {
    return this.#on.service.app.read
  }
}

/** Puts money into the books that the treasury has. */
export async function fund({ service, client }: OnChain, accountId: string, amount: bigint): Promise<void> {
  const op = await operate(service.app, client.credentials.platformId)
  const legs = arrivalLegs({ id: accountId, currency: 'USDC' }, amount, 'base')
  const { done } = await service.app.commit(
    op,
    post(op, { cause: 'deposit', causeId: op.newId('Deposit') }, legs),
  )
  if (!done) throw new Error('The account was not funded')
}
