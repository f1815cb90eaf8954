import { ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { mayBeEvmAddress } from '../../base/formats/screened-addresses.ts'
import { networkOf } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositAccountRow, DepositRow } from '../../storage/rows/rail.ts'
import { screen } from '../screenings/screenings.ts'

/** Why a deposit is in suspense whose sender is on a list. */
export const SCREENING_HIT = 'SCREENING_HIT'

/** The networks of chains, by themselves and by their account types: a rail says either. */
const NETWORKS: ReadonlyMap<string, string> = new Map(
  Object.keys(ACCOUNT_TYPES).flatMap((type) => {
    const network = networkOf(type)
    return network === undefined ? [] : [[type, network] as const, [network, network] as const]
  }),
)

/** What an address of this form is on where nothing says which chain it is. */
const ANY_EVM = 'EVM'

/**
 * Asks about the address on a chain that a new deposit came from, where it came from one. `opened` is what it was paid in to.
 * Error: 503 `UNAVAILABLE` where nobody can say.
 */
export async function screenSender(
  op: Op,
  row: DepositRow,
  opened: DepositAccountRow | undefined,
): Promise<{ readonly isHit: boolean; readonly writes: readonly Write[] }> {
  const address = row.details.sender?.accountIdentifier
  const network = address === undefined ? undefined : originOf(op, row, opened, address)
  if (address === undefined || network === undefined) return { isHit: false, writes: [] }
  const { id: subject, amount, currency } = row
  const asked = await screen(op, { network, address, direction: 'CREDIT', amount, currency, subject })
  return { isHit: asked.row?.state === SCREENING_INITIAL, writes: asked.writes }
}

/**
 * The network of the chain that a deposit came on: that of its rail, or as the rail has said or has opened an account there, or
 * by the form of the address. Undefined for a bank's.
 */
function originOf(
  op: Op,
  { rail, details }: DepositRow,
  opened: DepositAccountRow | undefined,
  address: string,
): string | undefined {
  const by = op.rails.find(rail)
  if (by?.chain) return by.chain.network
  const said = NETWORKS.get(details.paymentRail?.toUpperCase() ?? '')
  const openedThere = NETWORKS.get(opened?.account_info?.accountType ?? '')
  return said ?? openedThere ?? chainServedBy(by?.entry) ?? (mayBeEvmAddress(address) ? ANY_EVM : undefined)
}

/** The chain of a rail that brings deposits of chains alone: the first that it serves. */
function chainServedBy(entry: Rail['entry']): string | undefined {
  const networks = (entry?.serves ?? [])
    .filter(({ direction }) => direction === 'IN')
    .flatMap(({ accountTypes }) => accountTypes.map((type) => NETWORKS.get(type)))
  return networks.includes(undefined) ? undefined : networks[0]
}
