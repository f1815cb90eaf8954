import { rowByKey } from '../db/read/lookup.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type { DepositAccountRow, DepositRow, RailEventRow, RailPaymentRow } from '../db/schema/rail-tables.ts'
import type { ExternalAccountRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { depositAccountId, poolOf } from './ids.ts'

const PAYMENT_BY_ID = rowByKey<RailPaymentRow>(
  'SELECT * FROM rail_payments WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectRailPayment(op: Op, id: string): Promise<RailPaymentRow | undefined> {
  return op.find(PAYMENT_BY_ID, id)
}

const EVENT_BY_ID = rowByKey<RailEventRow>('SELECT * FROM rail_events WHERE id = ANY ($1::uuid[])', 'id')

export async function selectRailEvent(op: Op, id: string): Promise<RailEventRow | undefined> {
  return op.find(EVENT_BY_ID, id)
}

/** Deleted or not: a payment goes on to the account that it began with. */
const ACCOUNT_BY_ID = rowByKey<ExternalAccountRow>(
  'SELECT * FROM external_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectOtherAccount(op: Op, id: string): Promise<ExternalAccountRow | undefined> {
  return op.find(ACCOUNT_BY_ID, id)
}

/** What rails have reported that fits nothing: newest first, a page of those in one state. */
export function selectRailEvents(
  op: Op,
  { status, rail }: { readonly status?: RailEventRow['state']; readonly rail?: string },
) {
  return op.read
    .selectFrom('rail_events')
    .where('platform_id', '=', op.platform.id)
    .where('state', '<>', 'APPLIED')
    .$call((q) => whereGiven(q, 'state', '=', status))
    .$call((q) => whereGiven(q, 'rail', '=', rail))
    .selectAll()
}

/** The oldest platform of the server. */
export async function selectOldestPlatform(read: Op['read']): Promise<string | undefined> {
  const row = await read
    .selectFrom('platforms')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst()
  return row?.id
}

const DEPOSIT_ACCOUNT_BY_ID = rowByKey<DepositAccountRow>(
  'SELECT * FROM deposit_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectDepositAccount(op: Op, id: string): Promise<DepositAccountRow | undefined> {
  return op.find(DEPOSIT_ACCOUNT_BY_ID, id)
}

/** What all payers of a currency pay in to. */
export async function selectPool(
  op: Op,
  rail: string,
  currency: string,
): Promise<DepositAccountRow | undefined> {
  return selectDepositAccount(op, depositAccountId(rail, poolOf(currency)))
}

const DEPOSIT_BY_ID = rowByKey<DepositRow>('SELECT * FROM deposits WHERE id = ANY ($1::uuid[])', 'id')

export async function selectDeposit(op: Op, id: string): Promise<DepositRow | undefined> {
  return op.find(DEPOSIT_BY_ID, id)
}
