import { ACCOUNT_CHANGE_INITIAL } from '@countersign/contract/states/account-change-states'
import { ACCOUNT_VERIFICATION_TRANSITIONS } from '@countersign/contract/states/account-verification-states'
import { type RawBuilder, sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { Read } from '../../storage/read/read.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type {
  BankPaymentRow,
  EntryFailure,
  QueuedPaymentRow,
  ReversalRow,
} from '../../storage/rows/bank-file.ts'
import { RAIL_EVENT_INITIAL } from '../../storage/rows/states.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

/** False while a change to the counterparty's account waits for a decision. */
const IS_REVIEWED = sql<boolean>`NOT EXISTS (
  SELECT FROM account_changes AS c
    JOIN transactions AS t ON c.external_account_id IN (t.source_account_id, t.destination_account_id)
  WHERE c.platform_id = bank_payments.platform_id AND c.state = ${sql.lit(ACCOUNT_CHANGE_INITIAL)}
    AND t.id = bank_payments.payment_id)`

/** A filter for payments that have been waiting for a file since `until` or longer. */
export interface Waiting {
  readonly rail: string
  readonly until: Date
  readonly limit: number
  readonly batch?: string | undefined
  /**
   * The latest effective date of prenotes past their waiting period. Undefined if payments need no prenote.
   */
  readonly provenOn?: string | undefined
  /** True for deposits that verify accounts, which have separate files. Default: all other entries. */
  readonly isMicro?: boolean
}

/**
 * Selects payments, prenotes and instructions that wait for a file, oldest first, from one batch or all.
 * Payments to an account with reported changes are excluded until an operator has reviewed the changes, and
 * payments that need a prenote until its waiting period has passed. Reversals are never included.
 */
export function selectWaiting(op: Op, { provenOn, ...waiting }: Waiting): Promise<BankPaymentRow[]> {
  return waitingPayments(op, waiting)
    .$if(provenOn !== undefined, (q) => q.where(isProven(provenOn ?? ''), '=', true))
    .execute()
}

/** Selects waiting payments whose account still needs a prenote. */
export function selectWithoutPrenote(op: Op, waiting: Waiting): Promise<QueuedPaymentRow[]> {
  return waitingPayments(op, waiting)
    .where('kind', '=', 'PAYMENT')
    .where(isProven(null), '=', false)
    .$narrowType<{ kind: 'PAYMENT' }>()
    .execute()
}

/**
 * Selects the reversal that has waited longest for a file, since `until` or longer. Reported changes to its
 * account do not delay it.
 */
export function selectWaitingReversal(
  op: Op,
  { rail, until }: Pick<Waiting, 'rail' | 'until'>,
): Promise<ReversalRow | undefined> {
  return waitingReversals(op.read, op.platform.id, rail)
    .where('created_at', '<=', until)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .selectAll()
    .$narrowType<{ kind: 'REVERSAL' }>()
    .executeTakeFirst()
}

export async function countWaitingReversals(read: Read, platformId: string, rail: string): Promise<number> {
  const { count } = await waitingReversals(read, platformId, rail)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function waitingReversals(read: Read, platformId: string, rail: string) {
  return read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', platformId)
    .where('kind', '=', 'REVERSAL')
    .where('file_id', 'is', null)
    .where(sql<boolean>`details ? 'failure'`, '=', false)
}

/** Selects waiting payments whose prenote has failed since, with the failure. */
export function selectRefusedPayments(
  op: Op,
  rail: string,
  limit: number,
): Promise<(Pick<BankPaymentRow, 'id' | 'payment_id' | 'direction'> & { failure: EntryFailure | null })[]> {
  return op.read
    .selectFrom('bank_payments')
    .innerJoin('bank_payments as p', (join) =>
      join
        .onRef('p.rail', '=', 'bank_payments.rail')
        .on(isOfSameAccount(), '=', true)
        .on('p.kind', '=', 'PRENOTE'),
    )
    .where('bank_payments.rail', '=', rail)
    .where('bank_payments.platform_id', '=', op.platform.id)
    .where('bank_payments.file_id', 'is', null)
    .where('bank_payments.kind', '=', 'PAYMENT')
    .where(IS_OPEN, '=', true)
    .where(sql<boolean>`((p.details->'failure'->>'at')::timestamptz >= bank_payments.created_at)`, '=', true)
    .limit(limit)
    .select(['bank_payments.id', 'bank_payments.payment_id', 'bank_payments.direction'])
    .select(sql<EntryFailure | null>`p.details->'failure'`.as('failure'))
    .execute()
}

/**
 * False for a payment that ended while it was waiting. Prenotes and instructions have no payment record, so
 * they are always open.
 */
const IS_OPEN = sql<boolean>`(bank_payments.kind <> 'PAYMENT' OR EXISTS (
  SELECT FROM rail_payments AS r WHERE r.id = bank_payments.id AND r.state IN ('GIVEN', 'ACCEPTED')))`

/**
 * True for a payment or prenote `p` with the same account in the same direction. A pull also proves the
 * account for outgoing payments.
 */
function isOfSameAccount(): RawBuilder<boolean> {
  return sql<boolean>`(p.details ? 'accountKind' AND p.platform_id = bank_payments.platform_id
    AND p.details->>'account' = bank_payments.details->>'account'
    AND p.details->>'routingNumber' = bank_payments.details->>'routingNumber'
    AND p.details->>'accountKind' = bank_payments.details->>'accountKind'
    AND p.direction IN (bank_payments.direction, 'PULL'))`
}

/** The suffix of batch names for deposits that verify accounts. */
export const MICRO_ENDING = '-MICRO'
/** The default kind of an account. */
const CHECKING = 'CHECKING' satisfies BankPaymentRow['details']['accountKind']

/** True for a deposit that verifies an account, which replaces the prenote. */
const IS_MICRO = sql<boolean>`bank_payments.batch LIKE ${sql.lit(`%${MICRO_ENDING}`)}`

/** True if a customer has verified the account. */
const IS_VERIFIED = sql<boolean>`EXISTS (
  SELECT FROM external_accounts AS a
    JOIN customers AS c ON c.id = a.customer_id
  WHERE a.platform_id = bank_payments.platform_id AND a.deleted_at IS NULL AND c.deleted_at IS NULL
    AND a.status <> ${sql.lit('INACTIVE' satisfies ExternalAccountRow['status'])}
    AND a.verification_status = ${sql.lit(ACCOUNT_VERIFICATION_TRANSITIONS.PENDING.verify)}
    AND a.identifier = bank_payments.details->>'account'
    AND a.account_info->>'routingNumber' = bank_payments.details->>'routingNumber'
    AND coalesce(a.account_info->>'bankAccountType', ${sql.lit(CHECKING)}) = bank_payments.details->>'accountKind')`

/**
 * True for entries that need no further prenote: prenotes, deposits that verify an account, and payments
 * whose account was verified, has a delivered payment, or has an unfailed prenote up to this effective date.
 * With null, a prenote counts even before its waiting period has passed.
 */
function isProven(provenOn: string | null): RawBuilder<boolean> {
  const hasWaited =
    provenOn === null ? sql`true` : sql`f.accepted_at IS NOT NULL AND f.executed_on <= ${provenOn}`
  return sql<boolean>`(bank_payments.kind <> 'PAYMENT' OR ${IS_MICRO} OR ${IS_VERIFIED} OR EXISTS (
    SELECT FROM bank_payments AS p
      LEFT JOIN bank_files AS f ON f.id = p.file_id
      LEFT JOIN rail_payments AS r ON r.id = p.id
    WHERE p.rail = bank_payments.rail AND ${isOfSameAccount()}
      AND (r.state = 'DELIVERED' OR p.kind = 'PRENOTE' AND NOT p.details ? 'failure' AND ${hasWaited})))`
}

function waitingPayments(op: Op, { rail, until, limit, batch, isMicro = false }: Omit<Waiting, 'provenOn'>) {
  return op.read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('file_id', 'is', null)
    .where('kind', '<>', 'REVERSAL')
    .where(IS_MICRO, '=', isMicro)
    .where('created_at', '<=', until)
    .where(({ not, exists, selectFrom }) => {
      const [account, routing] = [selectPaymentDetail('account'), selectPaymentDetail('routingNumber')]
      return not(
        exists(
          selectFrom('rail_events as e')
            .select('e.id')
            .whereRef('e.platform_id', '=', 'bank_payments.platform_id')
            .whereRef('e.rail', '=', 'bank_payments.rail')
            .where(isDoubtReport('e', account, routing)),
        ),
      )
    })
    .where(IS_REVIEWED, '=', true)
    .where(IS_OPEN, '=', true)
    .$call((q) => whereIfDefined(q, 'batch', '=', batch))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .selectAll()
}

/** True if a notification of changed account details waits for manual review. */
export async function isInDoubt(
  read: Read,
  { platformId, rail }: { readonly platformId: string; readonly rail: string },
  { account, routingNumber }: { readonly account: string; readonly routingNumber: string },
): Promise<boolean> {
  const row = await read
    .selectFrom('rail_events')
    .where('platform_id', '=', platformId)
    .where('rail', '=', rail)
    .where(isDoubtReport('rail_events', sql`${account}`, sql`${routingNumber}`))
    .select('id')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** True for an open report that puts this account in doubt. */
function isDoubtReport(
  table: string,
  account: RawBuilder<unknown>,
  routing: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const doubted = sql`${column('body')}->'data'->'doubted'`
  return sql<boolean>`${column('state')} = ${RAIL_EVENT_INITIAL} AND ${column('reason')} = 'CHANGE_OF_ACCOUNT'
    AND ${doubted}->>'account' = ${account} AND ${doubted}->>'routingNumber' = ${routing}`
}

function selectPaymentDetail(name: string): RawBuilder<unknown> {
  return sql`bank_payments.details->>${sql.lit(name)}`
}
