import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { inviteAsOperator } from '../members/operator.ts'
import { checkInvited } from '../service/invited-person.ts'
import type { AdminCommand } from './commands.ts'
import { readPermissions } from './permissions.ts'

/** The operator's commands about members. */
export const MEMBER_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'member invite': {
    usage:
      'member invite --platform ID --name NAME --email ADDRESS [--permissions VIEW,TRANSACT,MANAGE,APPROVE,REVIEW]',
    options: {
      platform: { type: 'string' },
      name: { type: 'string' },
      email: { type: 'string' },
      permissions: { type: 'string' },
    },
    required: ['platform', 'name', 'email'],
    check: ({ permissions }) => void readPermissions(permissions),
    run: async (app, { platform, name, email, permissions }) => {
      const granted = [...(readPermissions(permissions) ?? MEMBER_ROLES.OWNER)]
      const person = checkInvited({ name: String(name), email: String(email), permissions: granted })
      return inviteAsOperator(app, String(platform), person)
    },
  },
}
