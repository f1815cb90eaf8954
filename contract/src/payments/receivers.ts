import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import type { ErrorCode } from '../core/errors.ts'
import { UmaAddress, UmaAddressInput } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, Text } from '../core/schema.ts'
import { CustomerInfoField } from '../customers/customer-info.ts'

/** One thing that one side of a payment asks to know of the other. */
export const CounterpartyFieldDefinition = Type.Object({
  name: CustomerInfoField,
  mandatory: Type.Boolean({ description: 'Whether the payment is refused without it' }),
})

/** What the receiver takes in one currency. Amounts are in its smallest unit. */
export const CurrencyPreference = Type.Object({
  currency: Currency,
  sendingCurrency: Currency,
  estimatedExchangeRate: Type.Number({
    exclusiveMinimum: 0,
    description:
      'Units of sendingCurrency per unit of currency, both in their smallest, without fees. Nothing is locked',
  }),
  min: Int64({ exclusiveMinimum: 0, description: 'The least that can be delivered by one payment' }),
  max: Int64({ exclusiveMinimum: 0, description: 'The most that can be delivered by one payment' }),
})

/** For how long a quote may name a lookup. */
export const LOOKUP_SECONDS = 30 * 60

const lookupFields = {
  supportedCurrencies: Type.Array(CurrencyPreference),
  requiredPayerDataFields: Type.Optional(
    Type.Array(CounterpartyFieldDefinition, { description: 'What the receiver asks to know of the sender' }),
  ),
  lookupId: Text(255, { description: 'Name it in the quote. Good for 30 minutes' }),
}

export const ReceiverUmaLookup = Type.Object({ ...lookupFields, receiverUmaAddress: UmaAddress })

export const ReceiverExternalAccountLookup = Type.Object({
  ...lookupFields,
  accountId: Id('ExternalAccount'),
})

/** How the receiving side may fail before there is a payment. */
export const COUNTERPARTY_ERRORS = [
  'UNSUPPORTED_UMA_VERSION',
  'LNURLP_REQUEST_FAILED',
  'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  'NO_COMPATIBLE_UMA_VERSION',
] as const satisfies readonly ErrorCode[]

/** The sender may be named either way; both must be the same customer. */
const senderQuery = Type.Object({
  senderUmaAddress: Type.Optional(UmaAddressInput),
  customerId: Type.Optional(Id('Customer', 'Who is going to send')),
})

const description =
  'The amounts are those that the corridor allows. They are told for one sending currency: the first one of the ' +
  'sending customer that the platform pays from, else the first that the platform pays from.'

/** Who receives at an UMA address, and what (specification 2.5). */
export const receiver_uma_lookup = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/receiver/uma/{receiverUmaAddress}',
  tag: 'Receivers',
  summary: 'Look up an UMA address',
  description,
  params: Type.Object({ receiverUmaAddress: UmaAddressInput }),
  query: senderQuery,
  responses: { 200: ReceiverUmaLookup },
  errors: [
    'INVALID_INPUT',
    'INVALID_UMA_ADDRESS',
    'UMA_NOT_FOUND',
    'USER_NOT_FOUND',
    'CUSTOMER_DELETED',
    ...COUNTERPARTY_ERRORS,
    'NOT_IMPLEMENTED',
  ],
})

/** What an account elsewhere receives. */
export const receiver_external_account_lookup = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/receiver/external-account/{accountId}',
  tag: 'Receivers',
  summary: 'Look up an external account',
  description,
  params: Type.Object({ accountId: PathId }),
  query: senderQuery,
  responses: { 200: ReceiverExternalAccountLookup },
  errors: [
    'INVALID_INPUT',
    'INVALID_UMA_ADDRESS',
    'ACCOUNT_NOT_FOUND',
    'UMA_NOT_FOUND',
    'USER_NOT_FOUND',
    'CUSTOMER_DELETED',
    'NOT_IMPLEMENTED',
  ],
})

export const receivers = { receiver_uma_lookup, receiver_external_account_lookup }
