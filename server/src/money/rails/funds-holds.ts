import { type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { EventType } from '@countersign/contract/events/events'
import type { HoldRule } from '@countersign/contract/payments/risk-config'
import {
  FUNDS_HOLD_INITIAL,
  FUNDS_HOLD_TRANSITIONS,
  type FundsHoldEvent,
} from '@countersign/contract/states/funds-hold-states'
import { buildBalanceEvent, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { capture, type Hold, hold, release } from '../../kernel/ledger/holds.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findCustomerOnRecord } from '../../people/customers/customers.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { FundsHoldRow } from '../../storage/rows/risk.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { findExternalAccountEvenIfDeleted, findPullRail } from '../external-accounts/external-accounts.ts'
import { selectFundsHold, selectFundsHoldByTransaction } from './funds-hold-store.ts'
import { chooseHoldRule, computeReleaseTime, formatHoldReason, readHoldRule } from './hold-rules.ts'

const DAY_MS = 24 * 3600 * 1000

/** Money that a transfer or a quote pulls from an external account. */
export interface Pull {
  readonly externalAccountId: string
  /** Null if the platform pulls for itself. */
  readonly customerId: string | null
  readonly currency: KnownCurrency
  /** In the smallest unit. */
  readonly amount: bigint
}

/** The platform's rule that holds this money, if any. */
export async function findHoldRule(op: Op, pull: Pull): Promise<HoldRule | undefined> {
  const { fundsHolds } = getPlatformConfig(op).riskConfig
  if (fundsHolds.length === 0) return undefined
  const { externalAccountId, customerId, currency, amount } = pull
  const [external, customer] = await Promise.all([
    findExternalAccountEvenIfDeleted(op, externalAccountId),
    customerId === null ? undefined : findCustomerOnRecord(op, customerId),
  ])
  return chooseHoldRule(fundsHolds, {
    currency,
    amount,
    paymentRail: external && findPullRail(external),
    customerAgeDays: customer && Math.floor((op.now.getTime() - customer.created_at.getTime()) / DAY_MS),
  })
}

/**
 * Rejects a pull that a rule would hold, for callers that spend its money immediately. Throws 409
 * `PULL_NEEDS_HOLD`.
 */
export async function checkPullNotHeld(op: Op, pull: Pull): Promise<void> {
  const rule = await findHoldRule(op, pull)
  if (!rule) return
  throw new ApiError('PULL_NEEDS_HOLD', {
    message: `${formatHoldReason(rule)} Pull the money with POST /transfer-in, and pay after it is released.`,
    details: { bankingDays: rule.bankingDays },
  })
}

/** A pull whose money has arrived on an account. */
interface ArrivedPull extends Pull {
  readonly transactionId: string
  readonly rail: string | undefined
}

/** Holds money that the same write set credits, if a rule says so. Must come after the credit. */
export async function holdArrived(op: Op, account: InternalAccountRow, pull: ArrivedPull): Promise<Write[]> {
  const rule = await findHoldRule(op, pull)
  if (!rule) return []
  const { transactionId, amount, currency, rail } = pull
  const holdRequest = { account: account.id, to: 'rail', rail, currency, amount } as const
  const { holdId, write } = hold(op, { cause: 'transaction', causeId: transactionId }, holdRequest)
  const row: FundsHoldRow = {
    id: op.newId('FundsHold'),
    platform_id: op.platform.id,
    account_id: account.id,
    customer_id: account.customer_id,
    transaction_id: transactionId,
    hold_id: holdId,
    rail: rail ?? null,
    amount,
    currency,
    rule,
    state: FUNDS_HOLD_INITIAL,
    release_at: computeReleaseTime(currency, rule.bankingDays, op.now),
    note: null,
    ended_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
  return [
    write,
    insert('funds_holds', row),
    event(op, 'FUNDS_HOLD.HELD', row.id, toFundsHoldView(row)),
    job(op, 'funds-hold.release', { fundsHoldId: row.id }, row.release_at),
  ]
}

/** Throws 404 `FUNDS_HOLD_NOT_FOUND`. */
export async function findFundsHold(op: Op, id: string): Promise<FundsHoldRow> {
  const row = await selectFundsHold(op, id)
  if (!row || !canSee(op, row.customer_id))
    throw new ApiError('FUNDS_HOLD_NOT_FOUND', { details: { field: 'fundsHoldId' } })
  return row
}

/** The active hold on the money that a transfer has pulled. */
export async function findOpenHold(op: Op, transactionId: string): Promise<FundsHoldRow | undefined> {
  const row = await selectFundsHoldByTransaction(op, transactionId)
  return row?.state === FUNDS_HOLD_INITIAL ? row : undefined
}

const END_EVENTS = {
  release: 'FUNDS_HOLD.RELEASED',
  lift: 'FUNDS_HOLD.LIFTED',
  return: 'FUNDS_HOLD.RETURNED',
} as const satisfies Record<FundsHoldEvent, EventType>

/**
 * Ends a hold and reports it. If the bank reversed the pull, the money moves from the hold to the rail;
 * otherwise the account can spend it. Guard: the hold is active; the balance event must come after these
 * writes.
 */
export function endFundsHold(
  op: Op,
  row: FundsHoldRow,
  holdEvent: FundsHoldEvent,
  note: string | null = null,
): { readonly row: FundsHoldRow; readonly writes: readonly Write[] } {
  const moved = transition(op, 'funds_holds', FUNDS_HOLD_TRANSITIONS, row, holdEvent, {
    note,
    ended_at: op.now,
  })
  const holdRequest = toHeld(row)
  return {
    row: moved.row,
    writes: [
      moved.write,
      ...(holdEvent === 'return' ? capture(op, holdRequest) : [release(op, holdRequest)]),
      event(op, END_EVENTS[holdEvent], row.id, toFundsHoldView(moved.row)),
    ],
  }
}

function toHeld({ hold_id, account_id, rail, currency, amount }: FundsHoldRow): Hold {
  return { holdId: hold_id, account: account_id, to: 'rail', rail: rail ?? undefined, currency, amount }
}

/** Releases a hold whose banking days are over. */
export const releaseFundsHold: JobHandler<'funds-hold.release'> = async (op, { fundsHoldId }) => {
  const row = await selectFundsHold(op, fundsHoldId)
  if (row?.state !== FUNDS_HOLD_INITIAL) return []
  const account = await findInternalAccount(op, row.account_id)
  return [...endFundsHold(op, row, 'release').writes, buildBalanceEvent(op, account)]
}

/** A hold as the API shows it. */
export function toFundsHoldView(row: FundsHoldRow) {
  const rule = readHoldRule(row.rule)
  return {
    ...present({
      customerId: row.customer_id,
      note: row.note,
      endedAt: row.ended_at?.toISOString(),
    }),
    id: row.id,
    status: row.state,
    accountId: row.account_id,
    transactionId: row.transaction_id,
    amount: { amount: row.amount, currency: toCurrencyRecord(row.currency) },
    rule,
    reason: formatHoldReason(rule),
    releaseAt: row.release_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
