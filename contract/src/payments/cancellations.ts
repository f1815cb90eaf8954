import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { PathId } from '../core/ids.ts'
import { Transaction } from './transactions.ts'

/**
 * Requests that a payment's rail does not send it. If the request is in time, the payment fails and its money
 * is refunded.
 */
export const transaction_cancel = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transactions/{transactionId}/cancel',
  tag: 'Transactions',
  summary: 'Cancel a payment',
  description:
    'Tries to stop an outgoing payment that its rail has not delivered yet. A payment that waits for the ' +
    'hours of its rail is canceled immediately; for any other, the server asks the rail, and the ' +
    'transaction shows the outcome. Returns the current transaction.',
  params: Type.Object({ transactionId: PathId }),
  responses: { 200: Transaction },
  errors: ['TRANSACTION_NOT_FOUND', 'CANCELLATION_NOT_SUPPORTED', 'INVALID_STATE_TRANSITION'],
})

export const cancellations = { transaction_cancel }
