import { MemberInviteRequest } from '@countersign/contract/platforms/members'
import type { Static } from 'typebox'
import { validator } from '../http/request/validate.ts'

const check = validator(MemberInviteRequest, 'body')

/** Validates the operator's invitation in the same way as the API. Throws an error that names the field. */
export function checkInvited(person: Static<typeof MemberInviteRequest>): Static<typeof MemberInviteRequest> {
  return check(person)
}
