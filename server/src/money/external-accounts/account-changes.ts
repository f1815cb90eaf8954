import type { account_change_get } from '@countersign/contract/accounts/account-changes'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  ACCOUNT_CHANGE_INITIAL,
  ACCOUNT_CHANGE_TRANSITIONS,
  EXTERNAL_ACCOUNT_TRANSITIONS,
} from '@countersign/contract/states/account-change-states'
import { nameActor, toActorView } from '../../kernel/audit/actors.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { AccountChangeRow, AccountValues } from '../../storage/rows/account-change.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { checkAccountDetails, computeFingerprint, listIdentifiers } from './account-details.ts'
import { endVerification } from './account-verifications.ts'
import { selectAccountChange, selectAppliedAfter, selectPendingChanges } from './change-store.ts'
import {
  computeDetailsBefore,
  findDifferences,
  hasValues,
  pickValues,
  shortenIdentifier,
  withValues,
} from './changed-details.ts'
import {
  findExternalAccount,
  findExternalAccountEvenIfDeleted,
  verifyBeneficiary,
} from './external-accounts.ts'
import { cancelMandate, findActiveMandate, moveMandate } from './mandates.ts'
import { findSameAccount, resetNameCheck, scheduleNameCheck } from './new-account.ts'

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

/** KNOWN: the report needs no decision. UNUSABLE: the report can never be applied. */
export type ProposalResult = readonly Write[] | 'KNOWN' | 'UNUSABLE'

/**
 * Proposes corrected details for an account, which gets no payments until somebody has decided. The caller
 * must have compared the report with the payment. Guard: no other change was reported or decided in the
 * meantime.
 */
export async function proposeChange(op: Op, reported: ReportedChange): Promise<ProposalResult> {
  const account = await findExternalAccountEvenIfDeleted(op, reported.accountId)
  if (!account) return 'UNUSABLE'
  const proposed = findDifferences(account.account_info, reported.proposed)
  if (account.deleted_at !== null || Object.keys(proposed).length === 0) return 'KNOWN'
  // The account's details have changed since the payment.
  if (account.identifier !== reported.identifier) return 'UNUSABLE'
  if (!isUsable(op, withValues(account.account_info, proposed))) return 'UNUSABLE'
  const pending = await selectPendingChanges(op, account.id)
  if (pending.some((first) => isSame(first.proposed, proposed))) return 'KNOWN'
  const row = newChange(op, account, reported, proposed)
  return [
    insert('account_changes', row),
    updateChangedAccount(op, account, 'report'),
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

function isSame(first: AccountValues, second: AccountValues): boolean {
  const fields = Object.keys(first)
  return (
    fields.length === Object.keys(second).length && fields.every((field) => first[field] === second[field])
  )
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
    previous: pickValues(account.account_info, Object.keys(proposed)),
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

/** Guard: the account was not removed, and none of its changes was reported or decided in the meantime. */
function updateChangedAccount(
  op: Op,
  account: ExternalAccountRow,
  decision: 'report' | 'review' | 'refuse' | readonly [],
  change: Partial<ExternalAccountRow> = {},
): Write {
  const { changes, deleted_at } = account
  const set = { ...change, changes: changes + 1 }
  const guard = { changes, deleted_at }
  return transition(op, 'external_accounts', EXTERNAL_ACCOUNT_TRANSITIONS, account, decision, set, guard)
    .write
}

/** Throws 404 `ACCOUNT_CHANGE_NOT_FOUND`. */
export async function findAccountChange(op: Op, id: string): Promise<AccountChangeRow> {
  const row = await selectAccountChange(op, id)
  if (!row || !canSee(op, row.customer_id))
    throw new ApiError('ACCOUNT_CHANGE_NOT_FOUND', { details: { field: 'accountChangeId' } })
  return row
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the change was already decided. */
export function checkCanDecide({ state }: AccountChangeRow, decision: 'apply' | 'dismiss'): void {
  checkEvent(
    ACCOUNT_CHANGE_TRANSITIONS,
    state,
    decision,
    `This change is ${state}. Only a PENDING change can be decided.`,
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
    // A concurrent decision may have changed both the account and the change.
    checkCanDecide(await findAccountChange(op, row.id), 'apply')
    throw new ApiError('EXTERNAL_ACCOUNT_CHANGED', {
      message: 'The account no longer has the details that this change replaces. Dismiss the change.',
      details: { externalAccountId: account.id },
    })
  }
  checkAccountDetails(details, op.mode)
  const identifier = listIdentifiers(details)[0].value
  const checked = await resetNameCheck(op, {
    ...account,
    account_info: details,
    identifier,
    fingerprint: computeFingerprint(details, account.currency),
    beneficiary_verification_status: verifyBeneficiary(op, details, identifier),
  })
  const sameAccount = await findSameAccount(op, checked)
  if (sameAccount && sameAccount.id !== account.id)
    throw new ApiError('EXTERNAL_ACCOUNT_ALREADY_EXISTS', {
      message:
        'The owner already has another account with these details. Dismiss the change, and use that account.',
      details: { externalAccountId: sameAccount.id },
    })
  const { account_info, fingerprint, beneficiary_verification_status } = checked
  const change = {
    ...{ account_info, fingerprint, identifier, beneficiary_verification_status },
    details_changed_at: op.now,
  }
  const decided = await decideChange(op, row, account, 'apply', reason, change)
  const moved = await moveMandateAlong(op, row, account, details)
  const endChange = await endVerification(op, account, 'ACCOUNT_CHANGED')
  return {
    row: decided.row,
    writes: [...endChange, ...decided.writes, ...moved, ...scheduleNameCheck(op, checked)],
  }
}

/** Moves the mandate to the new details if the debtor's bank reported the change for the mandate, too. */
async function moveMandateAlong(
  op: Op,
  { code }: AccountChangeRow,
  account: ExternalAccountRow,
  details: AccountDetails,
): Promise<readonly Write[]> {
  if (!code || !MOVES_MANDATE.test(code)) return []
  const mandate = await findActiveMandate(op, account.id)
  const moved = mandate?.debtor_account === account.identifier && moveMandate(op, mandate, details)
  return moved ? [moved] : []
}

const MOVES_MANDATE = /^(?:ADDACS|AUDDIS)-/

/**
 * Dismisses a change, so that the account keeps its details. Also works for a removed account. Guards:
 * account and change are unchanged.
 */
export async function dismissChange(op: Op, row: AccountChangeRow, reason: string): Promise<DecidedChange> {
  const account = await findExternalAccountEvenIfDeleted(op, row.external_account_id)
  if (!account) throw new Error(`The account of ${row.id} does not exist`)
  return decideChange(op, row, account, 'dismiss', reason)
}

async function decideChange(
  op: Op,
  row: AccountChangeRow,
  account: ExternalAccountRow,
  decision: 'apply' | 'dismiss',
  reason: string,
  change: Partial<ExternalAccountRow> = {},
): Promise<DecidedChange> {
  const pending = await selectPendingChanges(op, account.id)
  const isLast = pending.every(({ id }) => id === row.id)
  const { row: moved, writes } = endChange(op, row, account, decision, reason)
  return {
    row: moved,
    writes: [...writes, updateChangedAccount(op, account, isLast ? 'review' : [], change)],
  }
}

/** Guard: nobody else has decided about the change. */
function endChange(
  op: Op,
  row: AccountChangeRow,
  account: ExternalAccountRow,
  decision: 'apply' | 'dismiss',
  reason: string,
): DecidedChange {
  const actor = nameActor(op.actor)
  if (!actor) throw new Error(`${op.actor.kind} cannot decide about account changes`)
  const change = { reason, ...actor, decided_at: op.now }
  const moved = transition(op, 'account_changes', ACCOUNT_CHANGE_TRANSITIONS, row, decision, change)
  const decidedEvent = changeEvent(op, 'EXTERNAL_ACCOUNT.CHANGE_DECIDED', moved.row, account)
  return { row: moved.row, writes: [moved.write, decidedEvent] }
}

/**
 * The writes that stop all payments to an account. Empty if the account was removed, is under review, or is
 * already INACTIVE. Guard: none of its changes was reported or decided in the meantime.
 */
export async function refuseAccount(op: Op, id: string, reason: string): Promise<readonly Write[]> {
  const account = await findExternalAccountEvenIfDeleted(op, id)
  if (!account || account.deleted_at !== null) return []
  if (EXTERNAL_ACCOUNT_TRANSITIONS[account.status].refuse === null) return []
  return [updateChangedAccount(op, account, 'refuse', { status_reason: reason })]
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
 * The account with the details that it had at a given time. A payment keeps the details that it was created
 * with.
 */
export async function findAccountAsOf(
  op: Op,
  account: ExternalAccountRow,
  time: Date,
): Promise<ExternalAccountRow> {
  const { details_changed_at: changedAt, account_info: current } = account
  if (changedAt === null || changedAt <= time) return account
  const account_info = computeDetailsBefore(current, await selectAppliedAfter(op, account.id, time))
  if (account_info === current) return account
  return { ...account, account_info, identifier: listIdentifiers(account_info)[0].value }
}

/** Removes an account, and dismisses its pending changes. Guard: the account is unchanged. */
export async function removeAccount(op: Op, account: ExternalAccountRow): Promise<readonly Write[]> {
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
    ...pending.flatMap((row) => endChange(op, row, account, 'dismiss', 'The account was removed').writes),
    updateChangedAccount(op, account, 'review', removed),
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
    previous: shortenIdentifier(account_type, row.previous),
    proposed: shortenIdentifier(account_type, row.proposed),
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
    decidedBy: actor_type === null ? undefined : toActorView({ actor_type, actor_id, actor_name }),
    decidedAt: row.decided_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
