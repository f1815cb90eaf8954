import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'

/** The ids of sessions that can still sign for a customer's wallets. */
export async function selectActiveSessionIds(op: Op, customerId: string): Promise<string[]> {
  const sessions = await op.read
    .selectFrom('sessions')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'sessions.account_id')
    .select('sessions.id')
    .where('internal_accounts.customer_id', '=', customerId)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', op.now)
    .execute()
  return sessions.map((session) => session.id)
}

/** The ids of the active credentials of a customer's wallets. */
export async function selectLiveCredentialIds(op: Op, customerId: string): Promise<string[]> {
  const credentials = await op.read
    .selectFrom('credentials')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'credentials.account_id')
    .select('credentials.id')
    .where('internal_accounts.customer_id', '=', customerId)
    .where('credentials.revoked_at', 'is', null)
    .execute()
  return credentials.map((credential) => credential.id)
}

/** A customer's accounts with a balance, oldest first. */
export async function selectFilledAccounts(
  op: Op,
  customerId: string,
  limit: number,
): Promise<FilledAccount[]> {
  return op.read
    .selectFrom('internal_accounts')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'internal_accounts.id')
    .select(['internal_accounts.id', 'internal_accounts.currency', 'posted', 'held'])
    .where('customer_id', '=', customerId)
    .where(({ or, eb }) => or([eb('posted', '<>', 0n), eb('held', '<>', 0n)]))
    .orderBy('internal_accounts.created_at')
    .orderBy('internal_accounts.id')
    .limit(limit)
    .execute()
}

/** Open payments that will still move a customer's money, as defined by the database's deletion guard. */
export async function selectOpenPayments(
  op: Op,
  customerId: string,
  kind: OpenPayment['kind'],
  limit: number,
): Promise<OpenPayment[]> {
  return op.read
    .selectFrom(sql<OpenPayment>`customer_open_payments(${extractUuid(customerId)})`.as<'open'>(sql`open`))
    .selectAll()
    .where('open.kind', '=', kind)
    .orderBy('open.id')
    .limit(limit)
    .execute()
}

export interface FilledAccount {
  readonly id: string
  readonly currency: string
  readonly posted: bigint
  readonly held: bigint
}

export interface OpenPayment {
  readonly id: string
  readonly kind: 'transaction' | 'cardTransaction'
  readonly status: string
  readonly card_id: string | null
}
