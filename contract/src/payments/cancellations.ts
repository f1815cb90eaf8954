import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { PathId } from '../core/ids.ts'
import { Transaction } from './transactions.ts'

/**
 * Asks a payment's rail not to send it. If the request is in time, the payment fails and its money is
 * refunded.
 */
export const transaction_cancel = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transactions/{transactionId}/cancel',
  tag: 'Transactions',
  summary: 'Cancel a payment',
  description:
    'Tries to stop a payment before it arrives. For an outgoing payment that its rail has not delivered. One ' +
    'that waits for the hours of its rail is cancelled immediately; for any other the server asks the rail, and the ' +
    'transaction shows the outcome. The response is the current transaction.',
  params: Type.Object({ transactionId: PathId }),
  responses: { 200: Transaction },
  errors: ['TRANSACTION_NOT_FOUND', 'CANCELLATION_NOT_SUPPORTED', 'INVALID_STATE_TRANSITION'],
})

export const cancellations = { transaction_cancel }
