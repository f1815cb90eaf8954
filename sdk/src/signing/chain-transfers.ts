import type { Confirm } from './confirm.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import type { Payment } from './statement.ts'

/**
 * The device's own knowledge of the chain that its wallet is on: best built into the app, like the quorum
 * key.
 */
export interface WalletChain {
  /** The address of the wallet. */
  readonly address?: string
  readonly chainId?: number
  /** The contract of the token that it holds. */
  readonly token?: string
}

/** The transfers that the wallet's own key signs: `payment.chain`. */
export type ChainTransfers = NonNullable<Payment['chain']>

/** The public chains and their USDC. Others are test chains. */
const PUBLIC: Readonly<
  Record<ChainTransfers['network'], { readonly chainId: number; readonly usdc: string }>
> = {
  ETHEREUM: { chainId: 1, usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  BASE: { chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  POLYGON: { chainId: 137, usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
}

const VALID_MS_MAX = 24 * 60 * 60 * 1000

/**
 * Checks that the chain transfers of a payment agree with the rest of it: they add up to what the wallet
 * sends, and go to the named payee, otherwise only to this server. Throws PayloadMismatchError, naming the
 * field.
 */
export function checkTransfers(payment: Payment): void {
  const { chain, sends } = payment
  if (!chain) return
  hold('chain.token.currency', chain.token.currency, sends.currency)
  checkPublic(chain)
  checkTime(payment, chain)
  const { transfers } = chain
  const purposes = transfers.map(({ purpose }) => purpose).join(' ')
  if (purposes !== 'PAYMENT' && purposes !== 'PAYMENT FEE')
    throw new PayloadMismatchError('chain.transfers', 'are not a payment, with its fee or without')
  hold(
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

/** A payee on the same chain is paid directly; a separate fee exists only next to such a payment. */
function checkPayee({ destination, delivers, feesIncluded, sends }: Payment, chain: ChainTransfers): void {
  const [first, fee] = chain.transfers
  if (!first) throw new PayloadMismatchError('chain.transfers', 'are missing')
  const info = destination.destinationType === 'ACCOUNT' ? destination.accountInfo : undefined
  const isSameCurrency = delivers.currency === sends.currency
  const isThere = isSameCurrency && info?.accountType === `${chain.network}_WALLET`
  if (isThere && 'address' in info && !isSame(first.to, String(info.address)))
    throw new PayloadMismatchError('chain.transfers.0.to', `is ${first.to}, not ${info.address}`)
  if (fee && (!isSameCurrency || (info && !isThere)))
    throw new PayloadMismatchError('chain.transfers.1', 'is too much: this payee is not paid on the chain')
  if (!fee && !isThere) return
  hold('chain.transfers.0.amount', first.amount, delivers.amount)
  hold('chain.transfers.1.amount', fee?.amount ?? 0n, feesIncluded)
}

function checkPublic({ network, chainId, token }: ChainTransfers): void {
  const known = Object.entries(PUBLIC).find(([, one]) => one.chainId === chainId)
  if (!known) return
  const [name, { usdc }] = known
  hold('chain.network', network, name)
  if (token.currency === 'USDC' && !isSame(token.address, usdc))
    throw new PayloadMismatchError('chain.token.address', `is ${token.address}, not ${usdc}`)
}

function checkTime({ expiresAt }: Payment, { validBefore }: ChainTransfers): void {
  const late = new Date(validBefore).getTime() - new Date(expiresAt).getTime()
  if (!(late > 0 && late <= VALID_MS_MAX))
    throw new PayloadMismatchError('chain.validBefore', 'is not within a day after expiresAt')
}

/**
 * A `confirm` for a wallet on this chain: a payment of another address, chain or token, or without transfers,
 * is refused with PayloadMismatchError before it is shown.
 */
export function onChain(known: WalletChain, confirm: Confirm): Confirm {
  return (payment) => {
    const { chain } = payment
    if (!chain) throw new PayloadMismatchError('chain', 'is missing, but the wallet is on a chain')
    const { address, chainId, token } = known
    if (address !== undefined && !isSame(chain.from, address))
      throw new PayloadMismatchError('chain.from', `is ${chain.from}, not ${address}`)
    if (chainId !== undefined) hold('chain.chainId', chain.chainId, chainId)
    if (token !== undefined && !isSame(chain.token.address, token))
      throw new PayloadMismatchError('chain.token.address', `is ${chain.token.address}, not ${token}`)
    return confirm(payment)
  }
}

function isSame(address: string, other: string): boolean {
  return address.toLowerCase() === other.toLowerCase()
}

function hold(member: string, found: unknown, expected: unknown): void {
  if (found !== expected)
    throw new PayloadMismatchError(member, `is ${String(found)}, but ${String(expected)} was expected`)
}
