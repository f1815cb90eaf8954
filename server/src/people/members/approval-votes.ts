import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { ApprovalVoteRow } from '../../storage/rows/member.ts'
import { getPlatformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { selectVotes, type VoteWithMember } from './approval-vote-store.ts'

/**
 * Some platforms require several members to approve the same object. Each member has one vote, and the last
 * required vote decides. Every endpoint that moves held money (`movesHeldMoney` in the contract) calls
 * `castVote`, which a test checks.
 */

export interface Vote {
  /** True if the object is approved with this vote. */
  readonly decides: boolean
  /**
   * Belong to the write set of the decision. If this vote does not decide, that write set must guard that the
   * object is still pending.
   */
  readonly writes: readonly Write[]
}

/** The deposit and choice that a vote is for. Votes for another choice are counted separately. */
export type VoteSubject = Pick<ApprovalVoteRow, 'deposit_id' | 'choice'>

const OBJECT: VoteSubject = { deposit_id: null, choice: null }

const SINGLE_APPROVAL: Vote = { decides: true, writes: [] }

/** True if a single approval is enough. */
export function isDecidedAlone(op: Op): boolean {
  return getPlatformConfig(op).approvalsRequired === 1
}

/**
 * Reads if an approval is needed, because the platform or the caller requires it. If not, the writes guard
 * that the platform's setting is unchanged.
 */
export async function readApprovalNeed(
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
 * Casts the caller's vote for an object. A vote counts while its member is active and may approve. Guards: no
 * other vote was cast in the meantime, and the counted votes still count; throws 403 `FORBIDDEN` for an API
 * token if several members must approve.
 */
export async function castVote(op: Op, objectId: string, subject: VoteSubject = OBJECT): Promise<Vote> {
  // Reads the current row. The guard below detects a later change.
  const platform = await findPlatform(op)
  const { approvalsRequired } = readPlatformConfig(op, platform)
  if (approvalsRequired === 1) return SINGLE_APPROVAL
  const { actor } = op
  if (actor.kind !== 'member')
    throw new ApiError('FORBIDDEN', {
      message: `This platform requires ${approvalsRequired} members for each approval (approvalsRequired). Members approve in the console; API tokens cannot approve.`,
      details: { approvalsRequired },
    })
  const votes = await selectVotes(op, objectId)
  const countedVotes = votes.filter(isCounted)
  const hasVoted = votes.some(({ member_id }) => member_id === actor.memberId)
  const decides = countedVotes.length + (hasVoted ? 0 : 1) >= approvalsRequired
  const row: ApprovalVoteRow = {
    platform_id: platform.id,
    object_id: objectId,
    member_id: actor.memberId,
    place: (votes.at(-1)?.place ?? 0) + 1,
    at: op.now,
    ...subject,
  }
  return {
    decides,
    writes: [
      ...(hasVoted ? [] : [insert('approval_votes', row)]),
      ...(decides ? [expectRow('platforms', platform.id, { version: platform.version })] : []),
      ...(decides
        ? countedVotes.map(({ member_id, version }) => expectRow('members', member_id, { version }))
        : []),
    ],
  }
}

function isCounted({ state, permissions }: VoteWithMember): boolean {
  return state === 'ACTIVE' && permissions.includes('APPROVE')
}
