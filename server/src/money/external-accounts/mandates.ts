import type { MandateStatus, mandate_create, mandate_get } from '@countersign/contract/accounts/mandates'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { DateTime } from 'luxon'
import { isBacsReference } from '../../base/formats/bacs-reference.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import { getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { DebitMandate, MandateInstruction, Rail } from '../../kernel/ports/rail.ts'
import { findCustomer, findCustomerOnRecord } from '../../people/customers/customers.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { findExternalAccount } from './external-accounts.ts'
import {
  EXPIRES_AFTER_MONTHS,
  selectByMandateReference,
  selectMandate,
  selectUncanceled,
  selectUncanceledByCustomer,
} from './mandate-store.ts'

type MandateView = SuccessOf<typeof mandate_get>['body']

const ENDED_BY_USE = 'The last collection was made'

/** Throws 404 `MANDATE_NOT_FOUND`. */
export async function findMandate(op: Op, id: string): Promise<MandateRow> {
  const mandate = await selectMandate(op, id)
  if (!mandate) throw new ApiError('MANDATE_NOT_FOUND', { details: { field: 'mandateId' } })
  return mandate
}

/** The mandate under which an account can be debited now; undefined if the account has no active mandate. */
export async function findActiveMandate(op: Op, externalAccountId: string): Promise<MandateRow | undefined> {
  const mandate = await selectUncanceled(op, externalAccountId)
  return mandate && getMandateStatus(op, mandate) === 'ACTIVE' ? mandate : undefined
}

/**
 * The mandate under which a rail can debit an account with its current details. A mandate signed for another
 * account number does not count, nor does one that another rail has instructed.
 */
export async function findUsableMandate(
  op: Op,
  rail: Rail,
  account: ExternalAccountRow,
): Promise<MandateRow | undefined> {
  const mandate = await findActiveMandate(op, account.id)
  if (!mandate || mandate.rail !== (rail.instruct ? rail.name : null)) return undefined
  const isSame =
    mandate.debtor_account === account.identifier && mandate.debtor_sort_code === getSortCode(account)
  return isSame ? mandate : undefined
}

function getSortCode({ account_info: info }: ExternalAccountRow): string | null {
  return 'sortCode' in info ? info.sortCode : null
}

export function getMandateStatus(op: Op, mandate: MandateRow): MandateStatus {
  if (mandate.canceled_at) return 'CANCELED'
  return getExpiryDate(mandate) <= toUtcDay(op.now) ? 'EXPIRED' : 'ACTIVE'
}

/** The first day on which the mandate is no longer valid, as `YYYY-MM-DD`. */
function getExpiryDate(mandate: MandateRow): string {
  const since = DateTime.fromISO(mandate.last_collected_on ?? mandate.signed_on, { zone: 'utc' })
  return requireValue(since.plus({ months: getExpiryMonths(mandate) }).toISODate(), 'day of a valid date')
}

function getExpiryMonths(mandate: MandateRow): number {
  return EXPIRES_AFTER_MONTHS[getScheme(mandate)]
}

function getScheme({ debtor_sort_code }: Pick<MandateRow, 'debtor_sort_code'>): 'SEPA' | 'BACS' {
  return debtor_sort_code === null ? 'SEPA' : 'BACS'
}

/** The writes that create a mandate. Throws 404 `ACCOUNT_NOT_FOUND`, 400 naming the field. */
export async function createMandate(
  op: Op,
  body: BodyOf<typeof mandate_create>,
): Promise<{ readonly row: MandateRow; readonly writes: readonly Write[] }> {
  const account = await findExternalAccount(op, body.externalAccountId)
  if (account.customer_id !== null) await findCustomer(op, account.customer_id, 'externalAccountId')
  const debtor = toDebtor(account)
  const instructingRail = await findInstructingRail(op, account)
  const row = {
    ...buildMandateRow(op, account, body, getScheme(debtor)),
    ...debtor,
    rail: instructingRail?.name ?? null,
  }
  checkDates(op, row)
  checkReference(row)
  if (await selectByMandateReference(op, row.reference))
    throw createFieldError('INVALID_INPUT', 'reference', 'Another mandate already has this reference.')
  const earlierMandate = await selectUncanceled(op, account.id)
  if (earlierMandate && getMandateStatus(op, earlierMandate) === 'ACTIVE')
    throw createFieldError(
      'INVALID_INPUT',
      'externalAccountId',
      `This account already has the active mandate ${earlierMandate.reference}. Cancel it first.`,
    )
  return {
    row,
    writes: [
      expectRow('external_accounts', account.id, { deleted_at: null, changes: account.changes }),
      ...guardCustomer(row),
      ...(earlierMandate ? cancelMandate(op, earlierMandate, 'The mandate has expired').writes : []),
      insert('mandates', row),
      ...buildInstruction(op, instructingRail, row, 'NEW'),
    ],
  }
}

/** Guard: the mandate's customer was not deleted in the meantime. */
function guardCustomer({ customer_id }: Pick<MandateRow, 'customer_id'>): readonly Write[] {
  return customer_id === null ? [] : [expectRow('customers', customer_id, { deleted_at: null })]
}

/**
 * The rail that debits the account, if it must first send an instruction about the mandate to the debtor's
 * bank.
 */
async function findInstructingRail(
  op: Op,
  { account_type: accountType, currency }: ExternalAccountRow,
): Promise<Rail | undefined> {
  const request = { direction: 'PULL', accountType, paymentRail: null, currency } as const
  const limits = await op.rails.limitsFor(op.platform.id, { ...request, amount: 1n })
  const rail = await op.rails.route(op.platform.id, { ...request, amount: limits?.min ?? 1n })
  return rail?.instruct ? rail : undefined
}

/** Throws 400 if the rail cannot carry the instruction. */
function buildInstruction(
  op: Op,
  rail: Rail | undefined,
  row: MandateRow,
  kind: MandateInstruction['kind'],
): readonly Write[] {
  const instruction = rail?.instruct?.({
    ...{ id: op.newId('RailPayment'), platformId: op.platform.id, kind, mandateId: row.id, now: op.now },
    mandate: toDebitMandate(row),
  })
  if (!instruction) return []
  if ('fault' in instruction)
    throw createFieldError(
      'INVALID_INPUT',
      'externalAccountId',
      `The rail cannot carry this mandate: ${instruction.fault}.`,
    )
  return instruction.writes
}

/** The mandate as direct debits and instructions state it. */
export function toDebitMandate(row: MandateRow): Omit<DebitMandate, 'sequence'> {
  return {
    reference: row.reference,
    signedOn: row.signed_on,
    debtorName: row.debtor_name,
    debtorAccount: row.debtor_account,
    ...present({ debtorSortCode: row.debtor_sort_code }),
  }
}

function buildMandateRow(
  op: Op,
  { id, customer_id }: ExternalAccountRow,
  body: BodyOf<typeof mandate_create>,
  scheme: 'SEPA' | 'BACS',
) {
  const mandateId = op.newId('Mandate')
  return {
    id: mandateId,
    platform_id: op.platform.id,
    customer_id,
    external_account_id: id,
    reference: body.reference ?? deriveReference(mandateId).slice(-REFERENCE_CHARACTERS[scheme]),
    type: body.mandateType ?? 'RECURRING',
    signed_on: body.signedOn,
    is_final: body.mandateType === 'ONE_OFF',
    collections: 0,
    first_payment_id: null,
    last_collected_on: body.lastCollectedOn ?? null,
    canceled_at: null,
    cancel_reason: null,
    canceled_by: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** The length of generated mandate references. */
const REFERENCE_CHARACTERS = { SEPA: 32, BACS: 18 } as const

/** Throws 400 if the mandate's scheme does not allow the reference. */
function checkReference(row: MandateRow): void {
  if (getScheme(row) === 'BACS' && !isBacsReference(row.reference))
    throw createFieldError(
      'INVALID_INPUT',
      'reference',
      'A Bacs reference must have 6 to 18 characters: capital letters, digits, /, . and -. They must not all be the same, and must not begin with DDIC.',
    )
  if (row.reference.includes('//'))
    throw createFieldError('INVALID_INPUT', 'reference', 'reference must not contain two slashes in a row')
}

/** Derives a reference from the id's digits. */
function deriveReference(id: string): string {
  return id
    .slice(id.indexOf(':') + 1)
    .replaceAll('-', '')
    .toUpperCase()
}

/**
 * The debtor of an account. Throws 400 if neither SEPA nor Bacs can debit the account, or if it has no
 * holder.
 */
function toDebtor(
  account: ExternalAccountRow,
): Pick<MandateRow, 'debtor_name' | 'debtor_account' | 'debtor_sort_code'> {
  const name = getHolderName(account)
  const { account_info: info, currency, identifier } = account
  const isSepa = 'iban' in info && currency === 'EUR'
  if (name === undefined || !(isSepa || info.accountType === 'GBP_ACCOUNT'))
    throw createFieldError(
      'INVALID_INPUT',
      'externalAccountId',
      'Only an EUR account with an IBAN or a GBP account can have a mandate.',
    )
  return {
    debtor_name: name,
    debtor_account: identifier,
    debtor_sort_code: isSepa ? null : getSortCode(account),
  }
}

/** Throws 400 naming an invalid date. */
function checkDates(op: Op, row: MandateRow): void {
  const { signed_on, last_collected_on, type } = row
  const today = toUtcDay(op.now)
  if (signed_on > today)
    throw createFieldError('INVALID_INPUT', 'signedOn', 'signedOn must not be in the future')
  if (
    last_collected_on !== null &&
    (type === 'ONE_OFF' || last_collected_on < signed_on || last_collected_on > today)
  )
    throw createFieldError(
      'INVALID_INPUT',
      'lastCollectedOn',
      'lastCollectedOn must be between signedOn and today. Only a RECURRING mandate can have it.',
    )
  if (getMandateStatus(op, row) === 'EXPIRED')
    throw createFieldError(
      'INVALID_INPUT',
      last_collected_on === null ? 'signedOn' : 'lastCollectedOn',
      `This mandate expired on ${getExpiryDate(row)}, ${getExpiryMonths(row)} months after it was last used.`,
    )
}

/** The mandate with this reference, ignoring case. */
export async function findMandateByReference(op: Op, reference: string): Promise<MandateRow | undefined> {
  const found = await selectByMandateReference(op, reference)
  return found && selectMandate(op, found.id)
}

export interface CanceledMandate {
  readonly row: MandateRow
  readonly writes: readonly Write[]
}

/**
 * Cancels a mandate, and notifies the debtor's bank if the bank was instructed about the mandate. Guard: the
 * mandate was not canceled in the meantime.
 */
export function cancelMandate(op: Op, row: MandateRow, reason: string): CanceledMandate {
  const canceled = cancelAs(op, row, 'PLATFORM', reason)
  // No instruction is sent if the rail was removed from the rails file.
  const rail = row.rail === null ? undefined : op.rails.find(row.rail)
  return { ...canceled, writes: [...canceled.writes, ...buildInstruction(op, rail, row, 'CANCEL')] }
}

/** Cancels all mandates of a deleted customer. */
export async function cancelCustomerMandates(op: Op, customerId: string): Promise<readonly Write[]> {
  const mandates = await selectUncanceledByCustomer(op, customerId)
  return mandates.flatMap((row) => cancelMandate(op, row, 'The customer was deleted').writes)
}

/**
 * Cancels a mandate that the debtor's bank has ended. Guard: the mandate was not canceled in the meantime.
 */
export function endMandateByBank(op: Op, row: MandateRow, reason: string): CanceledMandate {
  return cancelAs(op, row, 'BANK', reason)
}

function cancelAs(op: Op, row: MandateRow, canceledBy: 'BANK' | 'PLATFORM', reason: string): CanceledMandate {
  const change = { canceled_at: op.now, canceled_by: canceledBy, cancel_reason: reason, updated_at: op.now }
  return { row: { ...row, ...change }, writes: [update('mandates', row.id, { canceled_at: null }, change)] }
}

/**
 * Reinstates a mandate that the debtor's bank had ended, unless the account now has another mandate or its
 * customer was deleted. Guards: the mandate is unchanged, and its customer is not deleted.
 */
export async function reinstateMandate(op: Op, row: MandateRow): Promise<readonly Write[] | undefined> {
  const { canceled_at, canceled_by, customer_id, external_account_id } = row
  if (canceled_by !== 'BANK' || (await selectUncanceled(op, external_account_id))) return undefined
  const customer = customer_id === null ? undefined : await findCustomerOnRecord(op, customer_id)
  if (customer?.deleted_at) return undefined
  const change = { canceled_at: null, canceled_by: null, cancel_reason: null, updated_at: op.now }
  return [...guardCustomer(row), update('mandates', row.id, { canceled_at }, change)]
}

/**
 * Moves a mandate to the changed details of its account. Guard: the mandate was not canceled in the meantime.
 */
export function moveMandate(op: Op, row: MandateRow, details: AccountDetails): Write | undefined {
  if (details.accountType !== 'GBP_ACCOUNT') return undefined
  const change = {
    debtor_account: details.accountNumber,
    debtor_sort_code: details.sortCode,
    updated_at: op.now,
  }
  return update('mandates', row.id, { canceled_at: null }, change)
}

/**
 * Cancels a mandate after its next collection. Guards: the mandate was not canceled, and no collection was
 * queued in the meantime.
 */
export function cancelAfterNextCollection(op: Op, row: MandateRow, reason: string): CanceledMandate {
  const change = { is_final: true, cancel_reason: reason, updated_at: op.now }
  const guard = { canceled_at: null, collections: row.collections }
  return { row: { ...row, ...change }, writes: [update('mandates', row.id, guard, change)] }
}

/**
 * Counts a collection. A final collection ends the mandate. Guards: the mandate was not canceled, and no
 * other collection was queued in the meantime.
 */
export function countCollection(op: Op, mandate: MandateRow, firstPaymentId: string | null): Write {
  return update(
    'mandates',
    mandate.id,
    { collections: mandate.collections, canceled_at: null },
    {
      collections: mandate.collections + 1,
      first_payment_id: firstPaymentId,
      last_collected_on: toUtcDay(op.now),
      updated_at: op.now,
      ...(mandate.is_final
        ? {
            canceled_at: op.now,
            canceled_by: 'PLATFORM' as const,
            cancel_reason: mandate.cancel_reason ?? ENDED_BY_USE,
          }
        : {}),
    },
  )
}

export function toMandateView(op: Op, row: MandateRow): MandateView {
  return present({
    id: row.id,
    status: getMandateStatus(op, row),
    externalAccountId: row.external_account_id,
    customerId: row.customer_id,
    reference: row.reference,
    mandateType: row.type,
    signedOn: row.signed_on,
    debtor: { name: row.debtor_name, ...toDebtorAccountView(row) },
    isFinal: row.is_final,
    lastCollectedOn: row.last_collected_on,
    expiresOn: getExpiryDate(row),
    canceledAt: row.canceled_at?.toISOString(),
    cancelReason: row.cancel_reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}

function toDebtorAccountView({ debtor_account, debtor_sort_code }: MandateRow) {
  return debtor_sort_code === null
    ? { iban: debtor_account }
    : { sortCode: debtor_sort_code, accountNumber: debtor_account }
}
