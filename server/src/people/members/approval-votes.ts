import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { ApprovalVoteRow } from '../../storage/rows/member.ts'
import { platformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { selectVotes, type VoteWithMember } from './approval-vote-store.ts'

/**
 * On platforms that require it, several members approve one object. Each has one vote, and the last required
 * one decides. Every endpoint that moves held money (`movesHeldMoney` in the contract) calls `castVote`; a
 * test checks all of them.
 */

export interface Vote {
  /** True if the object is approved by this vote. */
  readonly decides: boolean
  /** For the write set that decides; otherwise for one that guards that the object still waits. */
  readonly writes: readonly Write[]
}

/** The deposit and the choice that make a ballot: votes for another choice have another ballot. */
export type VoteSubject = Pick<ApprovalVoteRow, 'deposit_id' | 'choice'>

const OBJECT: VoteSubject = { deposit_id: null, choice: null }

const DECIDED_ALONE: Vote = { decides: true, writes: [] }

/** True if one approval is enough. */
export function isDecidedAlone(op: Op): boolean {
  return platformConfig(op).approvalsRequired === 1
}

/**
 * True if something has to be approved before it begins, because the platform or the caller requires it. Guard, if
 * not: the platform's setting is unchanged.
 */
export async function isApprovalNeeded(
  op: Op,
  isRequested = false,
): Promise<{ readonly isNeeded: boolean; readonly writes: readonly Write[] }> {
  const platform = await findPlatform(op)
  const isNeeded = isRequested || readPlatformConfig(op, platform).approvalsRequired > 1
  return {
    isNeeded,
    writes: isNeeded ? [] : [expectRow('platforms', platform.id, { version: platform.version })],
  }
}

/**
 * The approval of an object by the caller; `about` is the subject of a ballot, which others see. Votes count once per
 * member, while the member is active and may approve. Guards: no other vote came in between, and the counted votes
 * still count; error 403 `FORBIDDEN` for an API token if several members have to approve.
 */
export async function castVote(op: Op, objectId: string, about: VoteSubject = OBJECT): Promise<Vote> {
  // The current row: the guard below catches a further change.
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
