import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import type { ErrorCode } from '../core/errors.ts'
import { UmaAddress, UmaAddressInput } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, Text } from '../core/schema.ts'
import { CustomerInfoField } from '../customers/customer-info.ts'

/** Information that one side of a payment requires about the other. */
export const CounterpartyFieldDefinition = Type.Object({
  name: CustomerInfoField,
  mandatory: Type.Boolean({ description: 'True if the payment is refused without this information' }),
})

/** A currency that the receiver accepts. Amounts are in its smallest unit. */
export const CurrencyPreference = Type.Object({
  currency: Currency,
  sendingCurrency: Currency,
  estimatedExchangeRate: Type.Number({
    exclusiveMinimum: 0,
    description: 'Smallest units of sendingCurrency per smallest unit of currency, without fees. Not locked',
  }),
  min: Int64({ exclusiveMinimum: 0, description: 'Minimum amount that one payment can deliver' }),
  max: Int64({ exclusiveMinimum: 0, description: 'Maximum amount that one payment can deliver' }),
})

/** The time during which a quote can refer to a lookup. */
export const LOOKUP_SECONDS = 30 * 60

const lookupFields = {
  supportedCurrencies: Type.Array(CurrencyPreference),
  requiredPayerDataFields: Type.Optional(
    Type.Array(CounterpartyFieldDefinition, {
      description: 'The information about the sender that the receiver requires',
    }),
  ),
  lookupId: Text(255, { description: 'Pass it when you create the quote. Valid for 30 minutes' }),
}

export const ReceiverUmaLookup = Type.Object({ ...lookupFields, receiverUmaAddress: UmaAddress })

export const ReceiverExternalAccountLookup = Type.Object({
  ...lookupFields,
  accountId: Id('ExternalAccount'),
})

/** Errors of the receiving side that occur before a payment exists. */
export const COUNTERPARTY_ERRORS = [
  'UNSUPPORTED_UMA_VERSION',
  'LNURLP_REQUEST_FAILED',
  'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  'NO_COMPATIBLE_UMA_VERSION',
] as const satisfies readonly ErrorCode[]

/** The sender can be specified in two ways. If both are used, they must refer to the same customer. */
const senderQuery = Type.Object({
  senderUmaAddress: Type.Optional(UmaAddressInput),
  customerId: Type.Optional(Id('Customer', 'The sending customer')),
})

const AMOUNTS =
  "The amounts are the limits of the corridor for one sending currency: the sending customer's first " +
  'currency from which the platform pays, otherwise the first currency from which the platform pays.'

/** Looks up the receiver at an UMA address and its currencies (specification 2.5). */
export const receiver_uma_lookup = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/receiver/uma/{receiverUmaAddress}',
  tag: 'Receivers',
  summary: 'Look up an UMA address',
  description:
    "Checks with the receiver's provider whether the address exists, which currencies it receives and " +
    'which information about the sender it requires. Use the lookupId of the response to create the ' +
    'quote. ' +
    AMOUNTS,
  params: Type.Object({ receiverUmaAddress: UmaAddressInput }),
  query: senderQuery,
  responses: { 200: ReceiverUmaLookup },
  errors: [
    'INVALID_INPUT',
    'INVALID_UMA_ADDRESS',
    'UMA_NOT_FOUND',
    'USER_NOT_FOUND',
    'CUSTOMER_DELETED',
    'COUNTERPARTY_NOT_ALLOWED',
    ...COUNTERPARTY_ERRORS,
    'NOT_IMPLEMENTED',
  ],
})

/** Looks up the currencies that an external account can receive. */
export const receiver_external_account_lookup = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/receiver/external-account/{accountId}',
  tag: 'Receivers',
  summary: 'Look up an external account',
  description:
    'Shows the currencies that an external account receives and the information that a payment to it requires. Use the ' +
    'lookupId of the response to create the quote. ' +
    AMOUNTS,
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
