import { present } from '@countersign/contract/core/objects'
import type { DepositChoice } from '@countersign/contract/payments/deposits'
import { DEPOSIT_TRANSITIONS, type DepositEvent } from '@countersign/contract/states/deposit-states'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { toCanonicalJson } from '../../base/json/json.ts'
import { findWalletAt } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { castVote, type Vote } from '../../people/members/approval-votes.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { findScreeningBySubject } from '../screenings/screenings.ts'
import { SCREENING_HIT } from './screen-sender.ts'

/** Checks and writes that all decisions of team members about deposits share. */

/**
 * Votes for a decision about a deposit. Only votes for the same account and the same amounts count together.
 */
export function castDepositVote(op: Op, { id }: DepositRow, choice: DepositChoice): Promise<Vote> {
  const ballot = buildId('Deposit', deriveUuid(`${id} ${toCanonicalJson(choice)}`))
  return castVote(op, ballot, { deposit_id: id, choice })
}

/** The writes of a vote that other members must still confirm. Guard: the deposit's state is unchanged. */
export function buildPendingVoteWrites(row: DepositRow, { writes }: Vote): Write[] {
  return [...writes, expectRow('deposits', row.id, { state: row.state })]
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the deposit is not in suspense. */
export function checkInSuspense({ state }: DepositRow, depositEvent: DepositEvent): void {
  if (state !== 'SUSPENSE' || nextState(DEPOSIT_TRANSITIONS, state, depositEvent) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `This deposit is ${state}. Only a deposit in SUSPENSE can be decided.`,
      details: { status: state },
    })
}

/** Throws 409 `SCREENING_NOT_DECIDED` while the screening of the deposit's sender waits for a decision. */
export async function checkScreened(op: Op, { id, reason }: DepositRow): Promise<void> {
  if (reason !== SCREENING_HIT) return
  const screening = await findScreeningBySubject(op, 'CREDIT', id)
  if (screening?.state !== SCREENING_INITIAL) return
  throw new ApiError('SCREENING_NOT_DECIDED', {
    message: `The sender's address matched a screening list. Decide ${screening.id} first.`,
    details: { screeningId: screening.id },
  })
}

export function withNote({ details }: DepositRow, note: string | undefined) {
  return { ...details, ...present({ note }) }
}

/** The wallet whose address received the money, if any. Only the wallet's holder may send that money on. */
export function findDepositWallet(
  op: Op,
  { rail, details }: DepositRow,
): Promise<InternalAccountRow | undefined> {
  return findWalletAt(op, rail, details.depositAccount)
}
