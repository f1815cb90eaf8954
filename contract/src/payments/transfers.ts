import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { PaymentRail } from '../core/rails.ts'
import { Int64, Text } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import { Transaction, TransferOut } from './transactions.ts'

/** Longer text does not fit into every rail's addenda. */
export const REMITTANCE_CHARACTERS_MAX = 80

export const InternalAccountReference = Type.Object({ accountId: Id('InternalAccount') })
export const ExternalAccountReference = Type.Object({ accountId: Id('ExternalAccount') })

export const ExternalAccountDestinationReference = Type.Object({
  accountId: Id('ExternalAccount'),
  paymentRail: Type.Optional(PaymentRail),
})

/** Why a transfer out started by a background job was refused. */
export const TransferRefusal = Type.Object({
  code: Plain(Type.String({ description: 'The error code that POST /transfer-out would have returned' })),
  message: Type.String(),
  field: Type.Optional(Plain(Type.String({ description: 'The field or column with the fault' }))),
})

const amount = (description: string) => Type.Optional(Int64({ exclusiveMinimum: 0, description }))

export const TransferInRequest = Type.Object({
  source: ExternalAccountReference,
  destination: InternalAccountReference,
  amount: amount(
    "In the smallest unit of the accounts' currency. Default: the full amount that can be pulled, if the rail can report it",
  ),
})

export const TransferOutRequest = Type.Object({
  source: InternalAccountReference,
  destination: ExternalAccountDestinationReference,
  amount: amount(
    "In the smallest unit of the accounts' currency, including any network fee. Default: the account's available balance",
  ),
  remittanceInformation: Type.Optional(
    Text(REMITTANCE_CHARACTERS_MAX, {
      description:
        'Sent with the payment: as ACH addenda, as remittance information of FedNow and RTP, or as information of a wire',
    }),
  ),
})

/** Pulls money from an external account into an internal account with the same owner and currency. */
export const transfer_in = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transfer-in',
  tag: 'Transfers',
  summary: 'Pull money in',
  description:
    'Pulls money from an external account into an internal account. Both must have the same owner and ' +
    'currency. The money can be spent once the transaction is COMPLETED.',
  idempotent: true,
  body: TransferInRequest,
  responses: { 201: Transaction },
  errors: [
    'INVALID_INPUT',
    'INVALID_AMOUNT',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'INSUFFICIENT_BALANCE',
    'USER_NOT_READY',
    'ACCOUNT_NOT_FOUND',
    'EXTERNAL_ACCOUNT_UNDER_REVIEW',
    'EXTERNAL_ACCOUNT_INACTIVE',
    'CUSTOMER_DELETED',
    'NOT_IMPLEMENTED',
  ],
})

/**
 * Pushes money from an internal account to an external account with the same owner and currency
 * (specification 4.11).
 */
export const transfer_out = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transfer-out',
  tag: 'Transfers',
  summary: 'Push money out',
  description:
    'Pays money from an internal account to an external account. Both must have the same owner and ' +
    'currency; for another currency, create a quote. The amount is held immediately. It includes the ' +
    'network fee of a chain: the payee receives the rest, and the charge is shown in fees. An embedded ' +
    'wallet pays with a quote, which its holder signs.',
  idempotent: true,
  body: TransferOutRequest,
  responses: { 201: TransferOut },
  errors: [
    'INVALID_INPUT',
    'INVALID_AMOUNT',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'INSUFFICIENT_BALANCE',
    'VELOCITY_LIMIT_EXCEEDED',
    'USER_NOT_READY',
    'ACCOUNT_NOT_FOUND',
    'EXTERNAL_ACCOUNT_UNDER_REVIEW',
    'EXTERNAL_ACCOUNT_INACTIVE',
    'CUSTOMER_DELETED',
    'NOT_IMPLEMENTED',
    'UNAVAILABLE',
  ],
})

export const transfers = { transfer_in, transfer_out }
