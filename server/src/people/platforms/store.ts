import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupByKey } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'

/** Columns that always change together. */
export type ConfigRow = Pick<PlatformRow, 'id' | 'version' | 'config' | 'updated_at'>

export const CONFIG_BY_ID = lookupByKey<ConfigRow>(
  'SELECT id, version, config, updated_at FROM platforms WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectPlatform(op: Op): Promise<PlatformRow> {
  return op.read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', op.platform.id)
    .executeTakeFirstOrThrow()
}

/** A platform that was not reset. */
export async function selectOpenPlatform(read: Read, id: string): Promise<PlatformRow | undefined> {
  return read
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

/** All platforms that were not reset, oldest first. */
export async function selectOpenPlatforms(read: Read): Promise<PlatformRow[]> {
  return read
    .selectFrom('platforms')
    .selectAll()
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function hasPlatforms(read: Read): Promise<boolean> {
  return (await read.selectFrom('platforms').select('id').limit(1).executeTakeFirst()) !== undefined
}

export interface MissingAccount {
  readonly customerId: string
  readonly currency: string
}

/**
 * Approved customers that lack an account in one of `currencies`, ordered by id, starting at
 * `fromCustomerId`. Wallets do not count. One row per customer and currency, at most `limit`.
 */
export async function selectMissingAccounts(
  op: Op,
  currencies: readonly string[],
  fromCustomerId: string,
  limit: number,
): Promise<MissingAccount[]> {
  return op.read
    .selectFrom('customers')
    .innerJoin(sql<{ code: string }>`unnest(${currencies}::text[])`.as<'wanted'>(sql`wanted(code)`), (join) =>
      join.onTrue(),
    )
    .select(['customers.id as customerId', 'wanted.code as currency'])
    .where('customers.platform_id', '=', op.platform.id)
    .where('customers.id', '>=', fromCustomerId)
    .where('customers.verification_status', '=', 'APPROVED')
    .where('customers.deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('internal_accounts')
            .select('internal_accounts.id')
            .whereRef('internal_accounts.customer_id', '=', 'customers.id')
            .where('internal_accounts.type', '<>', 'EMBEDDED_WALLET')
            .whereRef('internal_accounts.currency', '=', 'wanted.code'),
        ),
      ),
    )
    .orderBy('customers.id')
    .orderBy('wanted.code')
    .limit(limit)
    .execute()
}

/** The id of the server's oldest platform. */
export async function selectOldestPlatform(read: Read): Promise<string | undefined> {
  const row = await read
    .selectFrom('platforms')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
