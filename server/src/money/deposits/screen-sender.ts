import { ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { mayBeEvmAddress } from '../../base/formats/screened-addresses.ts'
import { networkOf } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositAccountRow, DepositRow } from '../../storage/rows/rail.ts'
import { screen } from '../screenings/screenings.ts'

/** The reason for holding a deposit in suspense whose sender is on a list. */
export const SCREENING_HIT = 'SCREENING_HIT'

/** The networks of chains, by name and by account type: a rail may report either. */
const NETWORKS: ReadonlyMap<string, string> = new Map(
  Object.keys(ACCOUNT_TYPES).flatMap((type) => {
    const network = networkOf(type)
    return network === undefined ? [] : [[type, network] as const, [network, network] as const]
  }),
)

/** The network of an EVM address if nothing names the chain. */
const ANY_EVM = 'EVM'

/**
 * Screens the address on a chain that a new deposit came from, if it came from one. `opened` is the paid
 * deposit account. Error: 503 `UNAVAILABLE` if it cannot be screened.
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
 * The network of the chain that a deposit came on: the rail's only chain, or the network that the rail
 * reports or has opened an account on, or a guess by the form of the address. Undefined for a bank's.
 */
function originOf(
  op: Op,
  { rail, details }: DepositRow,
  opened: DepositAccountRow | undefined,
  address: string,
): string | undefined {
  const by = op.rails.find(rail)
  if (by?.chain) return by.chain.network
  const statedNetwork = NETWORKS.get(details.paymentRail?.toUpperCase() ?? '')
  const openedThere = NETWORKS.get(opened?.account_info?.accountType ?? '')
  return (
    statedNetwork ??
    openedThere ??
    chainServedBy(by?.entry) ??
    (mayBeEvmAddress(address) ? ANY_EVM : undefined)
  )
}

/** The chain of a rail that brings only chain deposits: the first that it serves. */
function chainServedBy(entry: Rail['entry']): string | undefined {
  const networks = (entry?.serves ?? [])
    .filter(({ direction }) => direction === 'IN')
    .flatMap(({ accountTypes }) => accountTypes.map((type) => NETWORKS.get(type)))
  return networks.includes(undefined) ? undefined : networks[0]
}
