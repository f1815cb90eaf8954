import type { account_change_get } from '@countersign/contract/accounts/account-changes'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  ACCOUNT_CHANGE_INITIAL,
  ACCOUNT_CHANGE_TRANSITIONS,
  EXTERNAL_ACCOUNT_TRANSITIONS,
} from '@countersign/contract/states/account-change-states'
import { actorView, nameOf } from '../../kernel/audit/actors.ts'
import { maySee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { AccountChangeRow, AccountValues } from '../../storage/rows/account-change.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { checkAccountDetails, fingerprintOf, identifiersOf } from './account-details.ts'
import { endVerification } from './account-verifications.ts'
import { selectAccountChange, selectAppliedAfter, selectPendingChanges } from './change-store.ts'
import { detailsBefore, differences, hasValues, shortened, valuesOf, withValues } from './changed-details.ts'
import { findExternalAccount, findExternalAccountEver, verifyBeneficiary } from './external-accounts.ts'
import { cancelMandate, findActiveMandate, movedMandate } from './mandates.ts'
import { findSameAccount, toBeChecked, toCheck } from './new-account.ts'

/** A rail's report of corrected details for an account used by one of our payments. */
export interface ReportedChange {
  readonly accountId: string
  /** The account identifier used in the payment. */
  readonly identifier: string
  readonly transactionId: string
  readonly rail: string
  readonly railEventId: string
  readonly proposed: AccountValues
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/** KNOWN: there is nothing to decide. UNUSABLE: the report could never be applied. */
export type Proposed = readonly Write[] | 'KNOWN' | 'UNUSABLE'

/**
 * Proposes corrected details for an account. The account gets no payments until somebody has decided. The
 * caller must have compared the report with the payment; guard: no other change was reported or decided in
 * the meantime.
 */
export async function proposeChange(op: Op, reported: ReportedChange): Promise<Proposed> {
  const account = await findExternalAccountEver(op, reported.accountId)
  if (!account) return 'UNUSABLE'
  const proposed = differences(account.account_info, reported.proposed)
  if (account.deleted_at !== null || Object.keys(proposed).length === 0) return 'KNOWN'
  // The account's details have changed since the payment.
  if (account.identifier !== reported.identifier) return 'UNUSABLE'
  if (!isUsable(op, withValues(account.account_info, proposed))) return 'UNUSABLE'
  const pending = await selectPendingChanges(op, account.id)
  if (pending.some((one) => isSame(one.proposed, proposed))) return 'KNOWN'
  const row = newChange(op, account, reported, proposed)
  return [
    insert('account_changes', row),
    changedAccount(op, account, 'report'),
    changeEvent(op, 'EXTERNAL_ACCOUNT.CHANGE_REPORTED', row, account),
  ]
}

function isUsable(op: Op, details: AccountDetails | undefined): boolean {
  if (!details) return false
  try {
    checkAccountDetails(details, op.mode)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

function isSame(one: AccountValues, other: AccountValues): boolean {
  const fields = Object.keys(one)
  return fields.length === Object.keys(other).length && fields.every((field) => one[field] === other[field])
}

function newChange(
  op: Op,
  account: ExternalAccountRow,
  { transactionId, rail, railEventId, code, message }: ReportedChange,
  proposed: AccountValues,
): AccountChangeRow {
  return {
    id: op.newId('AccountChange'),
    platform_id: op.platform.id,
    customer_id: account.customer_id,
    external_account_id: account.id,
    transaction_id: transactionId,
    rail,
    rail_event_id: railEventId,
    code: code ?? null,
    message: message ?? null,
    previous: valuesOf(account.account_info, Object.keys(proposed)),
    proposed,
    state: ACCOUNT_CHANGE_INITIAL,
    reason: null,
    actor_type: null,
    actor_id: null,
    actor_name: null,
    decided_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Guard: the account was not removed, and no change of it was reported or decided in the meantime. */
function changedAccount(
  op: Op,
  account: ExternalAccountRow,
  by: 'report' | 'review' | 'refuse' | readonly [],
  change: Partial<ExternalAccountRow> = {},
): Write {
  const { changes, deleted_at } = account
  const set = { ...change, changes: changes + 1 }
  const guard = { changes, deleted_at }
  return transition(op, 'external_accounts', EXTERNAL_ACCOUNT_TRANSITIONS, account, by, set, guard).write
}

/** Throws 404 `ACCOUNT_CHANGE_NOT_FOUND`. */
export async function findAccountChange(op: Op, id: string): Promise<AccountChangeRow> {
  const row = await selectAccountChange(op, id)
  if (!row || !maySee(op, row.customer_id))
    throw new ApiError('ACCOUNT_CHANGE_NOT_FOUND', { details: { field: 'accountChangeId' } })
  return row
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the change was already decided. */
export function checkChangeMay({ state }: AccountChangeRow, by: 'apply' | 'dismiss'): void {
  checkEvent(
    ACCOUNT_CHANGE_TRANSITIONS,
    state,
    by,
    `This change is ${state}: only one that is PENDING can be decided.`,
  )
}

export interface DecidedChange {
  readonly row: AccountChangeRow
  readonly writes: readonly Write[]
}

/**
 * Applies the proposed details to the account. Guards: account and change are unchanged, and the owner has no
 * other account with these details. Throws 404 `ACCOUNT_NOT_FOUND`; 409 `EXTERNAL_ACCOUNT_CHANGED` if the
 * account no longer has the details that the change replaces; 409 `EXTERNAL_ACCOUNT_ALREADY_EXISTS`; 400
 * `INVALID_BANK_ACCOUNT`.
 */
export async function applyChange(op: Op, row: AccountChangeRow, reason: string): Promise<DecidedChange> {
  const account = await findExternalAccount(op, row.external_account_id, 'accountChangeId')
  const details = withValues(account.account_info, row.proposed)
  if (!details || !hasValues(account.account_info, row.previous)) {
    // Another decision may have changed account and change since the change was read.
    checkChangeMay(await findAccountChange(op, row.id), 'apply')
    throw new ApiError('EXTERNAL_ACCOUNT_CHANGED', {
      message: 'The account no longer has the details that this change replaces. Dismiss the change.',
      details: { externalAccountId: account.id },
    })
  }
  checkAccountDetails(details, op.mode)
  const identifier = identifiersOf(details)[0].value
  const checked = await toBeChecked(op, {
    ...account,
    account_info: details,
    identifier,
    fingerprint: fingerprintOf(details, account.currency),
    beneficiary_verification_status: verifyBeneficiary(op, details, identifier),
  })
  const same = await findSameAccount(op, checked)
  if (same && same.id !== account.id)
    throw new ApiError('EXTERNAL_ACCOUNT_ALREADY_EXISTS', {
      message:
        'The owner already has another account with these details. Dismiss the change, and pay that account.',
      details: { externalAccountId: same.id },
    })
  const { account_info, fingerprint, beneficiary_verification_status } = checked
  const change = {
    ...{ account_info, fingerprint, identifier, beneficiary_verification_status },
    details_changed_at: op.now,
  }
  const decided = await decidedChange(op, row, account, 'apply', reason, change)
  const moved = await mandateAlong(op, row, account, details)
  const ended = await endVerification(op, account, 'ACCOUNT_CHANGED')
  return { row: decided.row, writes: [...ended, ...decided.writes, ...moved, ...toCheck(op, checked)] }
}

/**
 * Moves the mandate to the new details if the debtor's bank has reported the change together with the
 * mandate.
 */
async function mandateAlong(
  op: Op,
  { code }: AccountChangeRow,
  account: ExternalAccountRow,
  details: AccountDetails,
): Promise<readonly Write[]> {
  if (!code || !MOVES_MANDATE.test(code)) return []
  const mandate = await findActiveMandate(op, account.id)
  const moved = mandate?.debtor_account === account.identifier && movedMandate(op, mandate, details)
  return moved ? [moved] : []
}

const MOVES_MANDATE = /^(?:ADDACS|AUDDIS)-/

/**
 * Dismisses a change, so that the account keeps its details. The account may have been removed. Guards:
 * account and change are unchanged.
 */
export async function dismissChange(op: Op, row: AccountChangeRow, reason: string): Promise<DecidedChange> {
  const account = await findExternalAccountEver(op, row.external_account_id)
  if (!account) throw new Error(`${row.id} is about no account`)
  return decidedChange(op, row, account, 'dismiss', reason)
}

async function decidedChange(
  op: Op,
  row: AccountChangeRow,
  account: ExternalAccountRow,
  by: 'apply' | 'dismiss',
  reason: string,
  change: Partial<ExternalAccountRow> = {},
): Promise<DecidedChange> {
  const pending = await selectPendingChanges(op, account.id)
  const isLast = pending.every(({ id }) => id === row.id)
  const { row: moved, writes } = ended(op, row, account, by, reason)
  return { row: moved, writes: [...writes, changedAccount(op, account, isLast ? 'review' : [], change)] }
}

/** Guard: nobody else has decided about the change. */
function ended(
  op: Op,
  row: AccountChangeRow,
  account: ExternalAccountRow,
  by: 'apply' | 'dismiss',
  reason: string,
): DecidedChange {
  const actor = nameOf(op.actor)
  if (!actor) throw new Error(`A decision by ${op.actor.kind}`)
  const decision = { reason, ...actor, decided_at: op.now }
  const moved = transition(op, 'account_changes', ACCOUNT_CHANGE_TRANSITIONS, row, by, decision)
  const told = changeEvent(op, 'EXTERNAL_ACCOUNT.CHANGE_DECIDED', moved.row, account)
  return { row: moved.row, writes: [moved.write, told] }
}

/**
 * The writes after which an account gets no more payments. Empty if the account was removed, is under review,
 * or is INACTIVE already. Guard: no change of it was reported or decided in the meantime.
 */
export async function refuseAccount(op: Op, id: string, reason: string): Promise<readonly Write[]> {
  const account = await findExternalAccountEver(op, id)
  if (!account || account.deleted_at !== null) return []
  if (EXTERNAL_ACCOUNT_TRANSITIONS[account.status].refuse === null) return []
  return [changedAccount(op, account, 'refuse', { status_reason: reason })]
}

/**
 * Errors, naming `field`: 409 `EXTERNAL_ACCOUNT_UNDER_REVIEW` if a change of the account waits for a
 * decision, 409 `EXTERNAL_ACCOUNT_INACTIVE` if its bank rejects payments.
 */
export async function checkUsable(op: Op, account: ExternalAccountRow, field: string): Promise<void> {
  if (account.status === 'INACTIVE')
    throw new ApiError('EXTERNAL_ACCOUNT_INACTIVE', { details: { field, externalAccountId: account.id } })
  if (account.status !== 'UNDER_REVIEW') return
  const [first] = await selectPendingChanges(op, account.id)
  throw new ApiError('EXTERNAL_ACCOUNT_UNDER_REVIEW', {
    details: present({ field, externalAccountId: account.id, accountChangeId: first?.id }),
  })
}

/**
 * The account with the details that it had at a given time. A payment keeps the details with which it was
 * made.
 */
export async function accountAsOf(
  op: Op,
  account: ExternalAccountRow,
  time: Date,
): Promise<ExternalAccountRow> {
  const { details_changed_at: changedAt, account_info: current } = account
  if (changedAt === null || changedAt <= time) return account
  const account_info = detailsBefore(current, await selectAppliedAfter(op, account.id, time))
  if (account_info === current) return account
  return { ...account, account_info, identifier: identifiersOf(account_info)[0].value }
}

/** Removes an account, and dismisses reported changes of it. Guard: the account is unchanged. */
export async function removedAccount(op: Op, account: ExternalAccountRow): Promise<readonly Write[]> {
  const { id, changes } = account
  const removed = { deleted_at: op.now, updated_at: op.now }
  const mandate = await findActiveMandate(op, id)
  const canceled = mandate ? cancelMandate(op, mandate, 'The account was removed').writes : []
  const ends = [...canceled, ...(await endVerification(op, account, 'ACCOUNT_REMOVED'))]
  if (account.status !== 'UNDER_REVIEW')
    return [...ends, update('external_accounts', id, { deleted_at: null, changes }, removed)]
  const pending = await selectPendingChanges(op, id)
  return [
    ...ends,
    ...pending.flatMap((row) => ended(op, row, account, 'dismiss', 'The account was removed').writes),
    changedAccount(op, account, 'review', removed),
  ]
}

function changeEvent(
  op: Op,
  type: 'EXTERNAL_ACCOUNT.CHANGE_REPORTED' | 'EXTERNAL_ACCOUNT.CHANGE_DECIDED',
  row: AccountChangeRow,
  { account_type }: ExternalAccountRow,
): Write {
  const shown = {
    ...row,
    previous: shortened(account_type, row.previous),
    proposed: shortened(account_type, row.proposed),
  }
  return event(op, type, row.id, accountChangeView(shown))
}

/** A change as the API shows it. */
export function accountChangeView(row: AccountChangeRow): SuccessOf<typeof account_change_get>['body'] {
  const { actor_type, actor_id, actor_name } = row
  return present({
    id: row.id,
    status: row.state,
    externalAccountId: row.external_account_id,
    customerId: row.customer_id,
    changes: Object.entries(row.proposed).flatMap(([field, after]) =>
      after === null ? [] : [present({ field, before: row.previous[field], after })],
    ),
    code: row.code,
    message: row.message,
    rail: row.rail,
    railEventId: row.rail_event_id,
    transactionId: row.transaction_id,
    reason: row.reason,
    decidedBy: actor_type === null ? undefined : actorView({ actor_type, actor_id, actor_name }),
    decidedAt: row.decided_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
