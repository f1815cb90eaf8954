import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { Payload } from '@countersign/contract/signing/payloads'
import { type AuthorizedPart, deriveAuthorizationNonce } from '../../base/crypto/evm/authorization.ts'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { parseJson } from '../../base/json/json.ts'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { SignedChainPayment } from '../../kernel/ports/rail.ts'
import type { ChainToken, RailChain } from '../../kernel/ports/rail-chain.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { InternalAccountRow, QuoteRow } from '../../storage/rows/tables.ts'
import { selectOrder } from './store.ts'

/**
 * The transfers by which a chain wallet pays a quote. The customer stamps a payload that lists them, and the
 * wallet's key in the enclave signs exactly these transfers. A payee on the same chain is paid directly; for
 * all others the money is first collected in the treasury, which then pays as for any other quote.
 */
export type ChainTransfers = NonNullable<Payload<'quote_execute'>['chain']>

/** The chain still accepts signed transfers for this long after the quote's expiry. */
const VALID_SECONDS = 60 * 60
const MS_PER_SECOND = 1000

const NETWORK_NAMES: Readonly<Record<EvmNetwork, string>> = {
  ETHEREUM: 'Ethereum',
  BASE: 'Base',
  POLYGON: 'Polygon',
}

/** True if the wallet's own transfers pay the payee directly. */
export function isPaidDirectly({ request }: QuoteRow): boolean {
  return request.wallet !== undefined && request.railIn === undefined
}

/** True if the money is first collected from a chain wallet. */
export function isCollected({ request }: QuoteRow): boolean {
  return request.wallet !== undefined && request.railIn !== undefined
}

/** The chain rail and the address of a wallet; undefined for an account that is not on a chain. */
export function findChainAddress({
  chain_rail,
  chain_address,
}: Pick<InternalAccountRow, 'chain_rail' | 'chain_address'>):
  | { readonly rail: string; readonly address: Hex }
  | undefined {
  return chain_rail === null || chain_address === null
    ? undefined
    : { rail: chain_rail, address: chain_address }
}

/** The chain of a wallet. Throws 501 `NOT_IMPLEMENTED` if its rail no longer accepts new payments. */
export function requireOpenChain(op: Op, rail: string): RailChain {
  const found = op.rails.find(rail)
  if (found?.chain && !found.isRetired) return found.chain
  throw new ApiError('NOT_IMPLEMENTED', {
    message: `The rail ${rail} of this wallet no longer accepts payments.`,
  })
}

/**
 * The transfers that a wallet signs to pay a quote. `to` is the payee's address if the payee is paid
 * directly.
 */
export function buildChainTransfers(op: Op, quote: QuoteRow, to: string | null): ChainTransfers {
  const wallet = requireWallet(quote)
  const chain = requireOpenChain(op, wallet.rail)
  const { address, domain } = requireSigningToken(chain, quote.sending_currency)
  return {
    network: chain.network,
    chainId: chain.chainId,
    token: { currency: quote.sending_currency, address: formatAddress(address), ...domain },
    from: formatAddress(wallet.address),
    validBefore: addSeconds(quote.expires_at, VALID_SECONDS).toISOString(),
    transfers: buildTransfers(quote, formatAddress(chain.treasury), to),
  }
}

function buildTransfers(quote: QuoteRow, treasury: string, to: string | null): ChainTransfers['transfers'] {
  const { transaction_id: id, fees, receiving_amount, sending_amount } = quote
  const part = (name: AuthorizedPart) => deriveAuthorizationNonce(name, id)
  if (!isPaidDirectly(quote))
    return [{ purpose: 'PAYMENT', to: treasury, amount: sending_amount, nonce: part('payment') }]
  if (to === null) throw new Error(`${quote.id} has no payee address on the chain`)
  return [
    { purpose: 'PAYMENT', to: formatAddress(to), amount: receiving_amount, nonce: part('payment') },
    ...(fees > 0n ? [{ purpose: 'FEE' as const, to: treasury, amount: fees, nonce: part('fee') }] : []),
  ]
}

/** Describes the transfers to the person who signs. `payee` and `receives` are already formatted. */
export function describeTransfers(
  { network, transfers }: ChainTransfers,
  currency: KnownCurrency,
  quote: QuoteRow,
  payee: string,
  receives: string,
): string {
  const [payment, fee] = transfers
  if (!payment) throw new Error('The payment has no transfer')
  const opening = `Pay ${formatCurrencyAmount(payment.amount, currency)} on ${NETWORK_NAMES[network]} to`
  if (!isPaidDirectly(quote))
    return `${opening} this server at ${payment.to}, fees included, so that ${payee} receives ${receives}`
  const to = quote.request.payTo === undefined ? payment.to : `${payment.to}, which is ${payee}`
  return fee
    ? `${opening} ${to}, and ${formatCurrencyAmount(fee.amount, currency)} as the fee`
    : `${opening} ${to}`
}

/**
 * A quote's transfers, signed with the wallet's key. The stamp that executed the quote authorizes them;
 * signing again gives the same signatures.
 */
export async function findSignedTransfers(op: Op, quote: QuoteRow): Promise<SignedChainPayment> {
  const account = await findInternalAccount(op, requireColumn(quote, 'source_account_id'))
  const { payload, stamp, public_key } = await selectOrder(op, requireColumn(quote, 'signing_request_id'))
  if (stamp === null || public_key === null) throw new Error(`${quote.id} was not stamped`)
  const order = { payload, stamp, sessionPublicKey: public_key }
  const [signature, feeSignature] = op.enclave.signWalletTransfers(
    account.id,
    requireColumn(account, 'sealed_seed'),
    order,
  )
  if (!signature) throw new Error(`${quote.id} has no transfer`)
  const { chain } = parseJson(payload) as { readonly chain: ChainTransfers }
  const { rail, address } = requireWallet(quote)
  const railChain = op.rails.find(rail)?.chain
  if (!railChain)
    throw new Error(`The rail ${rail} is not in RAILS_FILE. Its payments wait until it is configured again.`)
  const [, fee] = chain.transfers
  return {
    senderId: railChain.walletAddressId(account.id),
    sender: address,
    validBefore: BigInt(Math.floor(Date.parse(chain.validBefore) / MS_PER_SECOND)),
    signature,
    ...(fee && feeSignature
      ? { fee: { amount: BigInt(fee.amount), recipient: toLowerHex(fee.to), signature: feeSignature } }
      : {}),
  }
}

function requireWallet({ id, request }: QuoteRow): NonNullable<QuoteRow['request']['wallet']> {
  if (!request.wallet) throw new Error(`${id} is not paid by a chain wallet`)
  return request.wallet
}

function requireSigningToken(
  chain: RailChain,
  currency: string,
): ChainToken & { domain: NonNullable<ChainToken['domain']> } {
  const token = chain.token(currency)
  if (!token.domain) throw new Error(`The ${currency} token does not support signed transfers`)
  return { ...token, domain: token.domain }
}

function formatAddress(address: string): string {
  return toChecksumAddress(address.slice(2))
}
