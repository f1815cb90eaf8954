import type { Op } from '../../kernel/operation/app.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { StablecoinAccountRow } from '../../storage/rows/look-up.ts'

export interface StablecoinAccountFilters {
  readonly provider?: StablecoinAccountRow['provider']
  readonly status?: StablecoinAccountRow['status']
}

function selectFromPlatform(op: Op) {
  return op.read.selectFrom('stablecoin_accounts').where('platform_id', '=', op.platform.id)
}

export async function selectStablecoinAccount(op: Op, id: string): Promise<StablecoinAccountRow | undefined> {
  return selectFromPlatform(op).selectAll().where('id', '=', id).executeTakeFirst()
}

/** The record of an account at a provider, if this platform has ever linked it. */
export async function selectLinked(
  op: Op,
  {
    provider,
    provider_environment,
    provider_account_id,
  }: Pick<StablecoinAccountRow, 'provider' | 'provider_environment' | 'provider_account_id'>,
): Promise<StablecoinAccountRow | undefined> {
  return selectFromPlatform(op)
    .selectAll()
    .where('provider', '=', provider)
    .where('provider_environment', '=', provider_environment)
    .where('provider_account_id', '=', provider_account_id)
    .executeTakeFirst()
}

export function selectStablecoinAccounts(op: Op, filters: StablecoinAccountFilters) {
  return selectFromPlatform(op)
    .selectAll()
    .$call((q) => whereIfDefined(q, 'provider', '=', filters.provider))
    .$call((q) => whereIfDefined(q, 'status', '=', filters.status))
}
