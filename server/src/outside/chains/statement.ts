import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { type ReadsFrom, toColdStorageName } from '../../kernel/ports/rail.ts'
import { endOfRailDay, startOfRailDay } from '../../operation/reconciliations/days.ts'
import type { EvmRail } from './evm-rail.ts'
import { buildBalancesCall, decodeBalances, MULTICALL_ADDRESS } from './formats/calls.ts'
import {
  type AddressGroup,
  type BookedMovement,
  selectAddressesAfter,
  selectBookedMovements,
  selectFollowedBlock,
  selectTotals,
} from './store.ts'
import { readTokenBalance } from './token-balance.ts'

/** Addresses per multicall. */
const ADDRESSES_AT_ONCE = 250
/** Concurrent balance calls on chains without a multicall contract. */
const CALLS_AT_ONCE = 8

/** Total balance per currency across a group's addresses, at the last followed block. */
export async function readBalances(
  rail: EvmRail,
  from: ReadsFrom,
  group: AddressGroup,
): Promise<ReadonlyMap<string, bigint>> {
  const balances = new Map<string, bigint>()
  const followedBlock = await selectFollowedBlock(from, rail.name)
  if (followedBlock === undefined) return balances
  for (const { currency, address } of rail.entry.tokens)
    balances.set(currency, await sumBalances(rail, from, group, toLowerHex(address), followedBlock))
  return balances
}

/**
 * Builds a day's statement, whose closing balance is the on-chain balance minus later movements. Its entries
 * are the recorded transfers except those between our own addresses, so a missing one shows up as a gap
 * between statements. Undefined until the chain has been followed to the end of the day, and while it is
 * being re-followed.
 */
export async function buildStatement(
  rail: EvmRail,
  date: string,
  currency: string,
  from: ReadsFrom,
  group: AddressGroup,
): Promise<ConnectorStatement | undefined> {
  const token = findToken(rail, currency)
  if (token === undefined) return undefined
  const [start, end] = [startOfRailDay(date, rail), endOfRailDay(date, rail)]
  const totals = await selectTotals(from, rail.name, currency, end, group)
  if (totals.followedBlock === undefined || totals.latestTime === undefined) return undefined
  if (!totals.isSettled || totals.latestTime < end) return undefined
  const total = await sumBalances(rail, from, group, token, totals.followedBlock)
  const entries = await selectBookedMovements(from, rail.name, currency, start, end, group)
  const closing = total - totals.netAmount
  const opening = entries.reduce((balance, { amount }) => balance - amount, closing)
  return {
    statementId: `${group === 'cold' ? toColdStorageName(rail.name) : rail.name} ${currency} ${date}`,
    date,
    currency,
    openingBalance: String(opening),
    closingBalance: String(closing),
    entries: entries.map(toEntry),
  }
}

function toEntry(row: BookedMovement): StatementEntry {
  const { entryId, bookedAt, amount, transactionHash, logIndex } = row
  const text = `${transactionHash} log ${logIndex}${row.isReorged ? ', in a block that was reorganized away' : ''}`
  const entry = { entryId, bookedAt: bookedAt.toISOString(), amount: String(amount), text }
  if (row.kind === 'DEPOSIT' && row.depositId !== null)
    return { ...entry, kind: row.isReorged ? 'DEPOSIT_REVERSAL' : 'DEPOSIT', depositId: row.depositId }
  // A payment in a reorged block has not been returned to the payer; it is resubmitted.
  return row.paymentId === null
    ? { ...entry, kind: 'OTHER' }
    : { ...entry, kind: 'PAYMENT', id: row.paymentId }
}

function findToken({ entry }: EvmRail, currency: string): Hex | undefined {
  const token = entry.tokens.find((candidate) => candidate.currency === currency)
  return token && toLowerHex(token.address)
}

/** Sums a group's balances in one token at a given block. Throws NodeError. */
async function sumBalances(
  rail: EvmRail,
  from: ReadsFrom,
  group: AddressGroup,
  token: Hex,
  block: bigint,
): Promise<bigint> {
  const { multicall: configured } = rail.entry
  const multicall = configured === undefined ? MULTICALL_ADDRESS : toLowerHex(configured)
  const hasMulticall = (await rail.nodes.code(multicall)) !== '0x'
  let total = 0n
  for (let afterAddress: string | undefined; ; ) {
    const rows = await selectAddressesAfter(from, rail.name, group, afterAddress, ADDRESSES_AT_ONCE)
    const addresses = rows.map(({ address }) => address)
    const balances = hasMulticall
      ? decodeBalances(await rail.nodes.call(buildBalancesCall(multicall, token, addresses), block))
      : await readBalancesOneByOne(rail, token, addresses, block)
    total = balances.reduce((sum, balance) => sum + balance, total)
    if (rows.length < ADDRESSES_AT_ONCE) return total
    afterAddress = rows.at(-1)?.address
  }
}

async function readBalancesOneByOne(
  { nodes }: EvmRail,
  token: Hex,
  addresses: readonly Hex[],
  block: bigint,
): Promise<bigint[]> {
  const balances: bigint[] = []
  for (let at = 0; at < addresses.length; at += CALLS_AT_ONCE) {
    const chunk = addresses.slice(at, at + CALLS_AT_ONCE)
    balances.push(
      ...(await Promise.all(chunk.map((address) => readTokenBalance(nodes, token, address, block)))),
    )
  }
  return balances
}
