import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { WALLET_NETWORKS } from '@countersign/contract/platforms/config'
import { CHAIN_WALLET_CURRENCY, WALLET_CURRENCY, type WalletChain } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { PlatformConfig } from './platform-config.ts'

type WalletNetwork = (typeof WALLET_NETWORKS)[number]
type WithNetwork = Pick<PlatformConfig, 'embeddedWalletConfig'>

const SPARK = 'SPARK' satisfies WalletNetwork

/** The currencies of the platform's wallets: of those created on Spark earlier, and of those created now. */
export function walletCurrencies({ embeddedWalletConfig }: WithNetwork): string[] {
  const { network = SPARK } = embeddedWalletConfig
  return network === SPARK ? [WALLET_CURRENCY] : [WALLET_CURRENCY, CHAIN_WALLET_CURRENCY]
}

/**
 * The chain for the platform's new wallets; undefined on Spark. Error: 503 `UNAVAILABLE` while no configured
 * rail is on that chain. Wallets are not created elsewhere instead, because they could never move.
 */
export async function walletChain(
  op: Op,
  { embeddedWalletConfig }: WithNetwork,
): Promise<WalletChain | undefined> {
  const { network = SPARK } = embeddedWalletConfig
  if (network === SPARK) return undefined
  const found = await findWalletChain(op, network)
  if (found) return found
  throw new ApiError('UNAVAILABLE', {
    message: `Wallets are made on ${network}, but no rail of this server is there now. Try again later.`,
  })
}

/** Error: 400 `INVALID_INPUT` if no wallets can be created on the network. */
export async function checkWalletNetwork(op: Op, network: WalletNetwork | undefined): Promise<void> {
  if (network === undefined || network === SPARK || (await findWalletChain(op, network))) return
  throw fieldError(
    'INVALID_INPUT',
    'embeddedWalletConfig.network',
    `No rail of this server is on ${network} with a ${CHAIN_WALLET_CURRENCY} that takes signed transfers (EIP3009)`,
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

/**
 * True if the rail's token accepts transfers that the wallet's key signs and another account pays the gas
 * for.
 */
function supportsWallets({ isRetired, entry }: Rail): boolean {
  if (isRetired || entry?.kind !== 'evm') return false
  return entry.tokens.some(
    ({ currency, standard }) => currency === CHAIN_WALLET_CURRENCY && standard === 'EIP3009',
  )
}
