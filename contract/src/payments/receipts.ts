import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode, UmaAddressInput } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { FreeFormInput, Int64, Prose } from '../core/schema.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { Transaction } from './transactions.ts'

/** How long the platform has to decide on a payment to one of its customers. */
export const APPROVAL_SECONDS = 15 * 60

const transactionPath = Type.Object({ transactionId: PathId })

const receiverCustomerInfo = Type.Optional(
  FreeFormInput('What the platform tells of its customer to the side that sends'),
)

export const ApprovePaymentRequest = Type.Object({ receiverCustomerInfo })

export const RejectPaymentRequest = Type.Object({ reason: Type.Optional(Prose(500)) })

const errors = [
  'INVALID_INPUT',
  'TRANSACTION_NOT_FOUND',
  'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL',
] as const

/** Lets a payment in. Of several words on one payment the first counts, by whichever way it comes. */
export const transaction_approve = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transactions/{transactionId}/approve',
  tag: 'Transactions',
  summary: 'Approve a payment',
  description:
    'For a payment to a customer that is PENDING and not older than 15 minutes, however the webhook was answered so ' +
    'far; and for the payment of an agent that waits for approval, as POST /agents/{agentId}/actions/{actionId}/approve.',
  signed: true,
  params: transactionPath,
  body: ApprovePaymentRequest,
  bodyBytesMax: 16 * KIB,
  bodyOptional: true,
  responses: { 200: Transaction, 202: SignedRequestChallenge },
  errors: [...errors, 'UNAUTHORIZED'],
})

/** Sends a payment back. */
export const transaction_reject = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transactions/{transactionId}/reject',
  tag: 'Transactions',
  summary: 'Reject a payment',
  description:
    'For a payment that is PENDING and not older than 15 minutes. The reason is shown in counterpartyInformation.',
  params: transactionPath,
  body: RejectPaymentRequest,
  bodyOptional: true,
  responses: { 200: Transaction },
  errors,
})

export const SandboxUmaReceiveRequest = Type.Object({
  senderUmaAddress: UmaAddressInput,
  receiverUmaAddress: Type.Optional(UmaAddressInput),
  customerId: Type.Optional(Id('Customer', 'Instead of receiverUmaAddress')),
  receivingCurrencyCode: CurrencyCode,
  receivingCurrencyAmount: Int64({
    exclusiveMinimum: 0,
    description: 'Smallest unit of the receiving currency',
  }),
})

/** A payment from elsewhere to a customer of the platform (specification 4.14). */
export const sandbox_uma_receive = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/uma/receive',
  tag: 'Sandbox',
  summary: 'Simulate an incoming UMA payment',
  description:
    'With a webhookEndpoint the platform is asked whether it lets the payment in; without one it goes in at once.',
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
