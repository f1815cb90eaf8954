import { randomBytes } from 'node:crypto'
import { type Answer, Countersign } from '@countersign/sdk'
import type { Session, Wallet } from '@countersign/sdk/wallet'
import type { HDAccount } from 'viem/accounts'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { toChecksumAddress } from '../../../src/base/formats/addresses.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { type Client, type Reply, until } from '../client.testing.ts'
import type { OnChain } from './chain.testing.ts'

const GAS = 100_000n
const WEI = 10n ** 18n
const ERC20 = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

export type Quote = Answer<'quote_create'>['body']

let holders = 0

/** A customer of a sandbox with a chain, who has an embedded wallet there and a session on a device. */
export class Holder {
  readonly #on: OnChain
  readonly customerId: string
  readonly walletId: string
  readonly address: Hex
  /** The customer's custodial account in the same currency. */
  readonly custodialId: string
  readonly countersign: Countersign
  readonly wallet: Wallet
  readonly session: Session

  private constructor(
    on: OnChain,
    ids: Pick<
      Holder,
      'customerId' | 'walletId' | 'address' | 'custodialId' | 'countersign' | 'wallet' | 'session'
    >,
  ) {
    this.#on = on
    this.customerId = ids.customerId
    this.walletId = ids.walletId
    this.address = ids.address
    this.custodialId = ids.custodialId
    this.countersign = ids.countersign
    this.wallet = ids.wallet
    this.session = ids.session
  }

  /** Creates a customer whose wallet is on the chain. */
  static async open(on: OnChain, amount = 0n): Promise<Holder> {
    const { client } = on
    const countersign = new Countersign({ ...client.credentials, baseUrl: client.baseUrl })
    const email = `holder${++holders}@example.com`
    const created = ok(
      await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email }),
    )
    const accounts = ok(
      await client.get(`/customers/internal-accounts?customerId=${created.id}&currency=USDC`),
    )
    const findAccount = (type: string) =>
      accounts.data.find((account: Reply['body']) => account.type === type)
    const { id: walletId, fundingPaymentInstructions } = findAccount('EMBEDDED_WALLET')
    const { address } = fundingPaymentInstructions[0].accountOrWalletInfo
    const quorumPublicKey = await countersign.quorumPublicKey()
    const wallet = countersign.wallet(walletId, {
      quorumPublicKey,
      confirm: () => true,
      chain: { address, chainId: on.chain.chainId, token: on.chain.token },
    })
    const session = await wallet.email.signIn({ code: '000000' })
    const custodialId = findAccount('INTERNAL_CRYPTO').id
    const ids = { customerId: created.id, walletId, address, custodialId }
    const holder = new Holder(on, { ...ids, countersign, wallet, session })
    if (amount > 0n) await holder.fund(amount)
    return holder
  }

  /** Sends money to the wallet from an outside address. */
  async fund(amount: bigint): Promise<void> {
    const before = await this.total()
    await this.#on.chain.mint(this.address, amount)
    await this.seen((total) => total === before + amount)
  }

  /** Mines blocks until the wallet's ledger balance satisfies the condition. */
  async seen(isExpected: (total: bigint) => boolean): Promise<void> {
    await this.mining(() => this.total(), isExpected)
  }

  /** Mines blocks until the value satisfies the condition. */
  mining<T>(read: () => Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
    return until(async () => {
      // Keeps the chain's time equal to the server's.
      await this.#on.chain.mine(1, 0)
      return read()
    }, isExpected)
  }

  /** Reads the total balance in the ledger. */
  async total(): Promise<bigint> {
    return BigInt((await this.account()).totalBalance.amount)
  }

  /** Reads the available balance in the ledger. */
  async available(): Promise<bigint> {
    return BigInt((await this.account()).balance.amount)
  }

  async account(): Promise<Reply['body']> {
    const { data } = ok(
      await this.#client.get(
        `/customers/internal-accounts?customerId=${this.customerId}&type=EMBEDDED_WALLET`,
      ),
    )
    return data[0]
  }

  /** Reads the wallet's balance on the chain. */
  onChain(): Promise<bigint> {
    return this.#on.chain.balanceOf(this.#on.chain.token, this.address)
  }

  /** Adds an external account of the customer for an address on the same chain. */
  async addPayee(address: string = newAddress()): Promise<string> {
    const reply = await this.#client.post('/customers/external-accounts', {
      customerId: this.customerId,
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address },
    })
    return ok(reply).id
  }

  async quote(destination: string, amount: bigint, source = this.walletId): Promise<Quote> {
    const { body } = await this.countersign.call('quote_create', {
      body: {
        source: { sourceType: 'ACCOUNT', accountId: source },
        destination: { destinationType: 'ACCOUNT', accountId: destination },
        lockedCurrencySide: 'RECEIVING',
        lockedCurrencyAmount: amount,
      },
    })
    return body
  }

  /** Executes a quote of the wallet, signed with its session's stamp. */
  async execute(quote: Quote): Promise<Reply> {
    return this.executeWith(quote, await this.session.approveQuote(quote))
  }

  executeWith(quote: Quote, stamp: string): Promise<Reply> {
    const { requestId } = JSON.parse(payloadOf(quote))
    const headers = { 'Svc-Wallet-Signature': stamp, 'Request-Id': requestId }
    return this.#client.post(`/quotes/${quote.id}/execute`, undefined, headers)
  }

  /** Pays, and waits until the payment has ended. */
  async pay(destination: string, amount: bigint): Promise<Reply['body']> {
    const quote = await this.quote(destination, amount)
    ok(await this.execute(quote))
    return this.ended(quote.transactionId)
  }

  /** Waits until a transaction, and its refund if there is one, has ended. */
  async ended(transactionId: string): Promise<Reply['body']> {
    return this.mining(
      async () => ok(await this.#client.get(`/transactions/${transactionId}`)),
      ({ status, refund }) => status !== 'PENDING' && status !== 'PROCESSING' && refund?.status !== 'PENDING',
    )
  }

  /**
   * Pays directly on the chain with the wallet's key, bypassing this server. Resolves with the transaction
   * hash.
   */
  async payElsewhere(key: HDAccount, to: string, amount: bigint): Promise<Hex> {
    const { chain } = this.#on
    await chain.setCoin(key.address, WEI)
    const nonce = Number(await chain.rpc('eth_getTransactionCount', [key.address, 'pending']))
    const raw = await key.signTransaction({
      type: 'eip1559',
      chainId: chain.chainId,
      nonce,
      to: chain.token,
      data: encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [to as Hex, amount] }),
      gas: GAS,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 5n * 10n ** 10n,
    })
    return (await chain.rpc('eth_sendRawTransaction', [raw])) as Hex
  }

  get #client(): Client {
    return this.#on.client
  }
}

/** Finds the payload that the wallet signs to execute a quote. */
export function payloadOf({ paymentInstructions = [] }: Quote): string {
  const info = paymentInstructions[0]?.accountOrWalletInfo
  if (!info || !('payloadToSign' in info) || typeof info.payloadToSign !== 'string')
    throw new Error('Nothing is to be signed')
  return info.payloadToSign
}

/** Creates an unused address whose ending is not a magic value of the sandbox (digits, or bad0). */
export function newAddress(): Hex {
  return toChecksumAddress(`${randomBytes(19).toString('hex')}aa`) as Hex
}

/** Returns the body of a successful response. */
export function ok({ status, body }: Reply): Reply['body'] {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
