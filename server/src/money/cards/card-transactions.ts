import { present } from '@countersign/contract/core/objects'
import {
  CARD_TRANSACTION_TRANSITIONS,
  type CardTransactionEvent,
} from '@countersign/contract/states/card-states'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import { buildBalanceEvent, findInternalAccount, isOwnerDeleted } from '../../kernel/accounts/accounts.ts'
import type { SystemAccount } from '../../kernel/ledger/accounts.ts'
import { checkFitsBalance, findBalances } from '../../kernel/ledger/balances.ts'
import { capturePart, type Hold, release } from '../../kernel/ledger/holds.ts'
import { type Cause, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { PullPlan } from '../../kernel/ports/card-processor.ts'
import { toMoney } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CardTransactionRow } from '../../storage/rows/card.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { limitToClaimMax, toSourceUnits } from './claim-limit.ts'
import { signPull } from './pull-signatures.ts'
import { selectCardTransaction } from './store.ts'

/**
 * The steps of a card purchase (`CARD_TRANSACTION_TRANSITIONS`). Amounts are in the currency of the purchase;
 * a stablecoin source pays them one to one. The network is paid when the merchant claims; the source is
 * charged from the hold, then from the available balance, up to the merchant's maximum.
 */

/** The purchase after a change, with the writes of the change. */
export interface PurchaseChange {
  readonly row: CardTransactionRow
  readonly writes: readonly Write[]
}

/**
 * Claims `amount` for the merchant: pays the network, and pulls the money from the source as `plan` says.
 * Guards: the purchase is unchanged, and the source can spend the pulled amount.
 */
export async function clear(
  op: Op,
  row: CardTransactionRow,
  amount: bigint,
  plan: PullPlan,
): Promise<PurchaseChange> {
  if (amount === 0n) return expirePurchase(op, row)
  const isFinal = row.settled_amount + amount >= row.authorized_amount
  const collectible = limitToClaimMax(row, amount)
  const cleared = isFinal ? 'clear_rest' : 'clear_part'
  const events = checkEvents(row, collectible < amount ? [cleared, 'pull_fail'] : [cleared])
  const fromHold = collectible < row.unclaimed_amount ? collectible : row.unclaimed_amount
  const above = collectible - fromHold
  const claimed: CardTransactionRow = {
    ...row,
    unclaimed_amount: isFinal ? 0n : row.unclaimed_amount - fromHold,
    settlement_count: row.settlement_count + 1,
    settled_amount: row.settled_amount + amount,
    uncollected_amount: row.uncollected_amount + amount - collectible,
  }
  const owed: readonly Leg[] = [
    { system: 'receivables', currency: row.currency, amount: -amount },
    { system: 'rail', currency: row.currency, amount },
  ]
  await checkFitsBalance(op, owed, 'amount')
  const pullsNow = plan.at <= op.now && !plan.fails
  const pulledNow = pullsNow ? fromHold : 0n
  const laterPulls = [
    ...(pullsNow || fromHold === 0n ? [] : [schedulePull(op, row, { ...plan, fromHold, above: 0n })]),
    ...(above === 0n ? [] : [schedulePull(op, row, { ...plan, fromHold: 0n, above })]),
  ]
  const after: CardTransactionRow = {
    ...claimed,
    pull_count: claimed.pull_count + (pulledNow > 0n ? 1 : 0),
    pulled_amount: claimed.pulled_amount + pulledNow,
    pending_count: claimed.pending_count + laterPulls.length,
    pending_amount: claimed.pending_amount + fromHold - pulledNow,
  }
  const account = await findInternalAccount(op, row.account_id)
  const captured = pulledNow > 0n ? await captureFromHold(op, after, pulledNow) : { row: after, writes: [] }
  return movePurchase(op, row, events, captured.row, [
    ...post(op, toPurchaseCause(row), owed),
    ...captured.writes,
    ...laterPulls,
    buildBalanceEvent(op, account),
  ])
}

/** The amounts of a pull: from the hold, or from the balance above it. */
interface Pull {
  readonly fromHold: bigint
  readonly above: bigint
  readonly fails: boolean
}

function schedulePull(
  op: Op,
  { id }: CardTransactionRow,
  { at, fromHold, above, fails }: Pull & PullPlan,
): Write {
  const payload = { cardTransactionId: id, fromHold: String(fromHold), above: String(above), fails }
  return job(op, 'card-transaction.pull', payload, at)
}

/** Pulls a claim from the funding source, or records that it could not be pulled. */
export async function collectClaim(
  op: Op,
  row: CardTransactionRow,
  { fromHold, above, fails }: Pull,
): Promise<readonly Write[]> {
  const amount = fromHold + above
  const account = await findInternalAccount(op, row.account_id)
  const isPulled = !fails && (above === 0n || (await canPayFromBalance(op, row, account, above)))
  const events = isPulled ? [] : checkEvents(row, ['pull_fail'])
  const pendingChange = {
    pending_count: row.pending_count - 1,
    pending_amount: row.pending_amount - fromHold,
  }
  const after: CardTransactionRow = isPulled
    ? { ...row, ...pendingChange, pull_count: row.pull_count + 1, pulled_amount: row.pulled_amount + amount }
    : { ...row, ...pendingChange, uncollected_amount: row.uncollected_amount + amount }
  const pulled = isPulled
    ? fromHold > 0n
      ? await captureFromHold(op, after, fromHold)
      : { row: after, writes: await pullFromBalance(op, after, above) }
    : // The hold is released when nothing else will be pulled from it.
      releaseHeld(op, after, fromHold > 0n && isHoldDone(after))
  return movePurchase(op, row, events, pulled.row, [...pulled.writes, buildBalanceEvent(op, account)]).writes
}

/**
 * True if the available balance covers an amount above the authorization. The card's state and a later
 * revocation of the key do not matter: the key signed the maximum that the merchant may claim.
 */
async function canPayFromBalance(
  op: Op,
  row: CardTransactionRow,
  account: InternalAccountRow,
  amount: bigint,
): Promise<boolean> {
  const available = (await findBalances(op, [account.id])).get(account.id)?.available ?? 0n
  const isUnlocked = account.type !== 'EMBEDDED_WALLET' || row.delegated_key_id !== null
  return account.status === 'ACTIVE' && isUnlocked && available >= toAccountUnits(row, amount)
}

/** Ends the claim period, and releases the unclaimed part of the hold. */
export async function expirePurchase(op: Op, row: CardTransactionRow): Promise<PurchaseChange> {
  const events = checkEvents(row, ['expire'])
  const after = { ...row, unclaimed_amount: 0n }
  const account = await findInternalAccount(op, row.account_id)
  const canRelease = row.unclaimed_amount > 0n && isHoldDone(after)
  const released = releaseHeld(op, after, canRelease)
  return movePurchase(op, row, events, released.row, [
    ...released.writes,
    ...(canRelease ? [buildBalanceEvent(op, account)] : []),
  ])
}

/**
 * Returns an amount: first cancels the part of the claim that could not be pulled, then credits the source.
 * If the source's owner was deleted, the credit stays in the refunds account for the platform to handle.
 */
export async function giveBack(op: Op, row: CardTransactionRow, amount: bigint): Promise<PurchaseChange> {
  const returnable = row.settled_amount - row.refunded_amount
  const isFinal = amount === returnable
  if (row.pending_count > 0)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message:
        'The claimed amount has not been pulled from the funding source yet. Return it after the pull.',
      details: { field: 'cardTransactionId', status: row.state },
    })
  const events = checkEvents(row, [isFinal ? 'return_rest' : 'return_part'])
  if (amount > returnable)
    throw new ApiError('AMOUNT_OUT_OF_RANGE', {
      message: `At most ${formatCurrencyAmount(returnable, row.currency)} of the settled amount can still be returned.`,
      details: { field: 'amount', left: returnable, currency: row.currency },
    })
  const canceled = amount < row.uncollected_amount ? amount : row.uncollected_amount
  const isOwnerGone = await isOwnerDeleted(op, row.account_id)
  const legs: readonly Leg[] = [
    { system: 'rail', currency: row.currency, amount: -amount },
    { system: 'receivables', currency: row.currency, amount: canceled },
    ...(isOwnerGone
      ? ([{ system: 'refunds', currency: row.currency, amount: amount - canceled }] as const)
      : buildSourceLegs(row, amount - canceled)),
  ]
  await checkFitsBalance(op, legs, 'amount')
  const after: CardTransactionRow = {
    ...row,
    unclaimed_amount: isFinal ? 0n : row.unclaimed_amount,
    uncollected_amount: row.uncollected_amount - canceled,
    refund_count: row.refund_count + 1,
    refunded_amount: row.refunded_amount + amount,
  }
  const account = await findInternalAccount(op, row.account_id)
  const released = releaseHeld(op, after, row.unclaimed_amount > 0n && isHoldDone(after))
  return movePurchase(op, row, events, released.row, [
    ...released.writes,
    ...post(op, toPurchaseCause(row), legs),
    ...(isOwnerGone ? [] : [buildBalanceEvent(op, account)]),
  ])
}

/** Throws 404 `CARD_TRANSACTION_NOT_FOUND`, also if the purchase was made with another card. */
export async function findCardTransaction(op: Op, cardId: string, id: string): Promise<CardTransactionRow> {
  const row = await selectCardTransaction(op, id)
  if (row?.card_id !== cardId)
    throw new ApiError('CARD_TRANSACTION_NOT_FOUND', { details: { field: 'cardTransactionId' } })
  return row
}

/** Checks that the purchase allows the events in this order. Throws 409 `INVALID_STATE_TRANSITION`. */
function checkEvents(
  row: CardTransactionRow,
  events: readonly CardTransactionEvent[],
): readonly CardTransactionEvent[] {
  if (nextState(CARD_TRANSACTION_TRANSITIONS, row.state, events) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `A purchase that is ${row.state} does not allow this.`,
      details: { field: 'cardTransactionId', status: row.state },
    })
  return events
}

function movePurchase(
  op: Op,
  row: CardTransactionRow,
  events: readonly CardTransactionEvent[],
  after: CardTransactionRow,
  writes: readonly Write[],
): PurchaseChange {
  const { version } = row
  const { hold_id, held_amount } = after
  const { unclaimed_amount, uncollected_amount } = after
  const { settlement_count, settled_amount, pull_count, pulled_amount } = after
  const { pending_count, pending_amount, refund_count, refunded_amount } = after
  const change = {
    version: version + 1,
    last_event_at: op.now,
    hold_id,
    held_amount,
    unclaimed_amount,
    settlement_count,
    settled_amount,
    pull_count,
    pulled_amount,
    pending_count,
    pending_amount,
    uncollected_amount,
    refund_count,
    refunded_amount,
  }
  const moved = transition(op, 'card_transactions', CARD_TRANSACTION_TRANSITIONS, row, events, change, {
    version,
  })
  return { row: moved.row, writes: [moved.write, ...writes] }
}

/** The hold of an authorized purchase. Throws if nothing is held. */
function requireHold({
  id,
  hold_id,
  held_amount,
  account_id,
  source_currency,
  currency,
}: CardTransactionRow): Hold {
  if (hold_id === null) throw new Error(`Nothing is held for ${id}`)
  const to = getFirstReceivingAccount(source_currency, currency)
  return { holdId: hold_id, account: account_id, to, currency: source_currency, amount: held_amount }
}

/**
 * The account that receives the source's money first. A stablecoin is converted before it pays the purchase.
 */
export function getFirstReceivingAccount(source: string, currency: string): SystemAccount {
  return source === currency ? 'receivables' : 'fx'
}

/** True if no part of the hold can still be claimed or is waiting to be pulled. */
function isHoldDone({ unclaimed_amount, pending_amount }: CardTransactionRow): boolean {
  return unclaimed_amount === 0n && pending_amount === 0n
}

function releaseHeld(op: Op, after: CardTransactionRow, canRelease: boolean): PurchaseChange {
  if (!canRelease) return { row: after, writes: [] }
  return { row: { ...after, held_amount: 0n }, writes: [release(op, requireHold(after))] }
}

/** Captures an amount from the hold. Releases the rest if nothing else will be captured. */
async function captureFromHold(op: Op, after: CardTransactionRow, amount: bigint): Promise<PurchaseChange> {
  const units = toAccountUnits(after, amount)
  const isDone = isHoldDone(after)
  const part = capturePart(op, toPurchaseCause(after), requireHold(after), units, !isDone)
  const converted: readonly Leg[] = [
    { system: 'fx', currency: after.currency, amount: -amount },
    { system: 'receivables', currency: after.currency, amount },
  ]
  return {
    row: { ...after, hold_id: part.holdId, held_amount: isDone ? 0n : after.held_amount - units },
    writes: [
      ...part.writes,
      ...(after.source_currency === after.currency ? [] : post(op, toPurchaseCause(after), converted)),
      ...(await signPull(op, after, units)),
    ],
  }
}

/** The writes of a pull without a hold: its transfer and, if a wallet pays, the signature of the key. */
async function pullFromBalance(op: Op, after: CardTransactionRow, amount: bigint): Promise<Write[]> {
  const legs: readonly Leg[] = [
    ...buildSourceLegs(after, -amount),
    { system: 'receivables', currency: after.currency, amount },
  ]
  return [
    ...post(op, toPurchaseCause(after), legs),
    ...(await signPull(op, after, toAccountUnits(after, amount))),
  ]
}

/** The legs for the funding source. A stablecoin passes through the currency position, one to one. */
function buildSourceLegs(row: CardTransactionRow, amount: bigint): Leg[] {
  const units = toAccountUnits(row, amount)
  const sourceLeg: Leg = { account: row.account_id, currency: row.source_currency, amount: units }
  if (row.source_currency === row.currency) return [sourceLeg]
  return [
    sourceLeg,
    { system: 'fx', currency: row.source_currency, amount: -units },
    { system: 'fx', currency: row.currency, amount },
  ]
}

/** Converts a purchase amount to the smallest unit of the paying account. */
function toAccountUnits({ currency, source_currency }: CardTransactionRow, amount: bigint): bigint {
  return toSourceUnits(amount, currency, source_currency)
}

export function toPurchaseCause({ id }: Pick<CardTransactionRow, 'id'>): Cause {
  return { cause: 'card_transaction', causeId: id }
}

/** A purchase as the API shows it. */
export function toCardTransactionView(row: CardTransactionRow) {
  return present({
    id: row.id,
    cardId: row.card_id,
    issuerTransactionToken: row.issuer_transaction_token,
    status: row.state,
    direction: 'DEBIT' as const,
    merchant: row.merchant,
    authorizedAmount: toMoney(row.authorized_amount, row.currency),
    settledAmount: row.settlement_count > 0 ? toMoney(row.settled_amount, row.currency) : undefined,
    refundedAmount: row.refund_count > 0 ? toMoney(row.refunded_amount, row.currency) : undefined,
    accountId: row.account_id,
    pullSummary: {
      count: row.pull_count,
      totalAmount: toAccountUnits(row, row.pulled_amount),
      currency: toMoney(0n, row.source_currency).currency,
      pendingCount: row.pending_count,
    },
    refundSummary: { count: row.refund_count, totalAmount: row.refunded_amount },
    settlementSummary: { count: row.settlement_count, totalAmount: row.settled_amount },
    authorizedAt: row.authorized_at.toISOString(),
    lastEventAt: row.last_event_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
