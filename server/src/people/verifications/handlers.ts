import { present } from '@countersign/contract/core/objects'
import type { verifications } from '@countersign/contract/customers/verifications'
import { withNames } from '../../kernel/accounts/names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import type { VerificationDecisionRow } from '../../storage/rows/verification.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Decider } from './decide.ts'
import { decideOpen } from './decide-open.ts'
import { proceed } from './proceed.ts'
import { selectDecisions, selectVerifications } from './store.ts'
import { findVerification, toVerificationView } from './verifications.ts'

export const verificationHandlers: Handlers<typeof verifications> = {
  verification_create: async (op, { body }) => {
    const { row, writes } = await proceed(op, await findCustomer(op, body.customerId), true)
    return { status: 200, body: toVerificationView(row), writes }
  },

  verification_list: async (op, { query }) => ({
    status: 200,
    body: await withNames(
      op,
      query,
      await listPage(op, query, {
        rows: selectVerifications(op, query),
        table: 'verifications',
        order: query.sortOrder ?? 'desc',
        view: (rows) => rows.map(toVerificationView),
      }),
      ({ customerId }) => [customerId],
    ),
  }),

  verification_get: async (op, { params }) => ({
    status: 200,
    body: toVerificationView(await findVerification(op, params.verificationId)),
  }),

  verification_decide: async (op, { params, body }) => {
    const verification = await findVerification(op, params.verificationId)
    const { row, writes } = await decideOpen(op, verification, body, toDecider(op))
    return { status: 200, body: toVerificationView(row), writes }
  },

  verification_decision_list: async (op, { params, query }) => {
    const { id } = await findVerification(op, params.verificationId)
    return {
      status: 200,
      // The cursor is valid only for this verification's list.
      body: await listPage(
        op,
        { ...query, of: id },
        {
          rows: selectDecisions(op, id),
          table: 'verification_decisions',
          view: (rows) => rows.map(decisionView),
        },
      ),
    }
  },
}

function decisionView(row: VerificationDecisionRow) {
  return {
    ...present({ reason: row.reason }),
    id: row.id,
    verificationId: row.verification_id,
    submission: row.submission,
    decision: row.decision,
    errors: row.errors,
    decidedBy: { type: row.decider, ...present({ id: row.decider_id }) },
    createdAt: row.created_at.toISOString(),
  }
}

function toDecider({ actor }: Op): Decider {
  if (actor.kind === 'member') return { type: 'MEMBER', id: actor.memberId }
  return { type: 'TOKEN', ...(actor.kind === 'token' ? { id: actor.tokenId } : {}) }
}
