import type { MandateStatus, mandate_create, mandate_get } from '@countersign/contract/accounts/mandates'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { DateTime } from 'luxon'
import { requireValue } from '../../base/formats/require-value.ts'
import { utcDay } from '../../base/formats/utc-day.ts'
import { nameOfHolder } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { findExternalAccount } from './external-accounts.ts'
import {
  EXPIRES_AFTER_MONTHS,
  selectByMandateReference,
  selectMandate,
  selectUncanceled,
} from './mandate-store.ts'

type MandateView = SuccessOf<typeof mandate_get>['body']

const ENDED_BY_USE = 'Its last collection was made'

/** Error: 404 `MANDATE_NOT_FOUND`. */
export async function findMandate(op: Op, id: string): Promise<MandateRow> {
  const mandate = await selectMandate(op, id)
  if (!mandate) throw new ApiError('MANDATE_NOT_FOUND', { details: { field: 'mandateId' } })
  return mandate
}

/** The mandate by which an account can be debited now; undefined without one. */
export async function findActiveMandate(op: Op, externalAccountId: string): Promise<MandateRow | undefined> {
  const mandate = await selectUncanceled(op, externalAccountId)
  return mandate && statusOf(op, mandate) === 'ACTIVE' ? mandate : undefined
}

/**
 * The mandate by which an account in these details can be debited now. A mandate that was signed for another
 * IBAN allows nothing.
 */
export async function findUsableMandate(
  op: Op,
  { id, identifier }: Pick<ExternalAccountRow, 'id' | 'identifier'>,
): Promise<MandateRow | undefined> {
  const mandate = await findActiveMandate(op, id)
  return mandate?.debtor_iban === identifier ? mandate : undefined
}

export function statusOf(op: Op, mandate: MandateRow): MandateStatus {
  if (mandate.canceled_at) return 'CANCELED'
  return expiryOf(mandate) <= utcDay(op.now) ? 'EXPIRED' : 'ACTIVE'
}

/** The first day without the mandate, `YYYY-MM-DD`. */
function expiryOf({ signed_on, last_collected_on }: MandateRow): string {
  const since = DateTime.fromISO(last_collected_on ?? signed_on, { zone: 'utc' })
  return requireValue(since.plus({ months: EXPIRES_AFTER_MONTHS }).toISODate(), 'day of a valid date')
}

/** The writes of a new mandate. Errors: 404 `ACCOUNT_NOT_FOUND`, 400 that names the field. */
export async function newMandate(
  op: Op,
  body: BodyOf<typeof mandate_create>,
): Promise<{ readonly row: MandateRow; readonly writes: readonly Write[] }> {
  const account = await findExternalAccount(op, body.externalAccountId)
  const row = { ...rowOf(op, account, body), ...debtorOf(account) }
  checkDates(op, row)
  if (row.reference.includes('//'))
    throw fieldError('INVALID_INPUT', 'reference', 'Two slashes in a row are not allowed')
  if (await selectByMandateReference(op, row.reference))
    throw fieldError('INVALID_INPUT', 'reference', 'Another mandate has this reference')
  const earlier = await selectUncanceled(op, account.id)
  if (earlier && statusOf(op, earlier) === 'ACTIVE')
    throw fieldError(
      'INVALID_INPUT',
      'externalAccountId',
      `This account has the active mandate ${earlier.reference}: cancel it first`,
    )
  return {
    row,
    writes: [
      expectRow('external_accounts', account.id, { deleted_at: null, changes: account.changes }),
      ...(earlier ? [cancelMandate(op, earlier, 'It has expired').write] : []),
      insert('mandates', row),
    ],
  }
}

function rowOf(op: Op, { id, customer_id }: ExternalAccountRow, body: BodyOf<typeof mandate_create>) {
  const mandateId = op.newId('Mandate')
  return {
    id: mandateId,
    platform_id: op.platform.id,
    customer_id,
    external_account_id: id,
    reference: body.reference ?? referenceOf(mandateId),
    type: body.mandateType ?? 'RECURRING',
    signed_on: body.signedOn,
    is_final: body.mandateType === 'ONE_OFF',
    collections: 0,
    first_payment_id: null,
    last_collected_on: body.lastCollectedOn ?? null,
    canceled_at: null,
    cancel_reason: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** The digits of the id. */
function referenceOf(id: string): string {
  return id
    .slice(id.indexOf(':') + 1)
    .replaceAll('-', '')
    .toUpperCase()
}

/** Error: 400 for an account without an IBAN or a holder. */
function debtorOf(account: ExternalAccountRow): Pick<MandateRow, 'debtor_name' | 'debtor_iban'> {
  const name = nameOfHolder(account)
  if (!('iban' in account.account_info) || account.currency !== 'EUR' || name === undefined)
    throw fieldError('INVALID_INPUT', 'externalAccountId', 'SEPA debits only accounts in EUR with an IBAN')
  return { debtor_name: name, debtor_iban: account.identifier }
}

/** Error: 400 that names the date. */
function checkDates(op: Op, row: MandateRow): void {
  const { signed_on, last_collected_on, type } = row
  const today = utcDay(op.now)
  if (signed_on > today) throw fieldError('INVALID_INPUT', 'signedOn', 'signedOn is in the future')
  if (
    last_collected_on !== null &&
    (type === 'ONE_OFF' || last_collected_on < signed_on || last_collected_on > today)
  )
    throw fieldError(
      'INVALID_INPUT',
      'lastCollectedOn',
      'lastCollectedOn is between signedOn and today, and only a RECURRING mandate has it',
    )
  if (statusOf(op, row) === 'EXPIRED')
    throw fieldError(
      'INVALID_INPUT',
      last_collected_on === null ? 'signedOn' : 'lastCollectedOn',
      `This mandate expired on ${expiryOf(row)}, ${EXPIRES_AFTER_MONTHS} months after it was last used`,
    )
}

/** Guard: it was not canceled meanwhile. */
export function cancelMandate(op: Op, row: MandateRow, reason: string): { row: MandateRow; write: Write } {
  const change = { canceled_at: op.now, cancel_reason: reason, updated_at: op.now }
  return { row: { ...row, ...change }, write: update('mandates', row.id, { canceled_at: null }, change) }
}

/** Cancels it with its next collection. Guards: it was not canceled meanwhile, and no collection was queued. */
export function cancelAfterNext(op: Op, row: MandateRow, reason: string): { row: MandateRow; write: Write } {
  const change = { is_final: true, cancel_reason: reason, updated_at: op.now }
  const guard = { canceled_at: null, collections: row.collections }
  return { row: { ...row, ...change }, write: update('mandates', row.id, guard, change) }
}

/**
 * The change that a collection makes: a mandate is used up with its last one. Guards: it was not canceled, and
 * no other collection was queued meanwhile.
 */
export function collectedMandate(op: Op, mandate: MandateRow, firstPaymentId: string | null): Write {
  return update(
    'mandates',
    mandate.id,
    { collections: mandate.collections, canceled_at: null },
    {
      collections: mandate.collections + 1,
      first_payment_id: firstPaymentId,
      last_collected_on: utcDay(op.now),
      updated_at: op.now,
      ...(mandate.is_final
        ? { canceled_at: op.now, cancel_reason: mandate.cancel_reason ?? ENDED_BY_USE }
        : {}),
    },
  )
}

export function mandateView(op: Op, row: MandateRow): MandateView {
  return present({
    id: row.id,
    status: statusOf(op, row),
    externalAccountId: row.external_account_id,
    customerId: row.customer_id,
    reference: row.reference,
    mandateType: row.type,
    signedOn: row.signed_on,
    debtor: { name: row.debtor_name, iban: row.debtor_iban },
    isFinal: row.is_final,
    lastCollectedOn: row.last_collected_on,
    expiresOn: expiryOf(row),
    canceledAt: row.canceled_at?.toISOString(),
    cancelReason: row.cancel_reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
