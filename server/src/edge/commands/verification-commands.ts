import { buildAuditEntryOutsideApi } from '../../kernel/audit/audit-trail.ts'
import { type App, createOp, type Op } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { decideOpen } from '../../people/verifications/decide-open.ts'
import { reopen } from '../../people/verifications/reopen.ts'
import {
  findVerification,
  findVerificationWithPlatform,
  listAllVerifications,
  toVerificationView,
  type VerificationChange,
} from '../../people/verifications/verifications.ts'
import type { AdminCommands } from './admin-command.ts'
import { readDecision, readStatus, type Values } from './forms.ts'

/** The operator's commands for verifications. */
export const VERIFICATION_COMMANDS = {
  'verification list': async (app, { status }) => {
    const selected = readStatus(status) ?? 'PENDING_MANUAL_REVIEW'
    return { data: await listAllVerifications(app.read, selected) }
  },
  'verification decide': async (app, { verification, decision, reason }) =>
    changeVerification(app, 'verification_decide', verification, async (op, id) => {
      const outcome = {
        decision: readDecision(decision),
        ...(typeof reason === 'string' ? { reason } : {}),
      }
      return decideOpen(op, await findVerification(op, id), outcome, { type: 'OPERATOR' })
    }),
  'verification reopen': async (app, { verification, reason }) =>
    changeVerification(app, 'verification_reopen', verification, async (op, id) =>
      reopen(op, await findVerification(op, id), String(reason)),
    ),
} satisfies AdminCommands

/** Changes a verification on behalf of the operator. Throws a one-line error. */
async function changeVerification(
  app: App,
  operation: string,
  verification: Values[string],
  change: (op: Op, id: string) => Promise<VerificationChange>,
): Promise<object> {
  const id = String(verification)
  const found = await findVerificationWithPlatform(app.lookup, id)
  if (!found) throw new Error(`Verification ${id} not found.`)
  const op = createOp(app, await app.withConfig(found.platform), { kind: 'operator' })
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const { row, writes } = await change(op, id).catch((error: unknown) => {
        throw error instanceof ApiError ? new Error(error.message) : error
      })
      const answer = toVerificationView(row)
      return { answer, writes: [...writes, ...buildAuditEntryOutsideApi(op, operation, { body: answer })] }
    },
  )
}
