import { ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { mayBeEvmAddress } from '../../base/formats/screened-addresses.ts'
import { networkOf } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositAccountRow, DepositRow } from '../../storage/rows/rail.ts'
import { screen } from '../screenings/screenings.ts'

/** Why a deposit from a listed address is in suspense. */
export const SCREENING_HIT = 'SCREENING_HIT'

/** Chain networks by name and by account type: rails report either. */
const NETWORKS: ReadonlyMap<string, string> = new Map(
  Object.keys(ACCOUNT_TYPES).flatMap((type) => {
    const network = networkOf(type)
    return network === undefined ? [] : [[type, network] as const, [network, network] as const]
  }),
)

/** The network of an EVM address if its chain is unknown. */
const ANY_EVM = 'EVM'

/**
 * Screens the chain address that a new deposit came from, if any. `opened` is the deposit account that was
 * paid. Throws 503 `UNAVAILABLE` if the address cannot be screened.
 */
export async function screenSender(
  op: Op,
  row: DepositRow,
  opened: DepositAccountRow | undefined,
): Promise<{ readonly isHit: boolean; readonly writes: readonly Write[] }> {
  const address = row.details.sender?.accountIdentifier
  const network = address === undefined ? undefined : findNetwork(op, row, opened, address)
  if (address === undefined || network === undefined) return { isHit: false, writes: [] }
  const { id: subject, amount, currency } = row
  const screened = await screen(op, { network, address, direction: 'CREDIT', amount, currency, subject })
  return { isHit: screened.row?.state === SCREENING_INITIAL, writes: screened.writes }
}

/**
 * The network on which a deposit arrived: the rail's only chain, or the network that the rail reports, or the
 * one of the deposit account, or a guess from the format of the address. Undefined for bank deposits.
 */
function findNetwork(
  op: Op,
  { rail, details }: DepositRow,
  opened: DepositAccountRow | undefined,
  address: string,
): string | undefined {
  const configured = op.rails.find(rail)
  if (configured?.chain) return configured.chain.network
  const statedNetwork = NETWORKS.get(details.paymentRail?.toUpperCase() ?? '')
  const openedThere = NETWORKS.get(opened?.account_info?.accountType ?? '')
  return (
    statedNetwork ??
    openedThere ??
    chainServedBy(configured?.entry) ??
    (mayBeEvmAddress(address) ? ANY_EVM : undefined)
  )
}

/** The first chain that a rail serves, if it accepts deposits only on chains. */
function chainServedBy(entry: Rail['entry']): string | undefined {
  const networks = (entry?.serves ?? [])
    .filter(({ direction }) => direction === 'IN')
    .flatMap(({ accountTypes }) => accountTypes.map((type) => NETWORKS.get(type)))
  return networks.includes(undefined) ? undefined : networks[0]
}
