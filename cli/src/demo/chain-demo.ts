import { isObject } from '@countersign/contract/core/decode'
import { CountersignError } from '@countersign/sdk'
import type { Credentials } from '../connection/credentials.ts'
import { formatAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { fund, makeWalletHolder } from './customer.ts'
import { type Demo, openDemo } from './open-demo.ts'
import { pay } from './payment.ts'
import { signIn } from './sign-in.ts'

/** 25.00 USDC. */
const DELIVERED = 25_000_000n
const WAIT_MS = 60_000
const LOOK_MS = 250

/**
 * Pays from one on-chain wallet to another in a running sandbox that is connected to a chain. Prints each
 * step, and the payment's hash and block. `rpcUrl` is a node of the chain.
 */
export async function runChainDemo(credentials: Credentials, rpcUrl: string): Promise<void> {
  const demo = await openDemo(credentials)
  const { script } = demo
  script.line(`Countersign: a wallet pays a wallet on a chain, at ${credentials.baseUrl}`)
  script.line('Lines with a method and a path are calls by the platform\'s backend. "device" is the')
  script.line("customer's phone or browser. The chain runs elsewhere and receives the signed transaction.")

  await useChain(demo)
  const payer = await makeWalletHolder(demo, 'Ada Lovelace')
  const payee = await makeWalletHolder(demo, 'Grace Hopper')
  await fund(demo, payer.walletId)
  await waitForBalance(demo, payer.id, 'waits until the chain has confirmed it', (amount) => amount > 0n)

  const session = await signIn(demo, payer.walletId)
  const order = {
    walletId: payer.walletId,
    payeeId: payee.walletId,
    delivered: DELIVERED,
    amountText: '25.00 USDC',
  }
  const { transaction } = await pay(demo, order, session)
  await showOnChain(demo, transaction, rpcUrl)
  await waitForBalance(demo, payee.id, 'shows the balance of the payee', (amount) => amount === DELIVERED)
}

/** Makes new wallets use the chain. */
async function useChain({ countersign, script }: Demo): Promise<void> {
  script.call('config_update', 'creates the wallets of new customers on Base')
  try {
    await countersign.call('config_update', { body: { embeddedWalletConfig: { network: 'BASE' } } })
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'INVALID_INPUT') throw error
    throw new Failure(
      'This server is not connected to a chain. Start one with the RAILS_FILE that npm run chain prints.',
    )
  }
}

async function waitForBalance(
  { countersign, script }: Demo,
  customerId: string,
  why: string,
  isExpected: (amount: bigint) => boolean,
): Promise<void> {
  script.call('customer_internal_account_list', why)
  const end = performance.now() + WAIT_MS
  for (;;) {
    const { body } = await countersign.call('customer_internal_account_list', {
      query: { customerId, type: 'EMBEDDED_WALLET' },
    })
    const balance = body.data[0]?.balance
    if (balance && isExpected(balance.amount)) {
      script.show('balance', formatAmount(balance.amount, balance.currency))
      return
    }
    if (performance.now() > end) throw new Failure('The money has not arrived within a minute.')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** Looks the payment up on the chain itself, without the server. */
async function showOnChain({ script }: Demo, transaction: object, rpcUrl: string): Promise<void> {
  const instructions =
    'reconciliationInstructions' in transaction ? transaction.reconciliationInstructions : undefined
  const hash =
    isObject(instructions) && typeof instructions.transactionHash === 'string'
      ? instructions.transactionHash
      : undefined
  if (hash === undefined) throw new Failure('The payment has no transaction hash.')
  script.step('chain: the payment is in a block', `confirmed by ${rpcUrl}, without this server`)
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] }),
  })
  const { result } = (await response.json()) as {
    readonly result: {
      readonly status: string
      readonly blockNumber: string
      readonly blockHash: string
    } | null
  }
  if (result?.status !== '0x1') throw new Failure(`Transaction ${hash} was not found on the chain.`)
  script.show('hash', hash)
  script.show('block', `${BigInt(result.blockNumber)}, ${result.blockHash}`)
}
