import { isKeyOf } from '@countersign/contract/core/objects'
import {
  INCOMING_TRANSACTION_TRANSITIONS,
  OUTGOING_TRANSACTION_TRANSITIONS,
  TRANSFER_OUT_TRANSITIONS,
} from '@countersign/contract/states/payment-states'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { awaitApproval } from '../approvals/signature.ts'
import { DecideButton } from '../decisions/decide-button.tsx'
import type { TransactionRecord } from './columns.tsx'

const DECIDED_BY_REPORT = 'It has ended. A report that contradicts that is decided on the page of approvals.'

/**
 * The actions on a payment: approve or reject it, cancel it, decide its outcome, or mark its receipt as
 * delivered.
 */
export function TransactionActions({ transaction }: { readonly transaction: TransactionRecord }) {
  const { id, status, receiptDeliveryConfirmedAt, direction } = transaction
  const client = useQueryClient()
  const onDone = () => {
    for (const noun of ['transactions', 'approvals', 'overview'])
      void client.invalidateQueries({ queryKey: [noun] })
  }
  const transact = useMissingPermission('TRANSACT')
  const approve = useMissingPermission('APPROVE')
  const endedReason = `It is ${formatConstant(status).toLowerCase()}.`
  return (
    <>
      <Decision transaction={transaction} onDone={onDone} />
      {direction === 'DEBIT' && (
        <ActionButton
          label="Cancel payment"
          successText="Cancellation requested."
          disabledReason={
            transact ?? (canFail(transaction) ? undefined : `It can no longer be stopped. ${endedReason}`)
          }
          color="red"
          question={{
            title: 'Stop this payment?',
            text: 'A payment that waits for its rail’s hours is stopped immediately. For any other payment, the rail is asked to cancel it, which may be too late.',
          }}
          act={() => countersign.transactions.cancel(id)}
          onDone={onDone}
        />
      )}
      {direction === 'DEBIT' && (
        <DecideButton
          transactionId={id}
          disabledReason={approve ?? (canBeDecided(transaction) ? undefined : DECIDED_BY_REPORT)}
          onDone={onDone}
        />
      )}
      {status === 'COMPLETED' && receiptDeliveryConfirmedAt === undefined && (
        <ActionButton
          label="Mark receipt as delivered"
          successText="Receipt marked as delivered."
          disabledReason={transact}
          question={{
            title: 'Mark receipt as delivered?',
            text: 'This records that the customer has received the receipt, with the current time. It cannot be undone.',
          }}
          act={() => countersign.transactions.confirm(id, {})}
          onDone={onDone}
        />
      )}
    </>
  )
}

/**
 * Approves or rejects a payment to a customer that is waiting for the platform, or a payment requested by an
 * agent.
 */
function Decision(props: { readonly transaction: TransactionRecord; readonly onDone: () => void }) {
  const { transaction, onDone } = props
  const { id, agentId, direction } = transaction
  const isIncoming = direction === 'CREDIT'
  const isOpen = canApprove(transaction)
  // The server decides this, because a credit that needs no decision, such as a transfer in, has the same
  // states.
  const waiting = useQuery({
    queryKey: ['approvals', 'incoming'],
    queryFn: () => countersign.approvals.list({ kind: 'INCOMING_PAYMENT', limit: 100 }),
    enabled: isIncoming && isOpen,
  })
  const permission = useMissingPermission('APPROVE')
  if (!isIncoming && agentId === undefined) return null
  const isWaiting = !isIncoming || waiting.data?.data.some(({ objectId }) => objectId === id) === true
  const disabledReason =
    permission ??
    (isOpen
      ? isWaiting
        ? undefined
        : 'It does not wait for a decision.'
      : `It is decided: ${formatConstant(transaction.status).toLowerCase()}.`)
  return (
    <>
      <ActionButton
        label="Approve"
        successText="Payment approved."
        variant="filled"
        disabledReason={disabledReason}
        act={() => awaitApproval(countersign.transactions.approve(id, {}))}
        onDone={onDone}
      />
      <ActionButton
        label="Reject"
        successText="Payment rejected."
        color="red"
        disabledReason={disabledReason}
        question={{
          title: 'Reject this payment?',
          text: 'Its sender gets the money back.',
          needsReason: false,
        }}
        act={(reason) => countersign.transactions.reject(id, reason ? { reason } : {})}
        onDone={onDone}
      />
    </>
  )
}

function canApprove(transaction: TransactionRecord): boolean {
  return transaction.type === 'INCOMING'
    ? INCOMING_TRANSACTION_TRANSITIONS[transaction.status].approve !== null
    : OUTGOING_TRANSACTION_TRANSITIONS[transaction.status].execute !== null
}

/** True if the rail may have failed to complete the payment, or its money may have been returned. */
function canBeDecided(transaction: TransactionRecord): boolean {
  return canFail(transaction) || transaction.status === 'COMPLETED'
}

function canFail(transaction: TransactionRecord): boolean {
  if (transaction.type === 'OUTGOING')
    return OUTGOING_TRANSACTION_TRANSITIONS[transaction.status].fail !== null
  const { status } = transaction
  return isKeyOf(TRANSFER_OUT_TRANSITIONS, status) && TRANSFER_OUT_TRANSITIONS[status].fail !== null
}
