import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode, UmaAddressInput } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { FreeFormInput, Int64, Prose } from '../core/schema.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { Transaction } from './transactions.ts'

/** The time in which the platform can decide on a payment to one of its customers. */
export const APPROVAL_SECONDS = 15 * 60

const transactionPath = Type.Object({ transactionId: PathId })

const receiverCustomerInfo = Type.Optional(
  FreeFormInput('The information about the customer that the platform shares with the sending side'),
)

export const ApprovePaymentRequest = Type.Object({ receiverCustomerInfo })

export const RejectPaymentRequest = Type.Object({ reason: Type.Optional(Prose(500)) })

const errors = [
  'INVALID_INPUT',
  'TRANSACTION_NOT_FOUND',
  'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL',
] as const

/** Approves a payment. The first decision is final, whether it is made by webhook or by this call. */
export const transaction_approve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/transactions/{transactionId}/approve',
  tag: 'Transactions',
  summary: 'Approve a payment',
  description:
    "Approves a payment that needs the platform's approval: a payment to a customer that is PENDING and " +
    "at most 15 minutes old, regardless of earlier webhook responses; or an agent's payment, like POST " +
    '/agents/{agentId}/actions/{actionId}/approve. If the platform has set approvalsRequired, only ' +
    'members can approve, and the payment does not change until enough of them have.',
  signed: true,
  params: transactionPath,
  body: ApprovePaymentRequest,
  bodyBytesMax: 16 * KIB,
  bodyOptional: true,
  responses: { 200: Transaction, 202: SignedRequestChallenge },
  errors: [...errors, 'UNAUTHORIZED', 'FORBIDDEN', 'APPROVALS_MISSING'],
})

/** Rejects a payment, which is then returned. */
export const transaction_reject = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/transactions/{transactionId}/reject',
  tag: 'Transactions',
  summary: 'Reject a payment',
  description:
    "Rejects a payment that needs the platform's approval, and returns the money to its sender. The " +
    'payment must be PENDING and at most 15 minutes old. The reason is shown in counterpartyInformation.',
  params: transactionPath,
  body: RejectPaymentRequest,
  bodyOptional: true,
  responses: { 200: Transaction },
  errors,
})

export const SandboxUmaReceiveRequest = Type.Object({
  senderUmaAddress: UmaAddressInput,
  receiverUmaAddress: Type.Optional(UmaAddressInput),
  customerId: Type.Optional(Id('Customer', 'Alternative to receiverUmaAddress')),
  receivingCurrencyCode: CurrencyCode,
  receivingCurrencyAmount: Int64({
    exclusiveMinimum: 0,
    description: 'In the smallest unit of the receiving currency',
  }),
})

/** Simulates an incoming payment to a customer of the platform (specification 4.14). */
export const sandbox_uma_receive = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/uma/receive',
  tag: 'Sandbox',
  summary: 'Simulate an incoming UMA payment',
  description:
    'Simulates a payment by a customer of another provider to one of your customers by UMA. With a ' +
    'webhookEndpoint, the platform must approve the payment; without one, it is approved immediately. If ' +
    "the sender's provider does not find the sender, the payment is FAILED with LNURLP_FAILED.",
  sandboxOnly: true,
  idempotent: true,
  body: SandboxUmaReceiveRequest,
  responses: { 200: Transaction },
  errors: [
    'INVALID_INPUT',
    'INVALID_UMA_ADDRESS',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'SELF_PAYMENT',
    'USER_NOT_READY',
    'UMA_NOT_FOUND',
    'USER_NOT_FOUND',
    'CUSTOMER_DELETED',
  ],
})

export const transactionApprovals = { transaction_approve, transaction_reject }

export const sandboxUma = { sandbox_uma_receive }
