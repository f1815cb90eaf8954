import type { Op } from '../../kernel/operation/app.ts'
import type { ApprovalVoteRow, MemberRow } from '../../storage/rows/member.ts'

export type VoteWithMember = Pick<ApprovalVoteRow, 'member_id' | 'place'> &
  Pick<MemberRow, 'state' | 'permissions' | 'version'>

/** The votes for an object, each with the current state of its member. */
export async function selectVotes(op: Op, objectId: string): Promise<VoteWithMember[]> {
  return op.read
    .selectFrom('approval_votes')
    .innerJoin('members', 'members.id', 'approval_votes.member_id')
    .select([
      'approval_votes.member_id',
      'approval_votes.place',
      'members.state',
      'members.permissions',
      'members.version',
    ])
    .where('approval_votes.platform_id', '=', op.platform.id)
    .where('approval_votes.object_id', '=', objectId)
    .orderBy('approval_votes.place')
    .execute()
}
