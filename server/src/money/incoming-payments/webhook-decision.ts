import { isObject } from '@countersign/contract/core/decode'
import { CUSTOMER_INFO_FIELDS } from '@countersign/contract/customers/customer-info'
import { isWithinFreeForm } from '../../base/json/free-form.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findTransaction, type TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { isDecidedAlone } from '../../people/members/approval-votes.ts'
import type { ResponseRule } from '../../people/webhooks/response-rules.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import { approveReceipt, isAwaitingApproval, rejectReceipt } from './incoming-payments.ts'

const REASON_LENGTH_MAX = 500
const NESTING_MAX = 32

/**
 * Applies the platform's response to `INCOMING_PAYMENT.PENDING`. Status 200 approves the payment if one
 * approval is enough, 403 and 422 reject it, and 202 and 409 leave the decision to a later call; any other
 * status is retried. A late decision also ends the delivery.
 */
export const applyWebhookDecision: ResponseRule = async (op, event, { status, body }) => {
  const receipt = await findTransaction(op, event.object_id)
  const decide = DECISIONS[status]
  if (!isAwaitingApproval(op, receipt)) return decide && { ended: true, writes: [] }
  return decide ? { ended: true, writes: decide(op, receipt, body) } : { ended: false, writes: [] }
}

type DecisionRule = (op: Op, receipt: TransactionWithCustomer, body: unknown) => readonly Write[]

const DECISIONS: Readonly<Record<number, DecisionRule>> = {
  // If several members must approve, the platform's server cannot approve on their behalf.
  200: (op, receipt, body) =>
    isDecidedAlone(op) ? approveReceipt(op, receipt, readCustomerInfo(body)).writes : [markReceived(receipt)],
  202: (_, receipt) => [markReceived(receipt)],
  403: (op, receipt, body) => rejectReceipt(op, receipt, readReason(body)).writes,
  409: (_, receipt) => [markReceived(receipt)],
  422: (op, receipt, body) =>
    rejectReceipt(op, receipt, {
      ...readReason(body),
      requiredFields: readRequiredFields(body),
      failureReason: 'MISSING_MANDATORY_PAYEE_DATA',
    }).writes,
}

/** Records that the platform has received the webhook. Guard: the payment is undecided. */
function markReceived(receipt: TransactionWithCustomer): Write {
  const details = { ...receipt.details, isTaken: true }
  return update('transactions', receipt.id, { state: receipt.state }, { details })
}

/** Reads the platform's response without trusting it: values of an unexpected type are ignored. */
function readCustomerInfo(body: unknown): Record<string, unknown> | undefined {
  const info = toObject(body).receiverCustomerInfo
  return isObject(info) && isStorable(info) && isWithinFreeForm(info) ? info : undefined
}

function readReason(body: unknown): { readonly reason?: string } {
  const { reason, message } = toObject(body)
  const text = [reason, message].find(
    (value): value is string => typeof value === 'string' && value !== '' && isStorable(value),
  )
  // Counts characters, not UTF-16 units, so that no character is cut in half.
  return text === undefined ? {} : { reason: [...text].slice(0, REASON_LENGTH_MAX).join('') }
}

function readRequiredFields(body: unknown): string[] {
  const { requiredFields } = toObject(body)
  return CUSTOMER_INFO_FIELDS.filter((name) => Array.isArray(requiredFields) && requiredFields.includes(name))
}

function toObject(body: unknown): Readonly<Record<string, unknown>> {
  return isObject(body) ? body : {}
}

/**
 * True if the database can store the value as text or JSON: no U+0000, no lone surrogates, no infinities, and
 * limited nesting.
 */
function isStorable(value: unknown, levels = NESTING_MAX): boolean {
  if (typeof value === 'string') return !value.includes('\u0000') && value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  const members = Object.entries(value)
  return levels > 0 && members.every(([name, member]) => isStorable(name) && isStorable(member, levels - 1))
}
