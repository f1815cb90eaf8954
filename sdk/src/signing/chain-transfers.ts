import type { Confirm } from './confirm.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import type { Payment } from './statement.ts'

/** The device's own knowledge of the wallet's chain. Best built into the app, like the quorum key. */
export interface WalletChain {
  /** The wallet's address. */
  readonly address?: string
  readonly chainId?: number
  /** The contract address of the token in which the wallet holds its money. */
  readonly token?: string
}

/** The transfers signed with the wallet's own key, from `payment.chain`. */
export type ChainTransfers = NonNullable<Payment['chain']>

/** Public chains and their USDC contracts. Any other chain is a test chain. */
const PUBLIC: Readonly<
  Record<ChainTransfers['network'], { readonly chainId: number; readonly usdc: string }>
> = {
  ETHEREUM: { chainId: 1, usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  BASE: { chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  POLYGON: { chainId: 137, usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
}

const VALID_MS_MAX = 24 * 60 * 60 * 1000

/**
 * Checks a payment's chain transfers against the rest of the payment: they add up to the amount sent, and a
 * payee on the chain is the one named. Throws PayloadMismatchError naming the field.
 */
export function checkTransfers(payment: Payment): void {
  const { chain, sends } = payment
  if (!chain) return
  requireEqual('chain.token.currency', chain.token.currency, sends.currency)
  checkPublic(chain)
  checkTime(payment, chain)
  const { transfers } = chain
  const purposes = transfers.map(({ purpose }) => purpose).join(' ')
  if (purposes !== 'PAYMENT' && purposes !== 'PAYMENT FEE')
    throw new PayloadMismatchError('chain.transfers', 'are neither a payment nor a payment with its fee')
  requireEqual(
    'chain.transfers',
    transfers.reduce((sum, { amount }) => sum + amount, 0n),
    sends.amount,
  )
  for (const [index, { to }] of transfers.entries())
    if (isSame(to, chain.from))
      throw new PayloadMismatchError(`chain.transfers.${index}.to`, 'is the wallet itself')
  if (new Set(transfers.map(({ nonce }) => nonce)).size < transfers.length)
    throw new PayloadMismatchError('chain.transfers.1.nonce', 'equals the nonce of another transfer')
  checkPayee(payment, chain)
}

/** A payee on the same chain is paid directly. Only such a payment can have a separate fee transfer. */
function checkPayee({ destination, delivers, feesIncluded, sends }: Payment, chain: ChainTransfers): void {
  const [first, fee] = chain.transfers
  if (!first) throw new PayloadMismatchError('chain.transfers', 'are missing')
  const info = destination.destinationType === 'ACCOUNT' ? destination.accountInfo : undefined
  const isSameCurrency = delivers.currency === sends.currency
  const isOnChain = isSameCurrency && info?.accountType === `${chain.network}_WALLET`
  if (isOnChain && 'address' in info && !isSame(first.to, String(info.address)))
    throw new PayloadMismatchError('chain.transfers.0.to', `is ${first.to}, not ${info.address}`)
  if (fee && (!isSameCurrency || (info && !isOnChain)))
    throw new PayloadMismatchError(
      'chain.transfers.1',
      'is unexpected, because this payee is not paid on the chain',
    )
  if (!fee && !isOnChain) return
  requireEqual('chain.transfers.0.amount', first.amount, delivers.amount)
  requireEqual('chain.transfers.1.amount', fee?.amount ?? 0n, feesIncluded)
}

function checkPublic({ network, chainId, token }: ChainTransfers): void {
  const publicChain = Object.entries(PUBLIC).find(([, chain]) => chain.chainId === chainId)
  if (!publicChain) return
  const [name, { usdc }] = publicChain
  requireEqual('chain.network', network, name)
  if (token.currency === 'USDC' && !isSame(token.address, usdc))
    throw new PayloadMismatchError('chain.token.address', `is ${token.address}, not ${usdc}`)
}

function checkTime({ expiresAt }: Payment, { validBefore }: ChainTransfers): void {
  const validMs = new Date(validBefore).getTime() - new Date(expiresAt).getTime()
  if (!(validMs > 0 && validMs <= VALID_MS_MAX))
    throw new PayloadMismatchError('chain.validBefore', 'is not within a day after expiresAt')
}

/**
 * Wraps `confirm` for a wallet on this chain. A payment from another address, chain or token, or without
 * chain transfers, is rejected with PayloadMismatchError before it is shown.
 */
export function onChain(expected: WalletChain, confirm: Confirm): Confirm {
  return (payment) => {
    const { chain } = payment
    if (!chain) throw new PayloadMismatchError('chain', 'is missing, but the wallet is on a chain')
    const { address, chainId, token } = expected
    if (address !== undefined && !isSame(chain.from, address))
      throw new PayloadMismatchError('chain.from', `is ${chain.from}, not ${address}`)
    if (chainId !== undefined) requireEqual('chain.chainId', chain.chainId, chainId)
    if (token !== undefined && !isSame(chain.token.address, token))
      throw new PayloadMismatchError('chain.token.address', `is ${chain.token.address}, not ${token}`)
    return confirm(payment)
  }
}

function isSame(address: string, other: string): boolean {
  return address.toLowerCase() === other.toLowerCase()
}

function requireEqual(member: string, actual: unknown, expected: unknown): void {
  if (actual !== expected)
    throw new PayloadMismatchError(member, `is ${String(actual)}, but ${String(expected)} was expected`)
}
