import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { NodeError } from '../../kernel/ports/chain-nodes.ts'
import type { Read } from '../../storage/read/read.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { type EvmRail, isTreasury } from './evm-rail.ts'
import { selectAddressRole } from './store.ts'

/** Checks whether an address can be paid on a chain. */

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
/** Code prefix of a wallet that delegates its calls to a contract (EIP-7702). Its key can still spend. */
const DELEGATION_PREFIX = '0xef0100'
/** The time for which an address is cached as not being a contract. */
const CACHE_MS = 10 * 60_000
const CACHE_MAX = 10_000

/** Returns why an address can never be paid, or undefined if it may be payable. */
export function findPermanentFault(rail: EvmRail, address: Hex): string | undefined {
  const { entry, gas } = rail
  if (address === ZERO_ADDRESS) return 'is the zero address'
  if (entry.tokens.some((token) => token.address.toLowerCase() === address)) return 'is a token contract'
  return isTreasury(rail, address) || gas.includes(address) ? OWN_ADDRESS_FAULT : undefined
}

const OWN_ADDRESS_FAULT = 'is an address of this platform. Pay its internal account instead'

/**
 * Returns why an address cannot be paid. Checks the records and the chain too. Also undefined if no node
 * responds, because the worker checks again before sending.
 */
export async function findPayeeFault(
  rail: EvmRail,
  read: Read,
  account: AccountDetails,
): Promise<string | undefined> {
  const rawAddress = findAddress(account)
  if (rawAddress === undefined) return undefined
  const address = toLowerHex(rawAddress)
  return findOwnAddressFault(rail, read, address)
}

/** Returns why a lowercase address must not be paid: it is one of ours, or a contract. */
export async function findOwnAddressFault(
  rail: EvmRail,
  read: Read,
  address: Hex,
): Promise<string | undefined> {
  const permanentFault = findPermanentFault(rail, address)
  if (permanentFault !== undefined) return permanentFault
  if (await selectAddressRole(read, rail.name, address)) return OWN_ADDRESS_FAULT
  try {
    return (await isContract(rail, address)) ? CONTRACT_FAULT : undefined
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}

const CONTRACT_FAULT = 'is a contract, not a wallet'

/** Cache of addresses known not to be contracts, by rail, with the real time of each check. */
const walletCache = new WeakMap<EvmRail, Map<Hex, number>>()

/**
 * True if the address is a contract, which may be unable to move money that it receives. Throws NodeError.
 */
export async function isContract(rail: EvmRail, address: Hex): Promise<boolean> {
  const wallets = walletCache.get(rail) ?? new Map<Hex, number>()
  walletCache.set(rail, wallets)
  if ((wallets.get(address) ?? Number.NEGATIVE_INFINITY) > performance.now() - CACHE_MS) return false
  const code = await rail.nodes.code(address)
  if (code !== '0x' && !code.startsWith(DELEGATION_PREFIX)) return true
  if (wallets.size >= CACHE_MAX) wallets.clear()
  wallets.set(address, performance.now())
  return false
}

export function findAddress(account: AccountDetails): string | undefined {
  return 'address' in account && typeof account.address === 'string' ? account.address : undefined
}
