import type { LedgerWrite } from '../../storage/commit/writes.ts'
import { TRANSFER_INITIAL, TRANSFER_TRANSITIONS } from '../../storage/rows/states.ts'
import type { Op } from '../operation/app.ts'
import { openSystemAccount, type SystemAccount, systemAccountId } from './accounts.ts'
import { type Cause, transfer } from './transfers.ts'

const { post: POSTED, void: VOIDED } = TRANSFER_TRANSITIONS[TRANSFER_INITIAL]

/** A hold on an internal account, and the destination of its capture. */
export interface Hold {
  readonly holdId: string
  readonly account: string
  readonly to: SystemAccount
  /** The rail, if `to` is `rail`. */
  readonly rail?: string | undefined
  readonly currency: string
  readonly amount: bigint
}

/** Holds money with a pending transfer. Guard: the account can spend it. */
export function hold(
  op: Op,
  cause: Cause,
  held: Omit<Hold, 'holdId'>,
): { readonly holdId: string; readonly write: LedgerWrite } {
  const write = toPendingTransfer(op, cause, { ...held, holdId: op.newId('LedgerTransfer') })
  return { holdId: write.id, write }
}

/** Posts the whole hold. Guard: it is still held. */
export function capture(op: Op, held: Hold): LedgerWrite[] {
  const { to: system, rail, currency } = held
  return [
    openSystemAccount(op, { system, rail, currency }),
    { ...sidesOf(op, held), write: 'end', state: POSTED },
  ]
}

/**
 * Posts a part of a hold. The pending transfer is voided, a posted one has the part, and a new one holds the
 * rest unless it is given up; its id becomes the hold's id. Guard: it is still held.
 */
export function capturePart(
  op: Op,
  cause: Cause,
  held: Hold,
  part: bigint,
  keepsRest: boolean,
): { readonly holdId: string; readonly writes: LedgerWrite[] } {
  const { holdId, account, to: system, rail, currency, amount } = held
  if (part > amount) throw new Error(`cannot capture ${part} of a hold of ${amount}`)
  if (part === amount) return { holdId, writes: capture(op, held) }
  const taken = transfer(op, cause, {
    from: { account, currency },
    to: { system, rail, currency },
    amount: part,
  })
  const rest = { ...held, holdId: op.newId('LedgerTransfer'), amount: amount - part }
  return keepsRest
    ? { holdId: rest.holdId, writes: [release(op, held), ...taken, toPendingTransfer(op, cause, rest)] }
    : { holdId, writes: [release(op, held), ...taken] }
}

/** Releases the hold. Guard: it is still held. */
export function release(op: Op, held: Hold): LedgerWrite {
  return { ...sidesOf(op, held), write: 'end', state: VOIDED }
}

function toPendingTransfer(op: Op, cause: Cause, held: Hold) {
  return { ...sidesOf(op, held), ...cause, write: 'transfer', state: TRANSFER_INITIAL } as const
}

function sidesOf(op: Op, { holdId, account, to, rail, currency, amount }: Hold) {
  const credit = systemAccountId(op.platform.id, to, currency, rail)
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
