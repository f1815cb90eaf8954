import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { WALLET_NETWORKS } from '@countersign/contract/platforms/config'
import { CHAIN_WALLET_CURRENCY, WALLET_CURRENCY, type WalletChain } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { PlatformConfig } from './platform-config.ts'

type WalletNetwork = (typeof WALLET_NETWORKS)[number]
type NetworkSetting = Pick<PlatformConfig, 'embeddedWalletConfig'>

const SPARK = 'SPARK' satisfies WalletNetwork

/** Lists the currencies of all the platform's wallets, including earlier ones on Spark. */
export function getWalletCurrencies({ embeddedWalletConfig }: NetworkSetting): string[] {
  const { network = SPARK } = embeddedWalletConfig
  return network === SPARK ? [WALLET_CURRENCY] : [WALLET_CURRENCY, CHAIN_WALLET_CURRENCY]
}

/**
 * Finds the chain for the platform's new wallets. Undefined on Spark. Throws 503 `UNAVAILABLE` if no
 * configured rail serves that chain; no other network is used instead, because a wallet cannot be moved
 * later.
 */
export async function requireWalletChain(
  op: Op,
  { embeddedWalletConfig }: NetworkSetting,
): Promise<WalletChain | undefined> {
  const { network = SPARK } = embeddedWalletConfig
  if (network === SPARK) return undefined
  const walletChain = await findWalletChain(op, network)
  if (walletChain) return walletChain
  throw new ApiError('UNAVAILABLE', {
    message: `This platform creates wallets on ${network}, but no rail for ${network} is available. Try again later.`,
  })
}

/** Throws 400 `INVALID_INPUT` if wallets cannot be created on the network. */
export async function checkWalletNetwork(op: Op, network: WalletNetwork | undefined): Promise<void> {
  if (network === undefined || network === SPARK || (await findWalletChain(op, network))) return
  throw createFieldError(
    'INVALID_INPUT',
    'embeddedWalletConfig.network',
    `No rail on this server supports signed ${CHAIN_WALLET_CURRENCY} transfers (EIP3009) on ${network}.`,
  )
}

async function findWalletChain(op: Op, network: EvmNetwork): Promise<WalletChain | undefined> {
  for (const rail of op.rails.list()) {
    const { name, chain } = rail
    if (name === null || chain?.network !== network || !supportsWallets(rail)) continue
    if ((await op.rails.ownerOf(rail)) === op.platform.id) return { rail: name, chain }
  }
  return undefined
}

/** True if the rail's token supports transfers that the wallet signs while another account pays the gas. */
function supportsWallets({ isRetired, entry }: Rail): boolean {
  if (isRetired || entry?.kind !== 'evm') return false
  return entry.tokens.some(
    ({ currency, standard }) => currency === CHAIN_WALLET_CURRENCY && standard === 'EIP3009',
  )
}
