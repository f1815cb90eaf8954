import { auditStep } from '../../kernel/audit/audit-trail.ts'
import { type App, inRealTime, type Op } from '../../kernel/operation/app.ts'
import { type DecidedAnswer, decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { operate } from '../platforms/operate.ts'
import { inviteMember, renewInvitation } from './invitations.ts'
import { consoleOrigin, makeConsoleLink } from './links.ts'
import { memberView, type Person } from './members.ts'
import { selectMemberByEmail } from './store.ts'

/** The server operator's actions on members: nobody else can invite a platform's first one. */

/**
 * Invites a member; one who has the address already keeps name and permissions, and gets another invitation.
 * Throws if the platform does not exist.
 */
export async function inviteAsOperator(app: App, platformId: string, person: Person) {
  return operateOnMembers(app, platformId, 'member_invite', async (op) => {
    const existing = await selectMemberByEmail(op, person.email)
    const { member, invitation, writes } = existing ? renewInvitation(op, existing) : inviteMember(op, person)
    return { answer: { member: memberView(member), ...invitation }, writes }
  })
}

/** A link that opens the console of a sandbox, signed in. */
export async function consoleLinkForOperator(app: App, platformId: string): Promise<string> {
  return operateOnMembers(app, platformId, 'sandbox_console_link', async (op) => {
    const { url, writes } = await makeConsoleLink(op, () => {})
    return { answer: url, writes }
  })
}

/** The address of the console. */
export function consoleAddress(app: App): string {
  return `${consoleOrigin(app)}/console`
}

async function operateOnMembers<Answer>(
  app: App,
  platformId: string,
  operation: string,
  decide: (op: Op) => Promise<DecidedAnswer<Answer>>,
): Promise<Answer> {
  const op = await operate(app, platformId)
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const { answer, writes } = await decide(inRealTime(op))
      return { answer, writes: [...writes, ...auditStep(op, operation, { body: answer })] }
    },
  )
}
