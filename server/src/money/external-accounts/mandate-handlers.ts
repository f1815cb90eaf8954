import type { mandates } from '@countersign/contract/accounts/mandates'
import { withNames } from '../../kernel/accounts/names.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { selectMandates } from './mandate-store.ts'
import {
  cancelAfterNextCollection,
  cancelMandate,
  createMandate,
  findMandate,
  getMandateStatus,
  toMandateView,
} from './mandates.ts'

export const mandateHandlers: Handlers<typeof mandates> = {
  mandate_create: async (op, { body }) => {
    const { row, writes } = await createMandate(op, body)
    return { status: 201, body: toMandateView(op, row), writes }
  },

  mandate_list: async (op, { query }) => ({
    status: 200,
    body: await withNames(
      op,
      query,
      await listPage(op, query, {
        rows: selectMandates(op, query),
        table: 'mandates',
        view: (rows) => rows.map((row) => toMandateView(op, row)),
      }),
      ({ customerId, externalAccountId }) => [customerId, externalAccountId],
    ),
  }),

  mandate_get: async (op, { params }) => ({
    status: 200,
    body: toMandateView(op, await findMandate(op, params.mandateId)),
  }),

  mandate_cancel: async (op, { params, body }) => {
    const row = await findMandate(op, params.mandateId)
    const status = getMandateStatus(op, row)
    if (status !== 'ACTIVE')
      throw new ApiError('INVALID_STATE_TRANSITION', {
        message: `This mandate is ${status}. Only an ACTIVE mandate can be canceled.`,
        details: { status },
      })
    const cancel = body.afterNextCollection ? cancelAfterNextCollection : cancelMandate
    const canceled = cancel(op, row, body.reason)
    return { status: 200, body: toMandateView(op, canceled.row), writes: canceled.writes }
  },
}
