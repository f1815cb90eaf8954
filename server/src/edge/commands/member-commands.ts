import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { inviteAsOperator } from '../../people/members/operator.ts'
import type { AdminCommands } from './admin-command.ts'
import { checkInvited } from './invited-person.ts'
import { readPermissions } from './permissions.ts'

/** The operator's commands for team members. */
export const MEMBER_COMMANDS = {
  'member invite': async (app, { platform, name, email, permissions }) => {
    const granted = [...(readPermissions(permissions) ?? MEMBER_ROLES.OWNER)]
    const { name: invited, email: address } = checkInvited({
      name: String(name),
      email: String(email),
      permissions: granted,
    })
    return inviteAsOperator(app, String(platform), { name: invited, email: address, permissions: granted })
  },
} satisfies AdminCommands
