import { keccak256, parseSignature, serializeTransaction } from 'viem'
import { bytesOf, type Hex } from '../../../src/base/formats/hex.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { Service } from '../../../src/edge/service/service.ts'
import { buildArrivalLegs, post } from '../../../src/kernel/ledger/transfers.ts'
import type { ChainAlert } from '../../../src/kernel/ports/metrics.ts'
import { callWithAuthorization } from '../../../src/outside/chains/formats/calls.ts'
import { operate } from '../../../src/people/platforms/operate.ts'
import type { ChainPaymentRow, ChainTransactionRow } from '../../../src/storage/rows/chain.ts'
import { type Client, type Reply, until } from '../client.testing.ts'
import { accountOf } from '../production/production.testing.ts'
import { PERSON } from '../records/onboarding.testing.ts'
import { NETWORK_FEE, type OnChain } from './chain.testing.ts'
import { newAddress } from './holder.testing.ts'

/** In wei, and higher than any other tip. */
const HIGH_TIP = 10n ** 11n

/** The parts of a server on a chain that the payer uses. */
type ChainServer = Pick<OnChain, 'chain' | 'client' | 'rail'> & { readonly service: Pick<Service, 'app'> }

/** Makes payouts over HTTP from accounts that have money in the ledger. */
export class Payer {
  #server: ChainServer
  readonly #customerId: string
  /** Keyed by `isCustomer`: the customer's account (true) and the platform's (false). */
  readonly #accounts: ReadonlyMap<boolean, string>

  private constructor(on: ChainServer, customerId: string, accounts: ReadonlyMap<boolean, string>) {
    this.#server = on
    this.#customerId = customerId
    this.#accounts = accounts
  }

  static async open(on: ChainServer, amount = 10_000_000_000_000n): Promise<Payer> {
    const { client, service } = on
    const supportedCurrencies = ['USD', 'USDC'].map((currencyCode) => ({
      currencyCode,
      minAmount: 1,
      maxAmount: 1_000_000_000_000_000,
      requiredCounterpartyFields: [],
      enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
    }))
    await client.send('PATCH', '/config', { supportedCurrencies })
    const customer = await client.post('/customers', { ...PERSON, currencies: ['USDC'] })
    if (customer.status !== 201) throw new Error(JSON.stringify(customer.body))
    const { id } = customer.body
    const started = await client.post('/verifications', { customerId: id })
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

  /** Continues on a different server with the same records. */
  moveTo(on: ChainServer): void {
    this.#server = on
  }

  /** Creates an unused address. */
  newPayee(): Hex {
    return newAddress()
  }

  account(isCustomer = false): string {
    return this.#accounts.get(isCustomer)!
  }

  /** Reads the address for payments to the account. */
  async depositAddress(isCustomer: boolean): Promise<string> {
    const owner = isCustomer ? this.#customerId : undefined
    const account = await accountOf(this.#client, owner, 'USDC')
    return account.fundingPaymentInstructions[0].accountOrWalletInfo.address
  }

  /** Requests an external account for an address. */
  addPayee(address: string, isCustomer = false): Promise<Reply> {
    return this.#client.post('/customers/external-accounts', {
      ...(isCustomer ? { customerId: this.#customerId } : {}),
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address },
    })
  }

  /** Starts a transfer out from which the payee receives an amount, and returns its id. */
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
      amount: amount + NETWORK_FEE,
    })
  }

  async stateOf(transfer: string): Promise<Reply['body']> {
    return (await this.#client.get(`/transactions/${transfer}`)).body
  }

  /** Waits until the transfer has ended. */
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

  /** Waits until the payment satisfies the condition. */
  payment(transfer: string, isExpected: (row: ChainPaymentRow) => boolean): Promise<ChainPaymentRow> {
    return until(
      () => this.paymentOf(transfer),
      (row) => row !== undefined && isExpected(row),
    ) as Promise<ChainPaymentRow>
  }

  /** Lists the transactions of a transfer's payment, in order of creation. */
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

  /** Waits until the only transaction of a payment satisfies the condition. */
  async transaction(
    transfer: string,
    isExpected: (row: ChainTransactionRow) => boolean,
  ): Promise<ChainTransactionRow> {
    const [row] = await until(
      () => this.transactionsOf(transfer),
      (rows) => rows.length === 1 && isExpected(rows[0]!),
    )
    return row!
  }

  /** Reads the available balance of an account. */
  async balance(isCustomer = false): Promise<string> {
    const path = isCustomer
      ? `/customers/internal-accounts?customerId=${this.#customerId}&currency=USDC`
      : '/platform/internal-accounts?currency=USDC'
    return String((await this.#client.get(path)).body.data[0].balance.amount)
  }

  /** Waits until the operator has received an alert about the chain. */
  async alerted(kind: ChainAlert): Promise<void> {
    const line = new RegExp(`^countersign_chain_alerts_total\\{rail="\\w+",kind="${kind}"\\} [1-9]`, 'm')
    await until(
      () => this.#server.service.app.metrics.text(async () => true),
      (text) => line.test(text),
    )
  }

  /**
   * Submits a payment's authorization to the chain from a numbered account, before our own accounts do.
   * Returns the hash.
   */
  async relayFrom(account: number, payment: ChainPaymentRow): Promise<Hex> {
    const { token, sender, recipient, amount, nonce, signature, valid_before } = payment
    const authorization = {
      from: sender,
      to: recipient,
      value: amount,
      validBefore: valid_before!,
      nonce: nonce!,
    }
    const { chain } = this.#server
    const fees = { maxFeePerGas: 2n * HIGH_TIP, maxPriorityFeePerGas: HIGH_TIP }
    const call = { ...callWithAuthorization(token, authorization, signature!), gas: 300_000n, ...fees }
    return (await chain.rpc('eth_sendTransaction', [
      { from: chain.account(account).address, ...call },
    ])) as Hex
  }

  /** Uses the nonce of a transaction for a different one, as an attacker with the sender's key could. */
  async useNonce({ sender, nonce, attempts }: ChainTransactionRow): Promise<void> {
    const { service, rail, chain } = this.#server
    const { path } = await this.#read
      .selectFrom('chain_addresses')
      .where('address', '=', sender)
      .select('path')
      .executeTakeFirstOrThrow()
    const fee = 4n * BigInt(attempts.at(-1)!.maxFee)
    const transaction = {
      type: 'eip1559',
      chainId: rail().chain.chainId,
      nonce: Number(nonce),
      to: sender,
      gas: 21_000n,
      maxFeePerGas: fee,
      maxPriorityFeePerGas: fee,
    } as const
    const digest = keccak256(serializeTransaction(transaction))
    const signature = parseSignature(service.app.enclave.signOnChain(path, bytesOf(digest)))
    await chain.rpc('eth_sendRawTransaction', [serializeTransaction(transaction, signature)])
  }

  /** Waits until a node has the latest transactions of all these payments, in a block or pending. */
  sent(transfers: readonly string[]): Promise<ChainTransactionRow[]> {
    return until(
      async () => {
        const rows = await Promise.all(
          transfers.map(async (transfer) => (await this.transactionsOf(transfer)).at(-1)),
        )
        const known = await Promise.all(rows.map((row) => row && this.isThere(row.attempts.at(-1)!.hash)))
        return known.every(Boolean) ? (rows as ChainTransactionRow[]) : []
      },
      (rows) => rows.length === transfers.length,
    )
  }

  /** True if the node knows a transaction. */
  async isThere(hash: Hex): Promise<boolean> {
    return (await this.#server.chain.rpc('eth_getTransactionByHash', [hash])) !== null
  }

  get #client(): Client {
    return this.#server.client
  }

  get #read() {
    return this.#server.service.app.read
  }
}

/** Credits an account in the ledger with money of the treasury. */
async function fund({ service, client }: ChainServer, accountId: string, amount: bigint): Promise<void> {
  const op = await operate(service.app, client.credentials.platformId)
  const legs = buildArrivalLegs({ id: accountId, currency: 'USDC' }, amount, 'base')
  const { done } = await service.app.commit(
    op,
    post(op, { cause: 'deposit', causeId: op.newId('Deposit') }, legs),
  )
  if (!done) throw new Error('The account was not funded')
}
