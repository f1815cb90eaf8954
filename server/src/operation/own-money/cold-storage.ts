import { EVM_NETWORKS, type EvmNetwork } from '@countersign/contract/core/evm'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { type Hex, toLowerHex } from '../../base/formats/hex.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import {
  findExternalAccount,
  findExternalAccountEvenIfDeleted,
  hasCustomerAccount,
} from '../../money/external-accounts/external-accounts.ts'
import { chooseRail } from '../../money/rails/choose-rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow } from '../../storage/rows/own-money.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

/** An operator address whose key is not on this server. */
export interface ColdStorage {
  /** `sandbox` if there is no chain. */
  readonly railName: string
  readonly network: EvmNetwork
  /** In lower case. */
  readonly address: Hex
  /** Undefined in a sandbox without a chain. */
  readonly chain: RailChain | undefined
}

/**
 * Finds a registered address with the rail that pays it. Errors, naming `field`: 400 `INVALID_INPUT` for an
 * account with another purpose, 501 `NOT_IMPLEMENTED` if no rail serves it, 503 `UNAVAILABLE` until its chain
 * has been reached.
 */
export async function findColdStorage(op: Op, account: OwnAccountRow, field: string): Promise<ColdStorage> {
  if (account.purpose !== 'COLD_STORAGE')
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `The purpose of this account is ${account.purpose}, not COLD_STORAGE.`,
    )
  const external = await findExternalAccountEvenIfDeleted(op, account.external_account_id)
  return resolveColdStorage(op, requireValue(external, 'registered account'), field)
}

/** Errors: as `findColdStorage`. */
async function resolveColdStorage(
  op: Op,
  { account_type: accountType, account_info: info, currency }: ExternalAccountRow,
  field: string,
): Promise<ColdStorage> {
  const network = EVM_NETWORKS.find((candidate) => accountType === `${candidate}_WALLET`)
  if (!network || !('address' in info))
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `Cold storage must be on ${EVM_NETWORKS.join(', ')}, not ${accountType}.`,
    )
  const request = { direction: 'OUT', accountType, paymentRail: null, currency, amount: undefined } as const
  const { name, chain, isSimulated } = await chooseRail(op, request, field)
  if (!chain && !isSimulated)
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `This server has no chain for ${accountType} in ${currency}.`,
    )
  return { railName: name ?? SANDBOX_RAIL, network, address: toLowerHex(info.address), chain }
}

/**
 * Checks that an external account can be cold storage. Throws 400 `INVALID_INPUT` for an address without its
 * checksum or one that belongs to a customer or to this server; as `findColdStorage`.
 */
export async function checkCanBeColdStorage(op: Op, external: ExternalAccountRow): Promise<void> {
  const field = 'externalAccountId'
  const { address, chain } = await resolveColdStorage(op, external, field)
  const checksummed = toChecksumAddress(address.slice(2))
  // In a sandbox without a chain, the last characters select an outcome, which breaks the checksum.
  if (chain && external.identifier !== checksummed)
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `The address of this account has no checksum. Add the account again as ${checksummed}.`,
    )
  if (await hasCustomerAccount(op, [checksummed, address]))
    throw createFieldError('INVALID_INPUT', field, 'The address of this account belongs to a customer.')
  const fault = await chain?.findColdStorageFault(op.read, address)
  if (fault !== undefined)
    throw createFieldError('INVALID_INPUT', field, `The address of this account ${fault}.`)
}

/** Rechecks an address before approval. Errors: as `checkCanBeColdStorage`. */
export async function checkStillCold(op: Op, account: OwnAccountRow): Promise<void> {
  if (account.purpose !== 'COLD_STORAGE') return
  await checkCanBeColdStorage(op, await findExternalAccount(op, account.external_account_id))
}

/**
 * The writes that make the server follow an approved address on its chain. Empty for accounts with another
 * purpose. Errors: as `findColdStorage`.
 */
export async function followColdStorage(op: Op, account: OwnAccountRow): Promise<readonly Write[]> {
  if (account.purpose !== 'COLD_STORAGE' || account.state !== 'ACTIVE') return []
  const { address, chain } = await findColdStorage(op, account, 'externalAccountId')
  return chain ? chain.coldAddress(op.read, op, account.id, address) : []
}
