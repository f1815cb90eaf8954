import { buildAuditEntryOutsideApi } from '../../kernel/audit/audit-trail.ts'
import { type App, type Op, toRealTimeOp } from '../../kernel/operation/app.ts'
import { type DecidedResponse, decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { operate } from '../platforms/operate.ts'
import { inviteMember, renewInvitation } from './invitations.ts'
import { getConsoleOrigin, makeConsoleLink } from './links.ts'
import { type Person, toMemberView } from './members.ts'
import { selectMemberByEmail } from './store.ts'

/**
 * Invites a member on behalf of the operator. A member who already has the address keeps its name and
 * permissions, and gets a new invitation. Throws if the platform does not exist.
 */
export async function inviteAsOperator(app: App, platformId: string, person: Person) {
  return operateOnMembers(app, platformId, 'member_invite', async (op) => {
    const existing = await selectMemberByEmail(op, person.email)
    const { member, invitation, writes } = existing ? renewInvitation(op, existing) : inviteMember(op, person)
    return { answer: { member: toMemberView(member), ...invitation }, writes }
  })
}

/** Creates a link that signs the operator in to the console of a sandbox. */
export async function createOperatorConsoleLink(app: App, platformId: string): Promise<string> {
  return operateOnMembers(app, platformId, 'sandbox_console_link', async (op) => {
    const { url, writes } = await makeConsoleLink(op, () => {})
    return { answer: url, writes }
  })
}

/** Returns the URL of the console. */
export function getConsoleUrl(app: App): string {
  return `${getConsoleOrigin(app)}/console`
}

async function operateOnMembers<Answer>(
  app: App,
  platformId: string,
  operation: string,
  decide: (op: Op) => Promise<DecidedResponse<Answer>>,
): Promise<Answer> {
  const op = await operate(app, platformId)
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const { answer, writes } = await decide(toRealTimeOp(op))
      return { answer, writes: [...writes, ...buildAuditEntryOutsideApi(op, operation, { body: answer })] }
    },
  )
}
