import { present } from '@countersign/contract/core/objects'
import { DEPOSIT_TRANSITIONS, type DepositEvent } from '@countersign/contract/states/deposit-states'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { findWalletAt } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import type { Vote } from '../../people/members/approval-votes.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { findScreeningOf } from '../screenings/screenings.ts'
import { SCREENING_HIT } from './screen-sender.ts'

/** The checks and writes that all decisions of people about deposits share. */

/** The subject of a vote. A vote for one account does not count for another. */
export function ballotOf({ id }: DepositRow, what: string): string {
  return idOfKind('Deposit', uuidOfText(`${id} ${what}`))
}

/** The writes of a vote after which other members have to vote as well. Guard: the deposit still waits. */
export function stillWaits(row: DepositRow, { writes }: Vote): Write[] {
  return [...writes, expectRow('deposits', row.id, { state: row.state })]
}

/** Error: 409 `INVALID_STATE_TRANSITION` if the deposit is not in suspense. */
export function checkCan({ state }: DepositRow, by: DepositEvent): void {
  if (state !== 'SUSPENSE' || nextState(DEPOSIT_TRANSITIONS, state, by) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `This deposit is ${state}: only one in SUSPENSE waits for a decision.`,
      details: { status: state },
    })
}

/** Error: 409 `SCREENING_NOT_DECIDED` if the screening of its sender is not decided yet. */
export async function checkScreened(op: Op, { id, reason }: DepositRow): Promise<void> {
  if (reason !== SCREENING_HIT) return
  const screening = await findScreeningOf(op, 'CREDIT', id)
  if (screening?.state !== SCREENING_INITIAL) return
  throw new ApiError('SCREENING_NOT_DECIDED', {
    message: `The address that it came from is on a list: decide ${screening.id} first.`,
    details: { screeningId: screening.id },
  })
}

export function noted({ details }: DepositRow, note: string | undefined) {
  return { ...details, ...present({ note }) }
}

/** The wallet at whose own address the money is. Only its holder decides about that. */
export function walletOf(op: Op, { rail, details }: DepositRow): Promise<InternalAccountRow | undefined> {
  return findWalletAt(op, rail, details.depositAccount)
}
