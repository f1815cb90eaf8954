import type { ERRORS, ErrorCode } from '../core/errors.ts'

/** When an error code occurs, and what the caller should do. */
export type Advice = readonly [when: string, remedy: string]

/** The error codes with one of these statuses. */
export type CodesOf<Status extends number> = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]['status'] extends Status ? Code : never
}[ErrorCode]

/** Codes with status 400: the request itself must be changed. */
export const REQUEST_ADVICE = {
  INVALID_INPUT: [
    'A field, a query parameter, a header or the request as a whole is not valid.',
    'Correct everything that `details.errors` lists. `details.field` names the first field.',
  ],
  INVALID_UMA_ADDRESS: [
    'The UMA address has the wrong form, or a domain that is not allowed here.',
    "Write it as `$name@domain`. A customer's address has your platform's domain.",
  ],
  MISSING_MANDATORY_USER_INFO: [
    'The receiver at a UMA address requires more information about the sender.',
    'Send the fields in `details.missing` as `senderCustomerInfo`.',
  ],
  SELF_PAYMENT: ['Source and destination are the same account.', 'Choose another destination.'],
  INVALID_BANK_ACCOUNT: [
    'A number, a check digit or a bank name of an external account is not valid.',
    'Correct the field in `details.field`. `details.nearest`, if present, is the name that was probably meant.',
  ],
  INVALID_CURRENCY: [
    'The account does not hold this currency, no exchange rate for it is known, or your platform has not enabled it.',
    'Use a currency of the account, or enable the currency in `supportedCurrencies` of `PATCH /config`.',
  ],
  INVALID_AMOUNT: [
    'The amount is so small that nothing remains after the fees.',
    'Send more. `details.totalFee`, if present, is the total of the fees.',
  ],
  AMOUNT_OUT_OF_RANGE: [
    'The amount is outside a limit of your configuration or of the rail, or exceeds the remainder of a purchase.',
    'Send an amount between `details.minAmount` and `details.maxAmount`, or at most `details.left`, if present.',
  ],
  INSUFFICIENT_BALANCE: [
    'The account can spend less than the payment needs.',
    'Add money or send less. `details.available` is the amount that can be spent, `details.required` the amount that the payment needs.',
  ],
  EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS: [
    'The wallet already has an e-mail credential, and can have only one.',
    'Use that one, or revoke it first.',
  ],
  SMS_OTP_CREDENTIAL_ALREADY_EXISTS: [
    'The wallet already has an SMS credential, and can have only one.',
    'Use that one, or revoke it first.',
  ],
  PASSKEY_CREDENTIAL_ALREADY_EXISTS: [
    'The passkey is already registered, for this wallet or another one.',
    'Sign in with it, or create another passkey.',
  ],
  CARDHOLDER_KYC_NOT_APPROVED: [
    'A card is requested for a customer whose verification was rejected.',
    'Issue no card to this customer. After a rejection is reopened, request the card again.',
  ],
  FUNDING_SOURCE_INELIGIBLE: [
    'The account cannot pay for this card: it has another currency, belongs to another customer, or has the wrong type.',
    "Choose an account of the cardholder in the card's currency.",
  ],
  LOW_QUALITY: ['The document cannot be read.', 'Upload a sharper picture of the whole document.'],
  DATA_MISMATCH: [
    'The document names another person or other details than the record.',
    'Upload the document of the holder, or correct the record first.',
  ],
  EXPIRED: ['The document has expired.', 'Upload one that is still valid.'],
  SUSPECTED_FRAUD: ['The document may not be genuine.', 'Ask the holder for another document.'],
  UNSUITABLE_DOCUMENT: [
    'Documents of this type are not accepted for this holder.',
    'Choose a type that the verification accepts.',
  ],
  INCOMPLETE: ['A page or a side of the document is missing.', 'Upload the whole document.'],
  STABLECOIN_PROVIDER_ACCOUNT_INVALID: [
    'The stablecoin provider does not accept the credentials.',
    'Check client id and secret at the provider, then link the account again.',
  ],
  STABLECOIN_PROVIDER_ACCOUNT_REVOKED: [
    'The stablecoin provider has revoked the credentials.',
    'Create new credentials at the provider, then link the account again.',
  ],
  STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED: [
    'The credentials reach more than one account.',
    'Send one of `details.providerAccountIds` as `providerAccountId`.',
  ],
  INVITATIONS_NOT_CONFIGURED: [
    'The platform has not set the URL of its invitation page.',
    'Set `invitationConfig.url` with `PATCH /config`.',
  ],
  INVITATION_ALREADY_CLAIMED: ['The invitation has been claimed.', 'Create another invitation.'],
  INVITATION_CANCELLED: ['The invitation was canceled.', 'Create another invitation.'],
  INVITATION_EXPIRED: ['The invitation has expired.', 'Create another invitation.'],
  PERIOD_TOO_LONG: [
    'The statement would have more lines than one response holds.',
    'Request a shorter period, up to `details.until`, and continue from there.',
  ],
  QUOTE_REQUEST_FAILED: [
    'The receiving side did not accept the request for a quote.',
    'Check the amount and the receiver, then create another quote.',
  ],
  QUOTE_EXPIRED: [
    'The quote was executed after its `expiresAt`.',
    'Create a new quote, show it to the customer and execute that one.',
  ],
  WEBHOOK_ENDPOINT_NOT_SET: [
    'The platform has not set a URL to which events are delivered.',
    'Set `webhookEndpoint` with `PATCH /config`.',
  ],
} as const satisfies Readonly<Record<CodesOf<400>, Advice>>
