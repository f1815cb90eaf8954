import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { ApprovalVoteRow } from '../../storage/rows/member.ts'
import { platformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { selectVotes, type VoteWithMember } from './approval-vote-store.ts'

/**
 * Where a platform says so, several members approve one thing. Each has one vote, and the last that is needed decides. Every endpoint
 * that moves held money (`movesHeldMoney` in the contract) asks here; a test walks them.
 */

export interface Vote {
  /** Whether the object is approved by this vote. */
  readonly decides: boolean
  /** For the write set that decides; where it does not decide, for one that guards that the object still waits. */
  readonly writes: readonly Write[]
}

/** The deposit and the choice that a ballot is made of: votes for another choice have another ballot. */
export type VoteSubject = Pick<ApprovalVoteRow, 'deposit_id' | 'choice'>

const OBJECT: VoteSubject = { deposit_id: null, choice: null }

const DECIDED_ALONE: Vote = { decides: true, writes: [] }

/** Whether one approval is enough. */
export function isDecidedAlone(op: Op): boolean {
  return platformConfig(op).approvalsRequired === 1
}

/**
 * The approval of an object by the caller; `about` says what a ballot is made of, so that others see it. Votes count while their members are active and may approve; a second one by the same
 * member is none. Guards: no other vote came in between, and the votes that count still do. Error: 403 `FORBIDDEN` for an API
 * token where several members have to approve.
 */
export async function castVote(op: Op, objectId: string, about: VoteSubject = OBJECT): Promise<Vote> {
  // As it is now: the guard below holds against another change of it.
  const platform = await findPlatform(op)
  const { approvalsRequired } = readPlatformConfig(op, platform)
  if (approvalsRequired === 1) return DECIDED_ALONE
  const { actor } = op
  if (actor.kind !== 'member')
    throw new ApiError('FORBIDDEN', {
      message: `This platform asks ${approvalsRequired} members for each approval (approvalsRequired): they approve in the console, and no API token does.`,
      details: { approvalsRequired },
    })
  const votes = await selectVotes(op, objectId)
  const counting = votes.filter(counts)
  const hasVoted = votes.some(({ member_id }) => member_id === actor.memberId)
  const decides = counting.length + (hasVoted ? 0 : 1) >= approvalsRequired
  const row: ApprovalVoteRow = {
    platform_id: platform.id,
    object_id: objectId,
    member_id: actor.memberId,
    place: (votes.at(-1)?.place ?? 0) + 1,
    at: op.now,
    ...about,
  }
  return {
    decides,
    writes: [
      ...(hasVoted ? [] : [insert('approval_votes', row)]),
      ...(decides ? [expectRow('platforms', platform.id, { version: platform.version })] : []),
      ...(decides
        ? counting.map(({ member_id, version }) => expectRow('members', member_id, { version }))
        : []),
    ],
  }
}

function counts({ state, permissions }: VoteWithMember): boolean {
  return state === 'ACTIVE' && permissions.includes('APPROVE')
}
