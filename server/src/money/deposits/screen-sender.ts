import { ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { mayBeEvmAddress } from '../../base/formats/screened-addresses.ts'
import { toNetwork } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositAccountRow, DepositRow } from '../../storage/rows/rail.ts'
import { screen } from '../screenings/screenings.ts'

/** The reason of a deposit that is in suspense because its sender's address is on a list. */
export const SCREENING_HIT = 'SCREENING_HIT'

/** Chain networks by name and by account type. Rails report either of them. */
const NETWORKS: ReadonlyMap<string, string> = new Map(
  Object.keys(ACCOUNT_TYPES).flatMap((type) => {
    const network = toNetwork(type)
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
  const screening = await screen(op, { network, address, direction: 'CREDIT', amount, currency, subject })
  return { isHit: screening.row?.state === SCREENING_INITIAL, writes: screening.writes }
}

/**
 * The network on which a deposit arrived, from the first source that knows it: the rail's only chain, the
 * rail's report, the deposit account, or the format of the address. Undefined for bank deposits.
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
  const accountNetwork = NETWORKS.get(opened?.account_info?.accountType ?? '')
  return (
    statedNetwork ??
    accountNetwork ??
    findServedChain(configured?.entry) ??
    (mayBeEvmAddress(address) ? ANY_EVM : undefined)
  )
}

/** The first chain that a rail serves, if it accepts deposits only on chains. */
function findServedChain(entry: Rail['entry']): string | undefined {
  const networks = (entry?.serves ?? [])
    .filter(({ direction }) => direction === 'IN')
    .flatMap(({ accountTypes }) => accountTypes.map((type) => NETWORKS.get(type)))
  return networks.includes(undefined) ? undefined : networks[0]
}
