import type { LedgerWrite } from '../../storage/commit/writes.ts'
import { TRANSFER_INITIAL, TRANSFER_TRANSITIONS } from '../../storage/rows/states.ts'
import type { Op } from '../operation/app.ts'
import { openSystemAccount, type SystemAccount, toSystemAccountId } from './accounts.ts'
import { type Cause, transfer } from './transfers.ts'

const { post: POSTED, void: VOIDED } = TRANSFER_TRANSITIONS[TRANSFER_INITIAL]

/** A hold on an internal account, and where its money goes when captured. */
export interface Hold {
  readonly holdId: string
  readonly account: string
  readonly to: SystemAccount
  /** Set if `to` is `rail`. */
  readonly rail?: string | undefined
  readonly currency: string
  readonly amount: bigint
}

/** Holds money with a pending transfer. Guard: the account has enough available balance. */
export function hold(
  op: Op,
  cause: Cause,
  held: Omit<Hold, 'holdId'>,
): { readonly holdId: string; readonly write: LedgerWrite } {
  const write = toPendingTransfer(op, cause, { ...held, holdId: op.newId('LedgerTransfer') })
  return { holdId: write.id, write }
}

/** Captures the whole hold. Guard: the hold is still pending. */
export function capture(op: Op, held: Hold): LedgerWrite[] {
  const { to: system, rail, currency } = held
  return [
    openSystemAccount(op, { system, rail, currency }),
    { ...toSides(op, held), write: 'end', state: POSTED },
  ]
}

/**
 * Captures part of a hold: voids the pending transfer, posts a transfer of the part, and holds the remainder
 * with a new pending transfer if `keepsRemainder`. The returned `holdId` names the remaining hold. Guard: the
 * hold is still pending.
 */
export function capturePart(
  op: Op,
  cause: Cause,
  held: Hold,
  part: bigint,
  keepsRemainder: boolean,
): { readonly holdId: string; readonly writes: LedgerWrite[] } {
  const { holdId, account, to: system, rail, currency, amount } = held
  if (part > amount) throw new Error(`cannot capture ${part} of a hold of ${amount}`)
  if (part === amount) return { holdId, writes: capture(op, held) }
  const captured = transfer(op, cause, {
    from: { account, currency },
    to: { system, rail, currency },
    amount: part,
  })
  const remainder = { ...held, holdId: op.newId('LedgerTransfer'), amount: amount - part }
  return keepsRemainder
    ? {
        holdId: remainder.holdId,
        writes: [release(op, held), ...captured, toPendingTransfer(op, cause, remainder)],
      }
    : { holdId, writes: [release(op, held), ...captured] }
}

/** Releases a hold. Guard: the hold is still pending. */
export function release(op: Op, held: Hold): LedgerWrite {
  return { ...toSides(op, held), write: 'end', state: VOIDED }
}

function toPendingTransfer(op: Op, cause: Cause, held: Hold) {
  return { ...toSides(op, held), ...cause, write: 'transfer', state: TRANSFER_INITIAL } as const
}

function toSides(op: Op, { holdId, account, to, rail, currency, amount }: Hold) {
  const credit = toSystemAccountId(op.platform.id, to, currency, rail)
  return {
    id: holdId,
    platformId: op.platform.id,
    debit: account,
    credit,
    currency,
    amount,
    at: op.now,
  } as const
}
