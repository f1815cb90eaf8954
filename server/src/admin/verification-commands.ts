import { VERIFICATION_STATES } from '@countersign/contract/core/customer-states'
import { VERIFICATION_DECISIONS } from '@countersign/contract/customers/verifications'
import { auditStep } from '../audit/trail.ts'
import { type App, createOp, type Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { decideAndCommit } from '../op/rerun.ts'
import { decideOpen } from '../verifications/decide-open.ts'
import { reopen } from '../verifications/reopen.ts'
import {
  findVerification,
  findVerificationWithPlatform,
  listVerificationsOfServer,
  type Moved,
  verificationView,
} from '../verifications/verifications.ts'
import type { AdminCommand, Values } from './commands.ts'

/** The operator's commands about verifications. */
export const VERIFICATION_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'verification list': {
    usage: 'verification list [--status PENDING_MANUAL_REVIEW]',
    options: { status: { type: 'string' } },
    required: [],
    check: ({ status }) => void oneOf('--status', status, VERIFICATION_STATES),
    run: async (app, { status }) => {
      const asked = oneOf('--status', status, VERIFICATION_STATES) ?? 'PENDING_MANUAL_REVIEW'
      return { data: await listVerificationsOfServer(app.read, asked) }
    },
  },
  'verification decide': {
    usage: 'verification decide --verification ID --decision APPROVE|REJECT [--reason TEXT]',
    options: { verification: { type: 'string' }, decision: { type: 'string' }, reason: { type: 'string' } },
    required: ['verification', 'decision'],
    check: ({ decision }) => void oneOf('--decision', decision, DECIDED),
    run: async (app, { verification, decision, reason }) =>
      act(app, 'verification_decide', verification, async (op, id) => {
        const outcome = {
          decision: oneOf('--decision', decision, DECIDED) ?? 'APPROVE',
          ...(typeof reason === 'string' ? { reason } : {}),
        }
        return decideOpen(op, await findVerification(op, id), outcome, { type: 'OPERATOR' })
      }),
  },
  'verification reopen': {
    usage: 'verification reopen --verification ID --reason TEXT',
    options: { verification: { type: 'string' }, reason: { type: 'string' } },
    required: ['verification', 'reason'],
    run: async (app, { verification, reason }) =>
      act(app, 'verification_reopen', verification, async (op, id) =>
        reopen(op, await findVerification(op, id), String(reason)),
      ),
  },
}

/** What can be decided without entries, which are asked for over the API. */
const DECIDED = VERIFICATION_DECISIONS.filter((one) => one !== 'REQUEST_INFORMATION')

/** Does something to a verification as the operator. Throws an error of one line. */
async function act(
  app: App,
  operation: string,
  verification: Values[string],
  move: (op: Op, id: string) => Promise<Moved>,
): Promise<object> {
  const id = String(verification)
  const found = await findVerificationWithPlatform(app.lookup, id)
  if (!found) throw new Error(`There is no verification ${id}.`)
  const op = createOp(app, await app.withConfig(found.platform), { kind: 'operator' })
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const { row, writes } = await move(op, id).catch((error: unknown) => {
        throw error instanceof ApiError ? new Error(error.message) : error
      })
      const answer = verificationView(row)
      return { answer, writes: [...writes, ...auditStep(op, operation, { body: answer })] }
    },
  )
}

function oneOf<T extends string>(name: string, given: Values[string], words: readonly T[]): T | undefined {
  if (given === undefined) return undefined
  const found = words.find((word) => word === given)
  if (!found) throw new Error(`${name} takes ${words.join(', ')}, not ${given}`)
  return found
}
