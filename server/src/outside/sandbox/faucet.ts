import type { AccountTypeName } from '@countersign/contract/accounts/account-types'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import type { OwnedAccountRow } from '../../kernel/accounts/accounts.ts'
import { listFundingTypes } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'

/** The location of an account on a chain with a faucet. */
interface ChainAddress {
  readonly rail: string
  readonly address: Hex
}

/**
 * Funds an account through its chain's faucet: returns a job that mints to the account's address, from where
 * the money arrives as an ordinary deposit. Undefined if no chain with a faucet carries the account's
 * currency; the caller then credits the account in the ledger. Throws 503 `UNAVAILABLE` while the account has
 * no address yet, and 400 `INVALID_INPUT` for a wallet on a chain without a faucet.
 */
export async function fundOnChain(
  op: Op,
  account: OwnedAccountRow,
  amount: bigint,
): Promise<readonly Write[] | undefined> {
  const target = await findChainAddress(op, account)
  if (!target) return undefined
  const payload = { ...target, currency: account.currency, amount: String(amount) }
  return [job(op, 'chain.mint', payload, op.now)]
}

async function findChainAddress(op: Op, account: OwnedAccountRow): Promise<ChainAddress | undefined> {
  const { chain_rail: rail, chain_address: address, currency } = account
  if (rail !== null && address !== null) {
    if (op.rails.find(rail)?.chain?.mint) return { rail, address }
    throw createFieldError(
      'INVALID_INPUT',
      'accountId',
      'This wallet is on a chain without a faucet. Send tokens to its address.',
    )
  }
  const routes = await Promise.all(
    listFundingTypes(currency).map((type) => findMintingRail(op, type, currency)),
  )
  const mintingRail = routes.find((route) => route !== undefined)
  if (!mintingRail) return undefined
  const opened = account.funding?.find(({ rail: name }) => name === mintingRail.name)?.accountOrWalletInfo
  if (opened && 'address' in opened) return { rail: mintingRail.name, address: opened.address as Hex }
  throw new ApiError('UNAVAILABLE', {
    message: 'The account has no address on the chain yet. Try again in a few seconds.',
  })
}

/** Finds the rail on a chain with a faucet that accepts deposits in a currency. */
async function findMintingRail(op: Op, accountType: AccountTypeName, currency: string) {
  const request = { direction: 'IN', accountType, paymentRail: null, currency, amount: undefined } as const
  const rail: Rail | undefined = await op.rails.route(op.platform.id, request)
  return rail?.chain?.mint && rail.name !== null ? { name: rail.name } : undefined
}

/**
 * Mints the money for an account. If the process crashes right afterwards, the job mints again; both the
 * chain and the ledger then show both amounts.
 */
export const mintAtFaucet: JobHandler<'chain.mint'> = async (op, { rail, currency, address, amount }) => {
  await op.rails.find(rail)?.chain?.mint?.(currency, toLowerHex(address), BigInt(amount))
  return []
}
