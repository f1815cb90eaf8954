import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { own_account_create, own_account_get } from '@countersign/contract/operation/own-money'
import {
  OWN_ACCOUNT_INITIAL,
  OWN_ACCOUNT_TRANSITIONS,
  type OwnAccountEvent,
} from '@countersign/contract/states/own-money-states'
import { requireValue } from '../../base/formats/require-value.ts'
import { describeShortly } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { checkTimeZone } from '../../kernel/operation/time-zones.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import {
  findExternalAccount,
  findExternalAccountEvenIfDeleted,
} from '../../money/external-accounts/external-accounts.ts'
import { findFirstDate } from '../../money/payouts/timing.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow, StoredSweep } from '../../storage/rows/own-money.ts'
import { checkCanBeColdStorage } from './cold-storage.ts'
import { selectOwnAccount, selectRegistration } from './store.ts'

type OwnAccountView = SuccessOf<typeof own_account_get>['body']

const TIME = '18:00'
const TIME_ZONE = 'UTC'
/** A date before all sweeps. */
const START_DATE = '2000-01-01'

/** Throws 404 `OWN_ACCOUNT_NOT_FOUND`. */
export async function findOwnAccount(op: Op, id: string): Promise<OwnAccountRow> {
  const row = await selectOwnAccount(op, id)
  if (!row) throw new ApiError('OWN_ACCOUNT_NOT_FOUND', { details: { field: 'ownAccountId' } })
  return row
}

/**
 * Checks a registration and creates its row. Throws 400 `INVALID_INPUT`, 404 `ACCOUNT_NOT_FOUND` if the
 * account belongs to a customer, 409 `OWN_ACCOUNT_ALREADY_EXISTS`.
 */
export async function newOwnAccount(op: Op, body: BodyOf<typeof own_account_create>): Promise<OwnAccountRow> {
  const external = await findExternalAccount(op, body.externalAccountId)
  if (external.customer_id !== null)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'externalAccountId' } })
  const registered = await selectRegistration(op, external.id)
  if (registered)
    throw new ApiError('OWN_ACCOUNT_ALREADY_EXISTS', {
      message: `This account is already registered as ${registered.id}.`,
      details: { field: 'externalAccountId', ownAccountId: registered.id },
    })
  const { sweep, purpose = 'OWN_MONEY' } = body
  if (purpose === 'COLD_STORAGE') {
    if (sweep)
      throw createFieldError(
        'INVALID_INPUT',
        'sweep',
        'Cold storage cannot have a sweep. Use a treasury movement instead.',
      )
    await checkCanBeColdStorage(op, external)
  }
  if (sweep?.timeZone !== undefined) checkTimeZone(sweep.timeZone, 'sweep.timeZone')
  return {
    id: op.newId('OwnAccount'),
    platform_id: op.platform.id,
    external_account_id: external.id,
    currency: external.currency,
    purpose,
    state: OWN_ACCOUNT_INITIAL,
    reason: body.reason,
    sweep: sweep
      ? {
          source: sweep.source,
          minimum: String(sweep.minimum ?? 0n),
          time: sweep.time ?? TIME,
          timeZone: sweep.timeZone ?? TIME_ZONE,
        }
      : null,
    next_sweep_at: null,
    version: 1,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the account's state. */
export function checkAccountEvent({ state }: OwnAccountRow, accountEvent: OwnAccountEvent): void {
  checkEvent(OWN_ACCOUNT_TRANSITIONS, state, accountEvent, `The account is ${state}.`)
}

/** Changes a registration. Guard: its version is unchanged. */
export function updateOwnAccount(
  op: Op,
  row: OwnAccountRow,
  accountEvent: OwnAccountEvent | [],
  change: Partial<OwnAccountRow> = {},
): { readonly row: OwnAccountRow; readonly write: Write } {
  const { version } = row
  const set = { ...change, version: version + 1 }
  return transition(op, 'own_accounts', OWN_ACCOUNT_TRANSITIONS, row, accountEvent, set, { version })
}

/** The columns that schedule the first sweep on approval. */
export function scheduleFirstSweep({ now }: Op, { sweep }: OwnAccountRow): Partial<OwnAccountRow> {
  return { next_sweep_at: sweep && computeNextSweep(sweep, now) }
}

/** The next sweep time after `now`. */
export function computeNextSweep({ time, timeZone }: StoredSweep, now: Date): Date {
  const timing = {
    rule: { type: 'DAILY' },
    startDate: START_DATE,
    time,
    timeZone,
    businessDays: 'NONE',
    calendar: 'WEEKDAYS',
  } as const
  return requireValue(findFirstDate(timing, now), 'date of a daily sweep').at
}

/** The job of the next sweep. Empty without a sweep rule. */
export function sweepJob(op: Op, { id, next_sweep_at: at }: OwnAccountRow): Write[] {
  return at === null ? [] : [job(op, 'own-money.sweep', { ownAccountId: id, at: at.toISOString() }, at)]
}

export async function toOwnAccountView(op: Op, row: OwnAccountRow): Promise<OwnAccountView> {
  const { sweep, currency } = row
  if (!isKnownCurrency(currency)) throw new Error(`an own account has the unknown currency ${currency}`)
  const external = requireValue(
    await findExternalAccountEvenIfDeleted(op, row.external_account_id),
    'registered account',
  )
  return present({
    id: row.id,
    status: row.state,
    externalAccountId: row.external_account_id,
    currency,
    account: describeShortly(external),
    address: row.purpose === 'COLD_STORAGE' ? external.identifier : undefined,
    purpose: row.purpose,
    reason: row.reason,
    sweep: sweep ? { ...sweep, minimum: BigInt(sweep.minimum) } : undefined,
    nextSweepAt: row.next_sweep_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
