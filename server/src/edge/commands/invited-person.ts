import { MemberInviteRequest } from '@countersign/contract/platforms/members'
import type { Static } from 'typebox'
import { validator } from '../http/request/validate.ts'

const check = validator(MemberInviteRequest, 'body')

/** Whom the operator invites, checked as the API checks it. Throws for what it would refuse, and names the field. */
export function checkInvited(person: Static<typeof MemberInviteRequest>): Static<typeof MemberInviteRequest> {
  return check(person)
}
