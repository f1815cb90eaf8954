import { EVM_NETWORKS, type EvmNetwork } from '@countersign/contract/core/evm'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { type Hex, lowerHex } from '../../base/formats/hex.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { fieldError } from '../../kernel/operation/operation.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import {
  findExternalAccount,
  findExternalAccountEver,
  hasCustomerAccount,
} from '../../money/external-accounts/external-accounts.ts'
import { chooseRail } from '../../money/rails/choose-rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow } from '../../storage/rows/own-money.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

/** An operator's address whose key is not on this server. */
export interface ColdStorage {
  /** `sandbox` without a chain. */
  readonly railName: string
  readonly network: EvmNetwork
  /** Lowercase. */
  readonly address: Hex
  /** Undefined in a sandbox without one. */
  readonly chain: RailChain | undefined
}

/**
 * A registered address with the rail that pays it. Errors, naming `field`: 400 `INVALID_INPUT` for an account
 * with another purpose, 501 `NOT_IMPLEMENTED` if no rail serves it, 503 `UNAVAILABLE` until its chain is
 * reached.
 */
export async function findColdStorage(op: Op, account: OwnAccountRow, field: string): Promise<ColdStorage> {
  if (account.purpose !== 'COLD_STORAGE')
    throw fieldError(
      'INVALID_INPUT',
      field,
      `The purpose of this account is ${account.purpose}, not COLD_STORAGE`,
    )
  const external = await findExternalAccountEver(op, account.external_account_id)
  return placeOf(op, requireValue(external, 'registered account'), field)
}

/** Errors: as `findColdStorage`. */
async function placeOf(
  op: Op,
  { account_type: accountType, account_info: info, currency }: ExternalAccountRow,
  field: string,
): Promise<ColdStorage> {
  const network = EVM_NETWORKS.find((one) => accountType === `${one}_WALLET`)
  if (!network || !('address' in info))
    throw fieldError(
      'INVALID_INPUT',
      field,
      `Cold storage is on ${EVM_NETWORKS.join(', ')}, not ${accountType}`,
    )
  const wanted = { direction: 'OUT', accountType, paymentRail: null, currency, amount: undefined } as const
  const { name, chain, isSimulated } = await chooseRail(op, wanted, field)
  if (!chain && !isSimulated)
    throw fieldError('INVALID_INPUT', field, `No chain of this server serves ${accountType} in ${currency}`)
  return { railName: name ?? SANDBOX_RAIL, network, address: lowerHex(info.address), chain }
}

/**
 * Checks that an external account can be cold storage. Errors: 400 `INVALID_INPUT` for an address without a checksum, of a
 * customer, or of this server; as `findColdStorage`.
 */
export async function checkColdStorageOf(op: Op, external: ExternalAccountRow): Promise<void> {
  const field = 'externalAccountId'
  const { address, chain } = await placeOf(op, external, field)
  const spelled = toChecksumAddress(address.slice(2))
  // In a sandbox without a chain, the last characters select an outcome and break the checksum.
  if (chain && external.identifier !== spelled)
    throw fieldError('INVALID_INPUT', field, `Add this account with the checksum of its address: ${spelled}`)
  if (await hasCustomerAccount(op, [spelled, address]))
    throw fieldError('INVALID_INPUT', field, 'The address of this account is an account of a customer')
  const fault = await chain?.faultOfColdStorage(op.read, address)
  if (fault !== undefined) throw fieldError('INVALID_INPUT', field, `The address of this account ${fault}`)
}

/** Checks once more that an address can be cold storage, before it is approved. Errors: as `checkColdStorageOf`. */
export async function checkStillCold(op: Op, account: OwnAccountRow): Promise<void> {
  if (account.purpose !== 'COLD_STORAGE') return
  await checkColdStorageOf(op, await findExternalAccount(op, account.external_account_id))
}

/**
 * The writes that start following an approved address. None for an account with another purpose. Errors: as
 * `findColdStorage`.
 */
export async function followColdStorage(op: Op, account: OwnAccountRow): Promise<readonly Write[]> {
  if (account.purpose !== 'COLD_STORAGE' || account.state !== 'ACTIVE') return []
  const { address, chain } = await findColdStorage(op, account, 'externalAccountId')
  return chain ? chain.coldAddress(op.read, op, account.id, address) : []
}
